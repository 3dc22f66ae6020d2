"""What do the five rates say about the system? Derived quantities and their intervals.

P(R,A,T) = P(R) · P(A|R) · P(T|A=0,R) gives six cell probabilities; every quantity is a sum or a
ratio of them. Left to population.py: the same quantities of one finite test set.
"""

from enum import StrEnum
from typing import Generic, NamedTuple, TypeVar

import numpy as np

from model.errors import ModelError
from model.rat.cells import UNOBSERVED, Array, SixCells
from model.rat.counts import CountTable
from model.rat.policy import DEFAULT_POLICY, Policy

Value = TypeVar("Value")
DEFAULT_INTERVAL = 0.95


class Rates(NamedTuple):
    """The five parameters, each float64[num_draws], in (0, 1)."""

    retrieval_success: Array
    abstain_given_failed_retrieval: Array
    abstain_given_retrieval: Array
    correct_given_failed_retrieval: Array
    correct_given_retrieval: Array


class Quantity(StrEnum):
    """The names of what is estimated, in code, JSON, CSV and charts."""

    RETRIEVAL_SUCCESS = "retrieval_success"
    ABSTAIN_GIVEN_FAILED_RETRIEVAL = "abstain_given_failed_retrieval"
    ABSTAIN_GIVEN_RETRIEVAL = "abstain_given_retrieval"
    CORRECT_GIVEN_FAILED_RETRIEVAL = "correct_given_failed_retrieval"
    CORRECT_GIVEN_RETRIEVAL = "correct_given_retrieval"
    POLICY_ADHERENCE = "policy_adherence"
    TASK_SUCCESS = "task_success"
    ABSTENTION = "abstention"
    TRUTHFULNESS = "truthfulness"
    ANSWERED_CORRECT = "answered_correct"


QUANTITIES = tuple(Quantity)


class PerQuantity(NamedTuple, Generic[Value]):
    """One value for each quantity, in the order of QUANTITIES."""

    retrieval_success: Value
    abstain_given_failed_retrieval: Value
    abstain_given_retrieval: Value
    correct_given_failed_retrieval: Value
    correct_given_retrieval: Value
    policy_adherence: Value
    task_success: Value
    abstention: Value
    truthfulness: Value
    answered_correct: Value

    def of(self, quantity: Quantity) -> Value:
        """Return the value of one quantity."""
        return self[QUANTITIES.index(quantity)]


class Estimate(NamedTuple):
    """A posterior in four numbers; `prior_only` where no label speaks about the quantity.

    lower, upper: equal-tailed bounds. `note` says why numbers are nan or partly undefined.
    """

    mean: float
    sd: float
    lower: float
    upper: float
    prior_only: bool = False
    note: str = ""


def cell_probabilities(rates: Rates) -> SixCells[Array]:
    """Return P(R,A,T) of the six outcomes, each float64[num_draws]; they add up to 1."""
    found, abstain_failed, abstain_found, right_failed, right_found = rates
    answered_failed = (1 - found) * (1 - abstain_failed)
    answered_found = found * (1 - abstain_found)
    return SixCells(
        failed_abstained=(1 - found) * abstain_failed,
        found_abstained=found * abstain_found,
        failed_wrong=answered_failed * (1 - right_failed),
        failed_right=answered_failed * right_failed,
        found_wrong=answered_found * (1 - right_found),
        found_right=answered_found * right_found,
    )


def quantities(rates: Rates, policy: Policy = DEFAULT_POLICY) -> PerQuantity[Array]:
    """Return the draws of every quantity, each float64[num_draws].

    Truthfulness is P(A=0,T=1) − P(A=0,T=0), in [-1, 1]; the others are in [0, 1].
    """
    cells = cell_probabilities(rates)
    right = cells.failed_right + cells.found_right
    wrong = cells.failed_wrong + cells.found_wrong
    return PerQuantity(
        *rates,
        policy_adherence=adherence(cells, policy),
        task_success=right,
        abstention=cells.failed_abstained + cells.found_abstained,
        truthfulness=right - wrong,
        answered_correct=_ratio(right, right + wrong),
    )


def adherence(cells: SixCells[Array], policy: Policy) -> Array:
    """Return Σ value · probability over the six cells, float64[num_draws]."""
    terms = [value * cell for value, cell in zip(policy, cells, strict=True) if value]
    return sum(terms, np.zeros_like(cells.found_right))


