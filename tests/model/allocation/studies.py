"""Studies to plan from, as numbers of items in each state."""

import numpy as np

from model.allocation.states import NUM_STATES, Integers, state_of

U = -1


def counts_of(patterns: dict[tuple[int, int, int], int]) -> Integers:
    """int64[15] from numbers of items by (A, R, T)."""
    counts = np.zeros(NUM_STATES, dtype=np.int64)
    for pattern, number in patterns.items():
        counts[state_of(*pattern)] += number
    return counts


# Fifty items labelled fully, 950 waiting, A known.
PILOT = counts_of(
    {
        (1, U, U): 330,
        (0, U, U): 620,
        (1, 0, U): 15,
        (1, 1, U): 3,
        (0, 0, 0): 8,
        (0, 0, 1): 2,
        (0, 1, 0): 4,
        (0, 1, 1): 18,
    }
)
# R and T, never of the same item.
APART = counts_of(
    {
        (1, U, U): 100,
        (0, U, U): 200,
        (1, 0, U): 40,
        (1, 1, U): 3,
        (0, 0, U): 30,
        (0, 1, U): 50,
        (0, U, 0): 40,
        (0, U, 1): 60,
    }
)
TASK_ONLY = counts_of({(1, U, U): 200, (0, U, U): 100, (0, U, 1): 200, (0, U, 0): 100})
RIDGE = counts_of(
    {
        (1, 0, U): 40,
        (1, 1, U): 3,
        (0, 0, U): 300,
        (0, 1, U): 500,
        (0, U, 0): 400,
        (0, U, 1): 600,
        (0, 1, 1): 5,
        (0, 0, 0): 4,
        (0, 1, 0): 3,
    }
)
UNKNOWN = counts_of({(U, U, U): 50, (U, 0, U): 12, (U, 1, U): 30, (1, 0, U): 5, (0, 1, 1): 9})
