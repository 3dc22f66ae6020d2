"""Which number shall become sharper, and when does an item have no more to say about it?

Every quantity is Σ share · P(cell) / Σ base · P(cell) over the six cells. An item is settled when
all cells that its state leaves open agree in both. Of a finite test set the unseen items are added
by the normal approximation of their posterior predictive, which needs no draw an item.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from model.allocation.posteriors import Posteriors
from model.allocation.states import NUM_STATES, OPEN_CELLS, Integers
from model.errors import ModelError
from model.rat.cells import CELL_ABSTAINED, CELL_RETRIEVAL, CELL_TASK, Array
from model.rat.derived import Quantity, Rates, cell_probabilities
from model.rat.policy import DEFAULT_POLICY, Policy


class Population(StrEnum):
    """Whose number: of the queries to come, or of exactly these items."""

    FUTURE = "future_queries"
    TEST_SET = "this_test_set"


class Target(NamedTuple):
    """What the budget is spent for; `interval` is the probability of the interval made narrow."""

    quantity: Quantity = Quantity.POLICY_ADHERENCE
    policy: Policy = DEFAULT_POLICY
    population: Population = Population.FUTURE
    interval: float = 0.95


class Worth(NamedTuple):
    """Numerator and denominator of a quantity for each cell, float64[6]."""

    share: Array
    base: Array


class Summary(NamedTuple):
    """A weighted posterior of each study, float64[num_studies]."""

    mean: Array
    sd: Array
    lower: Array
    upper: Array

    @property
    def half_width(self) -> Array:
        """Half the interval."""
        return np.asarray((self.upper - self.lower) / 2)


_ONE = np.ones(6)
_FOUND = (CELL_RETRIEVAL == 1) * 1.0
_FAILED = (CELL_RETRIEVAL == 0) * 1.0
_SILENT = (CELL_ABSTAINED == 1) * 1.0
_ANSWERED = (CELL_ABSTAINED == 0) * 1.0
_RIGHT = (CELL_TASK == 1) * 1.0
_WRONG = (CELL_TASK == 0) * 1.0
_WORTHS: Mapping[Quantity, Worth] = {
    Quantity.RETRIEVAL_SUCCESS: Worth(_FOUND, _ONE),
    Quantity.ABSTAIN_GIVEN_FAILED_RETRIEVAL: Worth(_FAILED * _SILENT, _FAILED),
    Quantity.ABSTAIN_GIVEN_RETRIEVAL: Worth(_FOUND * _SILENT, _FOUND),
    Quantity.CORRECT_GIVEN_FAILED_RETRIEVAL: Worth(_FAILED * _RIGHT, _FAILED * _ANSWERED),
    Quantity.CORRECT_GIVEN_RETRIEVAL: Worth(_FOUND * _RIGHT, _FOUND * _ANSWERED),
    Quantity.TASK_SUCCESS: Worth(_RIGHT, _ONE),
    Quantity.ABSTENTION: Worth(_SILENT, _ONE),
    Quantity.TRUTHFULNESS: Worth(_RIGHT - _WRONG, _ONE),
    Quantity.ANSWERED_CORRECT: Worth(_RIGHT, _ANSWERED),
}


def get_worth(target: Target) -> Worth:
    """Return numerator and denominator of the target for each cell."""
    if target.quantity == Quantity.POLICY_ADHERENCE:
        return Worth(np.array(target.policy, dtype=np.float64), _ONE)
    return _WORTHS[target.quantity]


def find_settled(target: Target) -> NDArray[np.bool_]:
    """Return which states have no more to say about the target, bool[15]."""
    pairs = np.stack(get_worth(target), axis=1)
    return np.array([len(np.unique(pairs[cells], axis=0)) == 1 for cells in OPEN_CELLS])


def check_target(target: Target, counts: Integers) -> None:
    """Say so when no label that can still be bought informs the target.

    Args:
        target: what is asked for.
        counts: items in each state, int64[15].

    Raises:
        ModelError: all items are settled, or the interval is no probability.
    """
    if not 0 < target.interval < 1:
        raise ModelError(
            f"The interval is {target.interval:g}; a probability above 0 and below 1 was expected."
            " 0.95 is usual."
        )
    if not counts[~find_settled(target)].any():
        raise ModelError(
            f"No label informs {target.quantity}: all {int(counts.sum())} items are settled for it."
            " Choose another target, or add items."
        )


def evaluate(
    rng: np.random.Generator, target: Target, counts: Integers, posteriors: Posteriors
) -> Array:
    """Return the target's value for each posterior draw, float64[num_studies, num_draws].

    Args:
        rng: source of what unseen items of a finite test set add.
        target: the quantity and its population.
        counts: items in each state, int64[num_studies, 15].
        posteriors: the draws given these counts.
    """
    cells = np.stack(cell_probabilities(posteriors.rates))
    if target.population == Population.FUTURE:
        return _ratio(cells, get_worth(target))
    return _of_test_set(rng, target, counts, cells)


def true_value(target: Target, hidden: Integers, rates: Rates) -> Array:
    """Return what the target really is, float64[num_studies].

    Args:
        target: the quantity and its population.
        hidden: items in each state and true cell, int64[num_studies, 15, 6].
        rates: the true rates, float64[num_studies] each.
    """
    if target.population == Population.FUTURE:
        return _ratio(np.stack(cell_probabilities(rates)), get_worth(target))
    return _ratio(hidden.sum(axis=1).T.astype(np.float64), get_worth(target))


def summarise(values: Array, weights: Array, interval: float) -> Summary:
    """Return weighted mean, sd and equal-tailed bounds of each study."""
    mean = (weights * values).sum(axis=1)
    sd = np.sqrt((weights * (values - mean[:, None]) ** 2).sum(axis=1))
    order = np.argsort(values, axis=1)
    below = np.cumsum(np.take_along_axis(weights, order, axis=1), axis=1)
    tail = (1 - interval) / 2
    bounds = []
    for probability in (tail, 1 - tail):
        position = np.minimum((below < probability).sum(axis=1), values.shape[1] - 1)
        chosen = np.take_along_axis(order, position[:, None], axis=1)
        bounds.append(np.take_along_axis(values, chosen, axis=1)[:, 0])
    return Summary(mean, sd, *bounds)


def _ratio(cells: Array, worth: Worth) -> Array:
    """Σ share · cell / Σ base · cell over the first axis."""
    share = np.tensordot(worth.share, cells, axes=1)
    if (worth.base == 1).all():
        return np.asarray(share / cells.sum(axis=0))
    base = np.tensordot(worth.base, cells, axes=1)
    return np.asarray(np.divide(share, base, out=np.full_like(share, np.nan), where=base > 0))


def _of_test_set(rng: np.random.Generator, target: Target, counts: Integers, cells: Array) -> Array:
    """F = S/B with the noise of what is unseen, Var ≈ Σ n Var(share − F · base | state)/B²."""
    worth = get_worth(target)
    share, base = np.zeros_like(cells[0]), np.zeros_like(cells[0])
    for state in range(NUM_STATES):
        inside = _given(cells, state)
        many = counts[:, state][:, None]
        if many.any():
            share += many * np.tensordot(worth.share[OPEN_CELLS[state]], inside, axes=1)
            base += many * np.tensordot(worth.base[OPEN_CELLS[state]], inside, axes=1)
    value = np.divide(share, base, out=np.full_like(share, np.nan), where=base > 0)
    variance = np.zeros_like(value)
    for state in np.flatnonzero(~find_settled(target)).tolist():
        inside = _given(cells, state)
        many = counts[:, state][:, None]
        if many.any():
            opened = OPEN_CELLS[state]
            apart = worth.share[opened][:, None, None] - value * worth.base[opened][:, None, None]
            mean = (inside * apart).sum(axis=0)
            variance += many * ((inside * apart**2).sum(axis=0) - mean**2)
    noise = np.sqrt(np.maximum(variance, 0)) / np.maximum(base, 1e-300)
    return np.asarray(value + noise * rng.standard_normal(value.shape))


def _given(cells: Array, state: int) -> Array:
    """P(cell | state) of the open cells, [n_open, num_studies, num_draws]."""
    inside = cells[OPEN_CELLS[state]]
    return np.asarray(inside / np.maximum(inside.sum(axis=0), 1e-300))
