"""Which items come next, and what would their labels be? Draws from what is left to label.

A study is the number of items in each state and true cell. Items of one state are exchangeable, so
the next ones are draws without replacement of their true cells, and their places in a random order
of all items are uniform order statistics: the cost depends on how many are drawn, not on how many
there are.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from model.allocation.states import NUM_CELLS, NUM_STATES, OPEN_CELLS, Integers
from model.rat.cells import Array
from model.rat.derived import Rates, cell_probabilities


class Upcoming(NamedTuple):
    """The next items of every state, side by side: [num_studies, num_columns].

    state: int64[num_columns]. position: the item's number within its state, int64[num_columns].
    cell: its true cell. place: where it comes in a random order of all items, in (0, 1).
    choice: an independent uniform. exists: whether there are so many items.
    """

    state: Integers
    position: Integers
    cell: Integers
    place: Array
    choice: Array
    exists: NDArray[np.bool_]


def hide(rng: np.random.Generator, counts: Integers, truth: Rates) -> Integers:
    """Return how many items of each state are in each true cell, int64[num_studies, 15, 6].

    Args:
        rng: source of the truths of single items.
        counts: items in each state, int64[num_studies, 15].
        truth: the true rates, float64[num_studies] each.
    """
    cells = np.stack(cell_probabilities(truth), axis=1)
    hidden = np.zeros((*counts.shape, NUM_CELLS), dtype=np.int64)
    for state in range(NUM_STATES):
        left = counts[:, state].copy()
        opened = np.flatnonzero(OPEN_CELLS[state])
        rest = cells[:, opened].sum(axis=1)
        for cell in opened[:-1]:
            share = np.clip(cells[:, cell] / np.maximum(rest, 1e-300), 0, 1)
            hidden[:, state, cell] = rng.binomial(left, share)
            left -= hidden[:, state, cell]
            rest = rest - cells[:, cell]
        hidden[:, state, opened[-1]] = left
    return hidden


def draw_upcoming(rng: np.random.Generator, hidden: Integers, max_items: int) -> Upcoming:
    """Return the next max_items items of each state, or as many as there are.

    Args:
        rng: source of the order; the same one gives the same items to every strategy.
        hidden: items in each state and true cell, int64[num_studies, 15, 6].
        max_items: no budget reaches further.
    """
    sizes = hidden.sum(axis=2)
    lengths = np.minimum(sizes.max(axis=0), max_items)
    states = np.repeat(np.arange(NUM_STATES), lengths)
    present = [state for state in range(NUM_STATES) if lengths[state]]
    numbers = [np.arange(lengths[state]) for state in present]
    cells, places = [], []
    for state, own in zip(present, rng.spawn(len(present)), strict=True):
        cells.append(_draw_cells(own, hidden[:, state], int(lengths[state])))
        places.append(_draw_places(own, sizes[:, state], int(lengths[state])))
    position = np.concatenate(numbers) if numbers else np.zeros(0, dtype=np.int64)
    shape = (len(hidden), len(states))
    return Upcoming(
        state=states,
        position=position,
        cell=np.concatenate(cells, axis=1) if cells else np.zeros(shape, dtype=np.int64),
        place=np.concatenate(places, axis=1) if places else np.zeros(shape),
        choice=rng.random(shape),
        exists=position < sizes[:, states],
    )


def _draw_cells(rng: np.random.Generator, composition: Integers, length: int) -> Integers:
    """True cells of the first `length` items in random order, [num_studies, length]."""
    left = composition.sum(axis=1)
    wanted = np.minimum(left, length)
    drawn = np.zeros_like(composition)
    for cell in range(NUM_CELLS):
        others = left - composition[:, cell]
        drawn[:, cell] = rng.hypergeometric(composition[:, cell], others, wanted)
        left, wanted = others, wanted - drawn[:, cell]
    ends = np.cumsum(drawn, axis=1)
    number = np.arange(length)
    cells = (number[None, :, None] >= ends[:, None, :]).sum(axis=2)
    # Where there are fewer items, the rest (cell 6) must stay behind them.
    keys = np.where(cells < NUM_CELLS, rng.random(cells.shape), 2.0)
    shuffled = np.take_along_axis(cells, np.argsort(keys, axis=1), axis=1)
    return np.asarray(np.minimum(shuffled, NUM_CELLS - 1))


def _draw_places(rng: np.random.Generator, sizes: Integers, length: int) -> Array:
    """The first order statistics of `sizes` uniforms: log(1−U_i) = Σ log V_j / (n − j)."""
    left = np.maximum(sizes[:, None] - np.arange(length), 1)
    return np.asarray(-np.expm1(np.cumsum(-rng.exponential(size=left.shape) / left, axis=1)))
