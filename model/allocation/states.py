"""What can be known of one item, and what does one more label make of it? Fifteen states.

A state is a pattern of A, R and T, each 0, 1 or unobserved (T only where A=0). All that a simulated
study holds is the number of items in each state and each true cell, so its cost does not depend on
the number of items. An item with T seen but A not recorded was answered: A=0.
"""

from enum import IntEnum
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from model.rat.cells import CELL_RETRIEVAL, CELL_TASK, Array, compatible
from model.rat.cells import UNOBSERVED as UNOBSERVED
from model.rat.counts import CountTable, from_cells, without_judges

Integers = NDArray[np.int64]
States = NDArray[np.int8]


class Label(IntEnum):
    """The two kinds of label that can be bought."""

    RETRIEVAL = 0
    TASK = 1


class Pattern(NamedTuple):
    """A, R, T of a state; -1 is unobserved."""

    abstained: int
    retrieval: int
    task: int


class Tallies(NamedTuple):
    """The sufficient counts of many studies (rat/tally.Tally), each float64[num_studies]."""

    abstained: Array
    answered: Array
    abstained_found: Array
    abstained_failed: Array
    answered_found: Array
    answered_failed: Array
    found_right: Array
    found_wrong: Array
    failed_right: Array
    failed_wrong: Array
    hidden_right: Array
    hidden_wrong: Array
    unknown_found: Array
    unknown_failed: Array


_SEEN = (UNOBSERVED, 0, 1)
PATTERNS = tuple(
    Pattern(abstained, retrieval, task)
    for abstained, retrieval, task in product((1, 0, UNOBSERVED), _SEEN, _SEEN)
    if abstained == 0 or task == UNOBSERVED
)
NUM_STATES, NUM_CELLS = len(PATTERNS), len(CELL_TASK)
_ARRAY = np.array(PATTERNS, dtype=np.int8)
# bool[state, cell]: which true cells an item in this state may be in.
OPEN_CELLS = compatible(_ARRAY)


def state_of(abstained: int, retrieval: int, task: int) -> int:
    """Return the number of a state; T seen says A=0 even where A was not recorded."""
    if task != UNOBSERVED and abstained == UNOBSERVED:
        abstained = 0
    return PATTERNS.index(Pattern(abstained, retrieval, task))


def can_ask(state: int, label: Label) -> bool:
    """Whether a label would tell something new: T is never asked where A=1 or A is unknown."""
    pattern = PATTERNS[state]
    if label == Label.RETRIEVAL:
        return pattern.retrieval == UNOBSERVED
    return pattern.task == UNOBSERVED and pattern.abstained == 0


def observe(state: int, cell: int, label: Label) -> int:
    """Return the state after a label of an item whose true cell is `cell`."""
    pattern = PATTERNS[state]
    if label == Label.RETRIEVAL:
        return state_of(*pattern._replace(retrieval=int(CELL_RETRIEVAL[cell])))
    return state_of(*pattern._replace(task=int(CELL_TASK[cell])))


def count_states(table: CountTable) -> Integers:
    """Return how many items are in each state, int64[15]; judge verdicts are summed out."""
    table = without_judges(table)
    counts = np.zeros(NUM_STATES, dtype=np.int64)
    for cell, count in zip(table.cells, table.counts, strict=True):
        counts[state_of(*(int(value) for value in cell[:3]))] += int(count)
    return counts


def joint_labels(counts: Integers) -> int:
    """Return how many answers carry both labels, of int64[15] states."""
    return int(sum(counts[state_of(0, retrieval, task)] for retrieval in (0, 1) for task in (0, 1)))


def table_of(counts: Integers) -> CountTable:
    """Return the count table of int64[15] states."""
    return from_cells(_ARRAY, counts.astype(np.float64))


def tallies(counts: Integers) -> Tallies:
    """Return the sufficient counts of many studies at once.

    Args:
        counts: int64[num_studies, 15].
    """
    return Tallies(*(counts @ selected for selected in _SELECTED))


def _select(abstained: object, retrieval: object, task: object) -> Array:
    """1 for the states that agree; None leaves a variable free."""
    wanted = (abstained, retrieval, task)
    columns = zip(_ARRAY.T, wanted, strict=True)
    agrees = [column == value for column, value in columns if value is not None]
    return np.asarray(np.all(agrees, axis=0), dtype=np.float64)


_SELECTED = Tallies(
    abstained=_select(1, None, None),
    answered=_select(0, None, None),
    abstained_found=_select(1, 1, None),
    abstained_failed=_select(1, 0, None),
    answered_found=_select(0, 1, UNOBSERVED),
    answered_failed=_select(0, 0, UNOBSERVED),
    found_right=_select(0, 1, 1),
    found_wrong=_select(0, 1, 0),
    failed_right=_select(0, 0, 1),
    failed_wrong=_select(0, 0, 0),
    hidden_right=_select(0, UNOBSERVED, 1),
    hidden_wrong=_select(0, UNOBSERVED, 0),
    unknown_found=_select(UNOBSERVED, 1, None),
    unknown_failed=_select(UNOBSERVED, 0, None),
)
