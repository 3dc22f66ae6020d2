"""How many items of each state should get which package? c-optimal design, many studies at once.

Minimise gᵀ (1 + Σ n·J)⁻¹ g over numbers of items n ≥ 0 within the budget and the pool, J from
information.py, g the gradient of the target. For a finite test set g and the noise of what stays
unseen shrink with every item whose value becomes known. The multiplicative algorithm (Silvey,
Titterington & Torsney 1978) moves the budget towards what teaches most per cost.
"""

from typing import NamedTuple

import numpy as np

from model.allocation.information import Information
from model.allocation.packages import Package
from model.allocation.spending import Assignment
from model.allocation.states import NUM_STATES, Integers
from model.rat.cells import Array

NUM_STEPS = 60
# Power of the gain in each step. ½ is proved to descend; 1 does too here, where the labels so far
# hold the design, and is there in 60 steps where ½ needs 300.
POWER = 1.0
SMALLEST_SHARE = 1e-3
CAPPING_ROUNDS = 4


class _Pool(NamedTuple):
    """Items of each state, the state and the expected cost of each option, money of each study."""

    counts: Integers
    states: Integers
    cost: Array
    budgets: Array

    @property
    def membership(self) -> Array:
        """1 where an option is of a state, [num_options, 15]."""
        return np.eye(NUM_STATES)[self.states]


class Design(NamedTuple):
    """Items of each option, float64[num_studies, num_options]."""

    items: Array


def find_design(
    information: Information, counts: Integers, budgets: Array, is_finite: bool
) -> Design:
    """Return the design for the money there is.

    Args:
        information: what each option teaches.
        counts: items in each state, int64[num_studies, 15].
        budgets: money of each study, float64[num_studies].
        is_finite: whether the target is that of exactly these items.
    """
    states = np.array([option.state for option in information.options])
    sizes = counts[:, states].astype(np.float64)
    cost = np.maximum(information.cost, 1e-12)
    shares = np.where(sizes > 0, 1.0, 0.0)
    pool = _Pool(counts, states, cost, budgets)
    items = _fit(pool, shares)
    for _ in range(NUM_STEPS):
        gain = np.maximum(_gains(information, pool, items, is_finite) / cost, 0)
        items = _fit(pool, items * cost * gain**POWER)
    share = items * cost / np.maximum((items * cost).sum(axis=1, keepdims=True), 1e-300)
    return Design(np.where(share < SMALLEST_SHARE, 0.0, items))


def to_assignment(information: Information, design: Design) -> Assignment:
    """Return packages in proportion to the design, states advancing together."""
    num_studies = len(design.items)
    numbers = np.zeros((num_studies, NUM_STATES, len(Package)))
    for number, option in enumerate(information.options):
        numbers[:, option.state, option.package] = design.items[:, number]
    wanted = numbers.sum(axis=2)
    shares = numbers / np.maximum(wanted, 1e-300)[:, :, None]
    return Assignment(shares, wanted)


def _fit(pool: _Pool, money: Array) -> Array:
    """Items for money in these proportions; what a state has too few items for goes to others."""
    total = np.maximum(money.sum(axis=1, keepdims=True), 1e-300)
    items = money * (pool.budgets[:, None] / total) / pool.cost
    is_capped = np.zeros(items.shape, dtype=bool)
    for _ in range(CAPPING_ROUNDS):
        used = items @ pool.membership
        if (used <= pool.counts).all():
            break
        excess = np.maximum(used / np.maximum(pool.counts, 1e-12), 1.0)[:, pool.states]
        items = items / excess
        is_capped |= excess > 1
        spent = items * pool.cost
        free = np.where(is_capped, 0.0, spent).sum(axis=1)
        left = np.maximum(pool.budgets - spent.sum(axis=1), 0)
        stretch = np.where(free > 0, 1 + left / np.maximum(free, 1e-300), 1.0)
        items = np.where(is_capped, items, items * stretch[:, None])
    return np.asarray(items)


def _gains(information: Information, pool: _Pool, items: Array, is_finite: bool) -> Array:
    """Fall of the variance by one more item of each option, [num_studies, num_options]."""
    size = information.gradient.shape[1]
    flat = information.precision.reshape(*items.shape, -1)
    precision = np.eye(size) + (items[:, None, :] @ flat).reshape(-1, size, size)
    gradient = information.gradient
    if is_finite:
        gradient = _gradient_left(information, pool, items)
    solved = np.linalg.solve(precision, gradient[:, :, None])[:, :, 0]
    gain = ((information.precision @ solved[:, None, :, None])[..., 0] @ solved[:, :, None])[..., 0]
    if not is_finite:
        return np.asarray(gain)
    states, total = pool.states, pool.counts.sum(axis=1).astype(np.float64)[:, None]
    change = information.outcome_leverage - information.leverage[:, states]
    gain = gain - 2 * np.einsum("ni,noi->no", solved, change) / total
    quiet = information.noise[:, states] - information.outcome_noise
    return np.asarray(gain + quiet / total**2)


def _gradient_left(information: Information, pool: _Pool, items: Array) -> Array:
    """Gradient of the test set's value: what each state's items add, less what becomes known."""
    counts, states = pool.counts, pool.states
    total = counts.sum(axis=1).astype(np.float64)[:, None]
    change = information.outcome_leverage - information.leverage[:, states]
    now = np.einsum("ns,nsi->ni", counts.astype(np.float64), information.leverage)
    return np.asarray((now + np.einsum("no,noi->ni", items, change)) / total)
