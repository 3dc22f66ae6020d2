"""How sharp would the target be after a budget, spent by a strategy? Simulated study by study.

Truths come from the posterior of the study as it is (or are given), the hidden labels of its own
remaining items from the truths; the strategy spends, the exact engine looks again. Strategies get
the same truths, items and random numbers, so that their differences are sharp.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from model.allocation.packages import LabelCosts, Outcomes, tabulate_outcomes
from model.allocation.pool import Upcoming, draw_upcoming
from model.allocation.posteriors import DEFAULT_DRAWS, Posteriors, draw_posteriors
from model.allocation.spending import Spent, spend
from model.allocation.states import Integers
from model.allocation.strategies import ADAPTIVE, STRATEGIES, Situation, StrategyName
from model.allocation.targets import Summary, Target, evaluate, summarise
from model.rat.cells import Array
from model.rat.priors import RatPriors

# An adaptive strategy looks again so often on its way to a budget.
LOOKS = 3
# Enough to choose by; the figures themselves come from more.
LOOK_DRAWS = 300


class Setting(NamedTuple):
    """What is held fixed while strategies are compared; the seed pairs them."""

    target: Target
    costs: LabelCosts
    priors: RatPriors
    seed: int = 0
    num_draws: int = DEFAULT_DRAWS


class Studies(NamedTuple):
    """Simulated studies before any money is spent.

    hidden: items in each state and true cell, int64[num_studies, 15, 6]. true_value: of the target,
    float64[num_studies].
    """

    hidden: Integers
    true_value: Array


class Results(NamedTuple):
    """What each simulated study has after each budget, [num_budgets, num_studies].

    is_covered: whether the interval holds the truth.
    """

    mean: Array
    sd: Array
    half_width: Array
    is_covered: NDArray[np.bool_]
    num_retrieval: Integers
    num_task: Integers
    cost: Array


def simulate(setting: Setting, studies: Studies, name: StrategyName, budgets: Array) -> Results:
    """Return how a strategy does at each budget.

    Args:
        setting: target, costs, priors, seed.
        studies: the simulated studies.
        name: the strategy.
        budgets: money, float64[num_budgets], ascending, each 0 or more.
    """
    outcomes = tabulate_outcomes(setting.target, setting.costs)
    follow = _adaptively if name in ADAPTIVE else _in_one_go
    spent = follow(setting, outcomes, studies, name, budgets)
    return _look(setting, studies, spent)


def posteriors_of(
    setting: Setting, counts: Integers, stream: int, num_draws: int | None = None
) -> Posteriors:
    """Return draws for studies; the same stream gives every strategy the same random numbers."""
    rng = np.random.default_rng([setting.seed, stream])
    return draw_posteriors(rng, counts, setting.priors, num_draws or setting.num_draws)


def summarise_studies(setting: Setting, counts: Integers, stream: int) -> Summary:
    """Return mean, sd and bounds of the target for studies, int64[num_studies, 15]."""
    posteriors = posteriors_of(setting, counts, stream)
    rng = np.random.default_rng([setting.seed, stream, 1])
    values = evaluate(rng, setting.target, counts, posteriors)
    return summarise(values, posteriors.weights, setting.target.interval)


def _in_one_go(
    setting: Setting, outcomes: Outcomes, studies: Studies, name: StrategyName, budgets: Array
) -> Spent:
    """The rule never changes: one walk through the items serves all budgets."""
    counts = studies.hidden.sum(axis=2)
    nothing = Posteriors(rates=None, weights=np.zeros(0))  # type: ignore[arg-type]
    situation = Situation(setting.target, outcomes, counts, nothing, budgets)
    upcoming = _upcoming(setting, studies.hidden, float(budgets[-1]), 0)
    return spend(studies.hidden, upcoming, STRATEGIES[name](situation), outcomes, budgets)


def _adaptively(
    setting: Setting, outcomes: Outcomes, studies: Studies, name: StrategyName, budgets: Array
) -> Spent:
    """Each budget is a plan of its own, looked at again on the way."""
    steps = [_towards(setting, outcomes, studies, name, float(budget)) for budget in budgets]
    return Spent(*(np.stack(field) for field in zip(*steps, strict=True)))


def _towards(
    setting: Setting, outcomes: Outcomes, studies: Studies, name: StrategyName, budget: float
) -> Spent:
    """Spend a budget in parts, with a look at the labels before each."""
    shape = len(studies.hidden)
    spent = Spent(studies.hidden, np.zeros(shape, int), np.zeros(shape, int), np.zeros(shape))
    for number in range(LOOKS):
        counts = spent.hidden.sum(axis=2)
        posteriors = posteriors_of(setting, counts, 2 + number, LOOK_DRAWS)
        left = np.maximum(budget - spent.cost, 0.0)
        situation = Situation(setting.target, outcomes, counts, posteriors, left)
        part = left / (LOOKS - number)
        upcoming = _upcoming(setting, spent.hidden, budget, number)
        now = spend(spent.hidden, upcoming, STRATEGIES[name](situation), outcomes, part[:, None])
        spent = Spent(
            now.hidden[0],
            spent.num_retrieval + now.num_retrieval[0],
            spent.num_task + now.num_task[0],
            spent.cost + now.cost[0],
        )
    return spent


def _upcoming(setting: Setting, hidden: Integers, budget: float, number: int) -> Upcoming:
    """The items a budget may reach, in the order that all strategies share."""
    rng = np.random.default_rng([setting.seed, 100 + number])
    return draw_upcoming(rng, hidden, int(budget / min(setting.costs)) + 1)


def _look(setting: Setting, studies: Studies, spent: Spent) -> Results:
    """The posterior of every study at every budget."""
    summaries = [summarise_studies(setting, hidden.sum(axis=2), 50) for hidden in spent.hidden]
    lower = np.stack([summary.lower for summary in summaries])
    upper = np.stack([summary.upper for summary in summaries])
    truth = studies.true_value
    return Results(
        mean=np.stack([summary.mean for summary in summaries]),
        sd=np.stack([summary.sd for summary in summaries]),
        half_width=(upper - lower) / 2,
        is_covered=(lower <= truth) & (truth <= upper),
        num_retrieval=spent.num_retrieval,
        num_task=spent.num_task,
        cost=spent.cost,
    )
