"""Which label next, in words and numbers: the rows behind the price list.

Which item of a state is asked, and the audit beside it, is chosen in choosing.py.
"""

from typing import Any, NamedTuple

import numpy as np

from model.allocation.information import Option, list_options
from model.allocation.next_label import Scores, score_options
from model.allocation.packages import LabelCosts, Outcomes, tabulate_outcomes
from model.allocation.posteriors import Posteriors
from model.allocation.states import Integers, Label, can_ask, count_states
from model.allocation.targets import Target, check_target, evaluate, find_settled
from model.rat.counts import CountTable
from model.rat.derived import Rates
from model.rat.exact import fit_exact
from model.rat.priors import RatPriors
from workflow.words import LABEL_WORDS, LABELS_OF, describe_state

DRAWS = 4000


class Recommendation(NamedTuple):
    """A label worth buying of any item in a state; `drop` is in squared units of the target."""

    state: int
    label: Label
    labels: str
    cost: float
    variance_drop: float
    per_cost: float
    information_gain: float
    reason: str


def recommend(
    table: CountTable,
    target: Target,
    costs: LabelCosts,
    priors: RatPriors,
    seed: int = 0,
    rates: Rates | None = None,
) -> list[Recommendation]:
    """What can be bought, best first; one row for each state and package.

    Args:
        table: the counts of one system.
        target: what shall become sharper.
        costs: the prices.
        priors: of the study.
        seed: of the draws.
        rates: draws of the newest fit, float64[num_draws] each; made here when None.

    Raises:
        ModelError: no label informs the target.
    """
    counts = count_states(table)
    check_target(target, counts)
    if rates is None:
        rates = fit_exact(seed, table, priors, DRAWS).rates
    outcomes = tabulate_outcomes(target, costs)
    options = list_options(outcomes, counts[None])
    posteriors = Posteriors(Rates(*(rate[None] for rate in rates)), _even(rates))
    scores = score_options(target, outcomes, options, counts[None], posteriors)
    variance = _variance(target, counts, posteriors)
    rows = [
        _row(scores, number, option, outcomes, variance) for number, option in enumerate(options)
    ]
    return sorted(rows, key=lambda row: -row.per_cost)


def price_list(
    table: CountTable, target: Target, costs: LabelCosts, priors: RatPriors, seed: int
) -> list[dict[str, Any]]:
    """The recommendations as rows of a document."""
    return [
        {
            "state": describe_state(row.state),
            "label": LABEL_WORDS[row.label],
            "labels": row.labels,
            "cost": round(row.cost, 3),
            "expected_variance_drop": float(f"{row.variance_drop:.4g}"),
            "per_cost": float(f"{row.per_cost:.4g}"),
            "information_gain": float(f"{row.information_gain:.4g}"),
            "reason": row.reason,
        }
        for row in recommend(table, target, costs, priors, seed)
    ]


def open_states(target: Target, counts: Integers) -> list[int]:
    """States with items that still have something to say about the target."""
    return [int(state) for state in np.flatnonzero((counts > 0) & ~find_settled(target))]


def audit_label(state: int) -> Label:
    """What an audit asks of an item first: retrieval, or the task where retrieval is known."""
    return Label.RETRIEVAL if can_ask(state, Label.RETRIEVAL) else Label.TASK


def _row(
    scores: Scores, number: int, option: Option, outcomes: Outcomes, variance: float
) -> Recommendation:
    drop = float(scores.variance_drop[0, number])
    cost = float(scores.cost[0, number])
    place = (option.package, option.state)
    label = Label.RETRIEVAL if outcomes.first.num_retrieval[place].any() else Label.TASK
    share = drop / variance if variance > 0 else 0.0
    reason = (
        f"Ask for {LABELS_OF[option.package]}, of {describe_state(option.state)}: for {cost:.2f} it"
        f" is expected to take {share:.1%} of the remaining uncertainty (variance) away."
    )
    return Recommendation(
        option.state,
        label,
        LABELS_OF[option.package],
        cost,
        drop,
        float(scores.per_cost[0, number]),
        float(scores.information_gain[0, number]),
        reason,
    )


def _even(rates: Rates) -> Any:
    num_draws = len(rates.retrieval_success)
    return np.full((1, num_draws), 1 / num_draws)


def _variance(target: Target, counts: Integers, posteriors: Posteriors) -> float:
    values = evaluate(np.random.default_rng(0), target, counts[None], posteriors)
    return float(np.nanvar(values))
