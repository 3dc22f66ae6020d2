"""Which of the six outcomes can an item have, and which are still open when labels are missing?

An outcome is (R, A, T), with T undefined where A=1; an observed pattern is the set of outcomes
that agree with it, so every likelihood, completion and policy is a sum over these six cells.
"""

from typing import Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Value = TypeVar("Value")

UNOBSERVED = -1
UNDEFINED = -2


class SixCells(NamedTuple, Generic[Value]):
    """One value for each outcome; `failed` is R=0, `found` is R=1, `right` and `wrong` are T."""

    failed_abstained: Value
    found_abstained: Value
    failed_wrong: Value
    failed_right: Value
    found_wrong: Value
    found_right: Value


CELL_NAMES = SixCells._fields
CELL_RETRIEVAL = np.array([0, 1, 0, 0, 1, 1], dtype=np.int8)
CELL_ABSTAINED = np.array([1, 1, 0, 0, 0, 0], dtype=np.int8)
CELL_TASK = np.array([UNDEFINED, UNDEFINED, 0, 1, 0, 1], dtype=np.int8)


def compatible(patterns: NDArray[np.int8]) -> NDArray[np.bool_]:
    """Return which cells each observed pattern leaves open, bool[n_patterns, 6].

    Args:
        patterns: int8[n_patterns, 3 or more], columns abstained, retrieval, task; -1 unobserved.
            Further columns (judge verdicts) are left out of account.
    """
    abstained, retrieval, task = (patterns[:, [column]] for column in range(3))
    return (
        _agrees(abstained, CELL_ABSTAINED)
        & _agrees(retrieval, CELL_RETRIEVAL)
        & _agrees(task, CELL_TASK)
    )


def _agrees(observed: NDArray[np.int8], cell: NDArray[np.int8]) -> NDArray[np.bool_]:
    """observed = ? or observed = the cell's value."""
    agrees: NDArray[np.bool_] = (observed == UNOBSERVED) | (observed == cell)
    return agrees
