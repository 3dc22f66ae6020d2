"""What does the posterior say of one item, given what is known of it?

An item with a pattern of (A, R, T) is in one of the cells that the pattern leaves open, with
their probabilities renormalised; given the rates, items do not depend on each other, so the
average over draws is exact.
"""

from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from model.rat.cells import (
    CELL_ABSTAINED,
    CELL_RETRIEVAL,
    CELL_TASK,
    UNOBSERVED,
    Array,
    compatible,
)
from model.rat.derived import Rates, cell_probabilities
from model.rat.policy import DEFAULT_POLICY, Policy

STATES = (0, 1, UNOBSERVED)


class ItemBelief(NamedTuple):
    """Probabilities for the items of one pattern; -1 stands for what is not observed.

    `task` is P(T=1) of the answer, nan where no answer is possible (A=1). `policy_adherence` is
    the expected worth under the policy; `is_settled` when every open cell is worth the same.
    """

    abstained: int
    retrieval_label: int
    task_label: int
    retrieval: float
    task: float
    policy_adherence: float
    is_settled: bool


def item_beliefs(rates: Rates, policy: Policy = DEFAULT_POLICY) -> list[ItemBelief]:
    """Return the belief for every pattern an item can show.

    Args:
        rates: posterior draws, float64[num_draws] each.
        policy: the worth of each cell.
    """
    patterns = np.array(
        [
            (abstained, retrieval, task)
            for abstained, retrieval, task in product(STATES, STATES, STATES)
            if abstained != 1 or task == UNOBSERVED
        ],
        dtype=np.int8,
    )
    cells = np.stack(cell_probabilities(rates))
    worth = np.array(policy, dtype=np.float64)
    return [
        _belief(pattern, cells * open_cells[:, None], worth, bool(np.ptp(worth[open_cells]) == 0))
        for pattern, open_cells in zip(patterns, compatible(patterns), strict=True)
    ]


def _belief(pattern: NDArray[np.int8], cells: Array, worth: Array, is_settled: bool) -> ItemBelief:
    """Shares of the open cells, averaged over draws."""
    total = cells.sum(axis=0)
    answered = cells[CELL_ABSTAINED == 0].sum(axis=0)
    abstained, retrieval_label, task_label = (int(value) for value in pattern)
    return ItemBelief(
        abstained=abstained,
        retrieval_label=retrieval_label,
        task_label=task_label,
        retrieval=_mean_ratio(cells[CELL_RETRIEVAL == 1].sum(axis=0), total),
        task=_mean_ratio(cells[CELL_TASK == 1].sum(axis=0), answered),
        policy_adherence=_mean_ratio(worth @ cells, total),
        is_settled=is_settled,
    )


def _mean_ratio(part: Array, whole: Array) -> float:
    """E[part / whole] over the draws where there is a whole; nan without one."""
    known = whole > 0
    return float(np.mean(part[known] / whole[known])) if known.any() else float("nan")