def losses(rates: Rates, policy: Policy = DEFAULT_POLICY) -> SixCells[Array]:
    """Return where adherence is lost: (1 − value) · probability of each cell, per draw.

    Under `rat`: found_abstained is found but refused, found_wrong is found but wrong,
    failed_wrong + failed_right is failed retrieval answered anyway. All six add up to 1 − G.
    """
    cells = cell_probabilities(rates)
    return SixCells(*((1 - value) * cell for value, cell in zip(policy, cells, strict=True)))


def estimates(
    rates: Rates,
    table: CountTable,
    policy: Policy = DEFAULT_POLICY,
    interval: float = DEFAULT_INTERVAL,
) -> PerQuantity[Estimate]:
    """Return mean, sd and equal-tailed bounds of every quantity.

    Args:
        rates: posterior draws.
        table: the counts behind them, for the `prior_only` marks.
        policy: the values behind policy_adherence.
        interval: probability between the bounds, in (0, 1).

    Raises:
        ModelError: the interval is not in (0, 1).
    """
    marks = prior_only(table)
    draws = quantities(rates, policy)
    pairs = zip(draws, marks, strict=True)
    return PerQuantity(*(summarise(values, interval)._replace(prior_only=m) for values, m in pairs))


def estimate_cells(
    cells: SixCells[Array], interval: float = DEFAULT_INTERVAL
) -> SixCells[Estimate]:
    """Return the estimate of each cell's probability, or of each cell's loss."""
    return SixCells(*(summarise(values, interval) for values in cells))


def summarise(draws: Array, interval: float = DEFAULT_INTERVAL) -> Estimate:
    """Return mean, sd and equal-tailed bounds of draws, float64[num_draws].

    Raises:
        ModelError: the interval is not in (0, 1).
    """
    if not 0 < interval < 1:
        raise ModelError(
            f"The interval is {interval:g}; a probability above 0 and below 1 was expected. "
            "0.95 is usual."
        )
    tail = (1 - interval) / 2
    lower, upper = np.quantile(draws, [tail, 1 - tail])
    # Relative to the first draw, so that equal draws have a deviation of exactly 0.
    apart = draws - draws[0]
    mean = float(draws[0] + apart.mean())
    return Estimate(mean, float(apart.std()), float(lower), float(upper))


def labels_behind(table: CountTable) -> PerQuantity[int]:
    """Return how many items speak directly about each quantity; 0 leaves the prior.

    ρ: R seen. α_r: R=r and A seen. τ_r: A=0, R=r and T seen. Adherence: R or T seen.
    Task success, truthfulness: T seen or known undefined (A=1). Abstention: A seen.
    """
    abstained, retrieval, task = (table.cells[:, column] for column in range(3))
    has_task = task != UNOBSERVED
    has_retrieval = retrieval != UNOBSERVED
    # A task label says that there was an answer, even where A itself was not recorded.
    has_abstained = (abstained != UNOBSERVED) | has_task

    def items(chosen: np.ndarray) -> int:
        return int(table.counts[chosen].sum())

    with_task = items(has_task)
    # T is settled without a label only when every single item abstained.
    settled = with_task or (items(abstained == 1) if bool((abstained == 1).all()) else 0)
    return PerQuantity(
        retrieval_success=items(has_retrieval),
        abstain_given_failed_retrieval=items((retrieval == 0) & has_abstained),
        abstain_given_retrieval=items((retrieval == 1) & has_abstained),
        correct_given_failed_retrieval=items((retrieval == 0) & has_task),
        correct_given_retrieval=items((retrieval == 1) & has_task),
        policy_adherence=items(has_retrieval | has_task),
        task_success=settled,
        abstention=items(has_abstained),
        truthfulness=settled,
        answered_correct=with_task,
    )


def prior_only(table: CountTable) -> PerQuantity[bool]:
    """Return, for each quantity, whether its posterior rests on the prior alone."""
    return PerQuantity(*(count == 0 for count in labels_behind(table)))


def _ratio(numerator: Array, denominator: Array) -> Array:
    """numerator / denominator, nan where there is nothing to divide by."""
    undefined = np.full_like(denominator, np.nan)
    return np.divide(numerator, denominator, out=undefined, where=denominator > 0)
