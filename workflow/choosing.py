"""Which single item is asked about next: one of the best state, or any of them as an audit.

An item is asked about with the probability that is kept with it: the audit's share over all open
items, and the rest over the items of the state whose label is best for its price (states that tie
share it). What was chosen is taken out before the next choice.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from model.allocation.states import Integers
from model.allocation.targets import Target
from model.rat.cells import Array
from workflow.recommending import Recommendation, audit_label, open_states

TIE = 1e-9  # relative; prices and drops of equal states differ by rounding only


class Pool(NamedTuple):
    """Open items of one system in one state; rows are what can be bought of them, best first."""

    system: str
    state: int
    size: int
    rows: tuple[Recommendation, ...]


class Choice(NamedTuple):
    """An item, by its number from 0 within its pool; audits ask what `audit_label` says."""

    pool: Pool
    number: int
    row: Recommendation
    is_audit: bool
    probability: float


def list_pools(
    system: str, target: Target, counts: Integers, rows: list[Recommendation]
) -> list[Pool]:
    """The pools of a system; counts: items in each state, int64[15]; rows as `recommend` gives."""
    pools = (
        Pool(system, state, int(counts[state]), tuple(row for row in rows if row.state == state))
        for state in open_states(target, counts)
    )
    return [pool for pool in pools if pool.rows]


def choose(rng: np.random.Generator, pools: list[Pool], audit_share: float) -> Iterator[Choice]:
    """Yield items one after another, each once, until none is open.

    Args:
        rng: source of the choices.
        pools: of one system, or of several that are asked about together.
        audit_share: probability that an item is drawn evenly from all open ones, 0 to 1.
    """
    orders = [rng.permutation(pool.size) for pool in pools]
    left = np.array([pool.size for pool in pools], dtype=np.int64)
    worth = np.array([pool.rows[0].per_cost for pool in pools])
    while left.any():
        is_best = _best(worth, left)
        is_audit = bool(rng.random() < audit_share)
        among = left if is_audit else left * is_best
        chosen = int(rng.choice(len(pools), p=among / among.sum()))
        probability = audit_share / left.sum()
        if is_best[chosen]:
            probability += (1 - audit_share) / (left * is_best).sum()
        left[chosen] -= 1
        row = _row(pools[chosen], is_audit)
        number = int(orders[chosen][left[chosen]])
        yield Choice(pools[chosen], number, row, is_audit, float(probability))


def _best(worth: Array, left: Integers) -> NDArray[np.bool_]:
    """Which pools with items left have the best row, bool[num_pools]."""
    most = worth[left > 0].max()
    return np.asarray((left > 0) & (worth >= most - TIE * abs(most)))


def _row(pool: Pool, is_audit: bool) -> Recommendation:
    """The best row, or for an audit the best that begins with the label it asks."""
    if not is_audit:
        return pool.rows[0]
    label = audit_label(pool.state)
    return next((row for row in pool.rows if row.label == label), pool.rows[0])
