"""How often does one label settle an item, and how many bits does it carry? The paper's asymmetry.

For a fresh item, A known: with what probability R alone, T alone, or both leave no doubt of its
worth under the policy, and the mutual information of the label and that worth, in bits.
"""

from typing import NamedTuple

import numpy as np

from model.allocation.packages import LabelCosts, Package, tabulate_outcomes
from model.allocation.states import OPEN_CELLS, UNOBSERVED, Integers, state_of
from model.allocation.targets import Target, find_settled, get_worth
from model.rat.cells import Array


class LabelWorth(NamedTuple):
    """One row of the table: where A is known, what these labels settle and tell."""

    abstained: int
    package: Package
    share_settled: float
    bits: float


def find_label_worths(target: Target, cells: Array) -> list[LabelWorth]:
    """Return the rows for abstentions and for answers.

    Args:
        target: the quantity and the policy.
        cells: P(cell), float64[6], at the posterior mean.
    """
    outcomes = tabulate_outcomes(target, LabelCosts())
    settled = find_settled(target)
    rows = []
    for abstained, packages in (
        (1, (Package.RETRIEVAL,)),
        (0, (Package.RETRIEVAL, Package.TASK, Package.BOTH)),
    ):
        state = state_of(abstained, UNOBSERVED, UNOBSERVED)
        opened = np.flatnonzero(OPEN_CELLS[state])
        inside = cells[opened] / cells[opened].sum()
        for package in packages:
            ends = outcomes.end_state[package, state, opened]
            share = float(inside[settled[ends]].sum())
            rows.append(LabelWorth(abstained, package, share, _bits(target, opened, inside, ends)))
    return rows


def _bits(target: Target, opened: Integers, inside: Array, ends: Integers) -> float:
    """I(outcome; worth) = H(worth) − Σ P(outcome) H(worth | outcome)."""
    pairs = np.stack(get_worth(target), axis=1)[opened]
    _, values = np.unique(pairs, axis=0, return_inverse=True)
    values = values.ravel()
    left = 0.0
    for end in np.unique(ends):
        part = inside[ends == end]
        left += part.sum() * _entropy(values[ends == end], part / max(part.sum(), 1e-300))
    return max(_entropy(values, inside) - float(left), 0.0)


def _entropy(values: Integers, probabilities: Array) -> float:
    """H of the value, in bits."""
    sums = np.bincount(values, probabilities)
    sums = sums[sums > 0]
    return float(-(sums * np.log2(sums)).sum())
