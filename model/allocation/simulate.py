"""How sharp would the target be after a budget, spent by a strategy? Simulated study by study.

Truths come from the posterior of the study as it is (or are given), the hidden labels of its own
remaining items from the truths; the strategy spends, the exact engine looks again. Strategies get
the same truths, items and random numbers, so that their differences are sharp.
"""

from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from model.allocation.packages import LabelCosts, Outcomes, Package, tabulate_outcomes
from model.allocation.pool import Upcoming, draw_upcoming
from model.allocation.posteriors import DEFAULT_DRAWS, THREADS, Posteriors, draw_posteriors
from model.allocation.spending import Assignment, Spent, spend
from model.allocation.states import NUM_STATES, UNOBSERVED, Integers, state_of
from model.allocation.strategies import STRATEGIES, Situation, StrategyName
from model.allocation.targets import Summary, Target, evaluate, summarise
from model.rat.cells import Array
from model.rat.priors import RatPriors

# The optimal mix looks again so often on its way to a budget.
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


class _Leg(NamedTuple):
    """A part of the way: spend until here, with this much in all; its number picks the draws."""

    until: float
    horizon: float
    number: int


def simulate(setting: Setting, studies: Studies, name: StrategyName, budgets: Array) -> Results:
    """Return how a strategy does at each budget.

    Args:
        setting: target, costs, priors, seed.
        studies: the simulated studies.
        name: the strategy.
        budgets: money, float64[num_budgets], ascending, each 0 or more.
    """
    outcomes = tabulate_outcomes(setting.target, setting.costs)
    spent = _WALKS.get(name, _in_one_go)(setting, outcomes, studies, name, budgets)
    return _look(setting, studies, spent)


def simulate_joint_labels(setting: Setting, studies: Studies, number: int) -> float | None:
    """Return the half-width to expect once so many answers carry both labels; None without them.

    Args:
        setting: target, costs, priors, seed.
        studies: the simulated studies.
        number: how many fresh answers get both labels.
    """
    counts = studies.hidden.sum(axis=2)
    fresh = state_of(0, UNOBSERVED, UNOBSERVED)
    if (counts[:, fresh] < number).any():
        return None
    shares = np.zeros((len(counts), NUM_STATES, len(Package)))
    shares[:, fresh, Package.BOTH] = 1
    unit = LabelCosts()
    outcomes = tabulate_outcomes(setting.target, unit)
    upcoming = _upcoming(setting._replace(costs=unit), studies.hidden, 2.0 * number, 0)
    budget = np.array([2.0 * number])
    spent = spend(studies.hidden, upcoming, Assignment(shares), outcomes, budget)
    return float(summarise_studies(setting, spent.hidden[0].sum(axis=2), 50).half_width.mean())


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


def _budget_by_budget(
    setting: Setting, outcomes: Outcomes, studies: Studies, name: StrategyName, budgets: Array
) -> Spent:
    """The rule is the same for every budget, and looks at the labels again at each of them."""
    steps = [_nothing_spent(studies)]
    for number, budget in enumerate(budgets):
        steps.append(_go_on(setting, outcomes, steps[-1], name, _Leg(budget, budget, number)))
    return _stack(steps[1:])


def _plan_by_plan(
    setting: Setting, outcomes: Outcomes, studies: Studies, name: StrategyName, budgets: Array
) -> Spent:
    """Each budget is a plan of its own, looked at again on the way."""
    steps = []
    for budget in budgets:
        spent = _nothing_spent(studies)
        for number in range(LOOKS if budget > 0 else 0):
            until = budget * (number + 1) / LOOKS
            spent = _go_on(setting, outcomes, spent, name, _Leg(until, budget, number))
        if (budget - spent.cost >= min(setting.costs)).any():
            # Where all that was planned is bought, the rest settles what is still open.
            sweep = _Leg(budget, budget, LOOKS)
            spent = _go_on(setting, outcomes, spent, StrategyName.SETTLE, sweep)
        steps.append(spent)
    return _stack(steps)


def _go_on(
    setting: Setting, outcomes: Outcomes, spent: Spent, name: StrategyName, leg: _Leg
) -> Spent:
    """Look at the labels so far, then spend until the end of the leg."""
    assignment = _assign(setting, outcomes, spent, name, leg)
    upcoming = _upcoming(setting, spent.hidden, leg.until, leg.number)
    part = np.maximum(leg.until - spent.cost, 0.0)
    now = spend(spent.hidden, upcoming, assignment, outcomes, part[:, None])
    return Spent(
        now.hidden[0],
        spent.num_retrieval + now.num_retrieval[0],
        spent.num_task + now.num_task[0],
        spent.cost + now.cost[0],
    )


def _assign(
    setting: Setting, outcomes: Outcomes, spent: Spent, name: StrategyName, leg: _Leg
) -> Assignment:
    """What the strategy says of each study; once for all while they are still alike."""
    counts = spent.hidden.sum(axis=2)
    left = np.maximum(leg.horizon - spent.cost, 0.0)
    is_alike = bool((counts == counts[0]).all() and (left == left[0]).all())
    if is_alike:
        counts, left = counts[:1], left[:1]
    num_draws = setting.num_draws if is_alike else LOOK_DRAWS
    posteriors = posteriors_of(setting, counts, 2 + leg.number, num_draws)
    found = STRATEGIES[name](Situation(setting.target, outcomes, counts, posteriors, left))
    if not is_alike:
        return found
    wanted = None if found.wanted is None else np.repeat(found.wanted, len(spent.cost), axis=0)
    return Assignment(np.repeat(found.shares, len(spent.cost), axis=0), wanted)


def _nothing_spent(studies: Studies) -> Spent:
    none = np.zeros(len(studies.hidden), dtype=np.int64)
    return Spent(studies.hidden, none, none, none.astype(np.float64))


def _stack(steps: list[Spent]) -> Spent:
    """One axis more, the budget."""
    hidden, num_retrieval, num_task, cost = zip(*steps, strict=True)
    return Spent(np.stack(hidden), np.stack(num_retrieval), np.stack(num_task), np.stack(cost))


def _upcoming(setting: Setting, hidden: Integers, budget: float, number: int) -> Upcoming:
    """The items a budget may reach, in the order that all strategies share."""
    rng = np.random.default_rng([setting.seed, 100 + number])
    return draw_upcoming(rng, hidden, int(budget / min(setting.costs)) + 1)


def _look(setting: Setting, studies: Studies, spent: Spent) -> Results:
    """The posterior of every study at every budget."""

    def summarise_budget(hidden: Integers) -> Summary:
        return summarise_studies(setting, hidden.sum(axis=2), 50)

    with ThreadPoolExecutor(THREADS) as pool:
        summaries = list(pool.map(summarise_budget, spent.hidden))
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


_WALKS = {
    StrategyName.SETTLE: _budget_by_budget,
    StrategyName.OPTIMAL: _plan_by_plan,
}
