"""How do the quantities come out on exactly these items? The finite test set, not future queries.

Labelled items are known. For each posterior draw of the rates, the unseen variables of the items
of each pattern are drawn by posterior predictive: a multinomial over the cells the pattern leaves
open, P(cell | pattern) = P(cell) / Σ open. A quantity is then a ratio of whole numbers, and its
width is 0 when every item's value is settled. Judge verdicts are left out of account.
"""

import numpy as np
from numpy.typing import NDArray

from model.rat.cells import Array, SixCells, compatible
from model.rat.counts import CountTable, without_judges
from model.rat.derived import (
    DEFAULT_INTERVAL,
    QUANTITIES,
    Estimate,
    PerQuantity,
    Quantity,
    Rates,
    cell_probabilities,
    prior_only,
    summarise,
)
from model.rat.policy import DEFAULT_POLICY, Policy

# What must occur in the test set for a quantity to be defined there.
EMPTY_REASONS = {
    Quantity.ABSTAIN_GIVEN_FAILED_RETRIEVAL: "no item with failed retrieval",
    Quantity.ABSTAIN_GIVEN_RETRIEVAL: "no item with successful retrieval",
    Quantity.CORRECT_GIVEN_FAILED_RETRIEVAL: "no item answered after failed retrieval",
    Quantity.CORRECT_GIVEN_RETRIEVAL: "no item answered after successful retrieval",
    Quantity.ANSWERED_CORRECT: "no item answered",
}
NO_ITEMS = "no item at all"


def complete(rng: np.random.Generator, table: CountTable, rates: Rates) -> SixCells[Array]:
    """Return how many items of the test set fall into each cell, float64[num_draws] each.

    Args:
        rng: source of the completions; with it independent draws of the posterior predictive.
        table: the counts of the test set.
        rates: posterior draws given this table.
    """
    table = without_judges(table)
    probabilities = np.stack(cell_probabilities(rates))
    totals = np.zeros_like(probabilities)
    for open_cells, count in zip(compatible(table.cells), table.counts, strict=True):
        totals[open_cells] += _spread(rng, int(count), probabilities[open_cells])
    return SixCells(*totals)


def finite_quantities(
    cells: SixCells[Array], policy: Policy = DEFAULT_POLICY
) -> PerQuantity[Array]:
    """Return the quantities of the test set per draw; nan where they divide by no item.

    Args:
        cells: completed counts, float64[num_draws] each.
        policy: the values behind policy_adherence.
    """
    failed_answered = cells.failed_wrong + cells.failed_right
    found_answered = cells.found_wrong + cells.found_right
    failed, found = cells.failed_abstained + failed_answered, cells.found_abstained + found_answered
    right, answered = cells.failed_right + cells.found_right, failed_answered + found_answered
    items = failed + found
    return PerQuantity(
        retrieval_success=_ratio(found, items),
        abstain_given_failed_retrieval=_ratio(cells.failed_abstained, failed),
        abstain_given_retrieval=_ratio(cells.found_abstained, found),
        correct_given_failed_retrieval=_ratio(cells.failed_right, failed_answered),
        correct_given_retrieval=_ratio(cells.found_right, found_answered),
        policy_adherence=_ratio(_worth(cells, policy), items),
        task_success=_ratio(right, items),
        abstention=_ratio(items - answered, items),
        truthfulness=_ratio(2 * right - answered, items),
        answered_correct=_ratio(right, answered),
    )


def finite_estimates(
    cells: SixCells[Array],
    table: CountTable,
    policy: Policy = DEFAULT_POLICY,
    interval: float = DEFAULT_INTERVAL,
) -> PerQuantity[Estimate]:
    """Return the estimates for this test set; `note` says where and why one is undefined.

    Args:
        cells: completed counts of the table, from `complete`.
        table: the counts of the test set, for the `prior_only` marks.
        policy: the values behind policy_adherence.
        interval: probability between the bounds, in (0, 1).

    Raises:
        ModelError: the interval is not in (0, 1).
    """
    rows = zip(QUANTITIES, finite_quantities(cells, policy), prior_only(table), strict=True)
    return PerQuantity(
        *(
            _summarise_defined(quantity, draws, interval)._replace(prior_only=mark)
            for quantity, draws, mark in rows
        )
    )


def _spread(rng: np.random.Generator, count: int, open_probabilities: Array) -> Array:
    """Multinomial(count, p / Σp) per draw, [n_open, num_draws]; one open cell takes them all."""
    if len(open_probabilities) == 1:
        return np.full_like(open_probabilities, count)
    spread = np.zeros_like(open_probabilities)
    left: NDArray[np.int64] = np.full(open_probabilities.shape[1], count)
    for position in range(len(open_probabilities) - 1):
        rest = open_probabilities[position:].sum(axis=0)
        share = _ratio(open_probabilities[position], rest)
        # Where all that is left has probability 0, nothing can be left to spread either.
        spread[position] = rng.binomial(left, np.clip(np.nan_to_num(share), 0.0, 1.0))
        left = left - spread[position].astype(np.int64)
    spread[-1] = left
    return spread


def _worth(cells: SixCells[Array], policy: Policy) -> Array:
    """Σ value · count, cells of one value counted together so that settled items leave no noise."""
    worth = np.zeros_like(cells.found_right)
    for value in sorted(set(policy)):
        same = [cell for cell, cell_value in zip(cells, policy, strict=True) if cell_value == value]
        worth += value * np.sum(same, axis=0)
    return worth


def _ratio(numerator: Array, denominator: Array) -> Array:
    """numerator / denominator, nan where there is nothing to divide by."""
    undefined = np.full_like(denominator, np.nan)
    return np.divide(numerator, denominator, out=undefined, where=denominator > 0)


def _summarise_defined(quantity: Quantity, draws: Array, interval: float) -> Estimate:
    """The summary of the draws in which the quantity exists, with a note about the others."""
    defined = draws[~np.isnan(draws)]
    reason = EMPTY_REASONS.get(quantity, NO_ITEMS)
    if len(defined) == 0:
        nothing = float("nan")
        return Estimate(nothing, nothing, nothing, nothing, note=f"undefined: {reason}")
    summary = summarise(defined, interval)
    if len(defined) == len(draws):
        return summary
    share = 1 - len(defined) / len(draws)
    return summary._replace(note=f"undefined in {share:.1%} of the draws: {reason}")
