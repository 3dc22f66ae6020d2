"""How far does a budget go, by each strategy, and what must be paid for a wanted precision?

Plan = budgets in even steps, every strategy simulated at all of them (simulate.py), one strategy
after the other so that the first curve can be shown while the rest is computed. Curves are read
between steps on straight lines in log cost and log half-width: widths fall like a power of money.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from model.allocation.difference import Sides, simulate_sides
from model.allocation.packages import LabelCosts, Package, check_costs, tabulate_outcomes
from model.allocation.pool import hide
from model.allocation.posteriors import DEFAULT_DRAWS, draw_posteriors
from model.allocation.simulate import Results, Setting, Studies, summarise_studies
from model.allocation.states import OPEN_CELLS, Integers, count_states
from model.allocation.strategies import StrategyName
from model.allocation.targets import Target, check_target, true_value
from model.errors import ModelError
from model.rat.cells import Array
from model.rat.counts import CountTable
from model.rat.derived import Rates
from model.rat.priors import RatPriors, check_priors

DEFAULT_REPLICATES = 200
DEFAULT_BUDGETS = 8
# How much further than the first strategy that gets there the curves go.
BEYOND = 1.6
SEARCH_STEPS = 7
SEARCH_REPLICATES = 40
# The interval now is averaged over so many sets of draws.
NOW_COPIES = 32


class PlanWish(NamedTuple):
    """What a plan is asked for: a budget, or the half-width that shall be reached."""

    target: Target
    costs: LabelCosts
    priors: RatPriors
    budget: float | None = None
    half_width: float | None = None
    replicates: int = DEFAULT_REPLICATES
    num_budgets: int = DEFAULT_BUDGETS
    num_draws: int = DEFAULT_DRAWS
    seed: int = 0


class Point(NamedTuple):
    """What to expect after a budget; mc_se is the Monte Carlo standard error of the half-width."""

    budget: float
    cost: float
    sd: float
    half_width: float
    mc_se: float
    abs_error: float | None
    coverage: float | None
    retrieval_labels: float
    task_labels: float


class Curve(NamedTuple):
    """One strategy from now (budget 0) to the end of the plan."""

    name: StrategyName
    points: tuple[Point, ...]


class Start(NamedTuple):
    """Where a plan starts: the interval now, the budgets it looks at, and the simulated studies.

    The first point of every curve is now, of which error and coverage are not known (None).

    max_cost: the price of every label that could still be bought.
    """

    sd: float
    half_width: float
    budgets: Array
    max_cost: float
    sides: Sides

    @property
    def setting(self) -> Setting:
        """Target, costs, priors and seed."""
        return self.sides.setting

    @property
    def studies(self) -> Studies:
        """The simulated studies of the (first) system."""
        return self.sides.studies


class Reach(NamedTuple):
    """What a strategy needs for a half-width; None where it does not get there.

    is_bound: the curve ends before; then `narrowest` is the best it reaches.
    """

    name: StrategyName
    half_width: float
    labels: float | None
    cost: float | None
    narrowest: float


def start_plan(table: CountTable, wish: PlanWish, against: CountTable | None = None) -> Start:
    """Return where a plan starts, once it is certain that it makes sense.

    Args:
        table: the study as it is, one system.
        wish: what the plan is for.
        against: another system; then the target is the difference of both.

    Raises:
        ModelError: a cost or budget is not above 0, no label informs the target, or the half-width
            cannot be reached with the items left.
    """
    systems = [count_states(one) for one in (table, against) if one is not None]
    _check_wish(wish, np.sum(systems, axis=0))
    setting = Setting(wish.target, wish.costs, wish.priors, wish.seed, wish.num_draws)
    studies = [
        simulate_truths(setting._replace(seed=setting.seed + number), counts, wish.replicates)
        for number, counts in enumerate(systems)
    ]
    sides = Sides(setting, *studies)
    now = [
        summarise_studies(setting, np.repeat(counts[None], NOW_COPIES, axis=0), 0)
        for counts in systems
    ]
    max_cost = sum(price_of_everything(wish.costs, wish.target, counts) for counts in systems)
    end = min(wish.budget, max_cost) if wish.budget is not None else None
    if end is None:
        end = _find_end(wish, sides, max_cost)
    budgets = np.linspace(0, end, wish.num_budgets + 1)[1:]
    sd = float(np.hypot.reduce([float(one.sd.mean()) for one in now]))
    half_width = float(np.hypot.reduce([float(one.half_width.mean()) for one in now]))
    return Start(sd, half_width, budgets, max_cost, sides)


def draw_curve(start: Start, name: StrategyName) -> Curve:
    """Return the curve of one strategy."""
    results = simulate_sides(start.sides, name, start.budgets)
    curve = to_curve(name, results, start.sides.true_value, start.budgets)
    now = Point(0.0, 0.0, start.sd, start.half_width, 0.0, None, None, 0.0, 0.0)
    return Curve(name, (now, *curve.points))


def draw_curves(
    start: Start, names: Sequence[StrategyName] = tuple(StrategyName)
) -> Iterator[Curve]:
    """Yield the curve of each strategy as soon as it is there."""
    for name in names:
        yield draw_curve(start, name)


def to_curve(name: StrategyName, results: Results, truth: Array, budgets: Array) -> Curve:
    """Return the averages over studies at each budget."""
    points = (_point(results, truth, number, budgets) for number in range(len(budgets)))
    return Curve(name, tuple(points))


def find_best(curves: Sequence[Curve]) -> Curve:
    """Return the curve with the narrowest interval at the end, the cheaper one of equals."""
    return min(curves, key=lambda curve: (curve.points[-1].half_width, curve.points[-1].cost))


def find_reach(curve: Curve, half_width: float) -> Reach:
    """Return what a strategy needs until its expected half-width is reached."""
    widths = np.array([point.half_width for point in curve.points])
    costs = np.array([point.cost for point in curve.points])
    labels = np.array([point.retrieval_labels + point.task_labels for point in curve.points])
    narrowest = float(widths.min())
    there = np.flatnonzero(widths <= half_width)
    if not len(there):
        return Reach(curve.name, half_width, None, None, narrowest)
    after = int(there[0])
    if after == 0:
        return Reach(curve.name, half_width, 0.0, 0.0, narrowest)
    share = _share(widths, costs, after, half_width)
    cost = costs[after - 1] + share * (costs[after] - costs[after - 1])
    number = labels[after - 1] + share * (labels[after] - labels[after - 1])
    return Reach(curve.name, half_width, float(number), float(cost), narrowest)


def simulate_truths(setting: Setting, counts: Integers, replicates: int) -> Studies:
    """Return studies that start as the real one, each with a truth drawn from its posterior."""
    rng = np.random.default_rng([setting.seed, 10])
    posterior = draw_posteriors(rng, counts[None], setting.priors, 4 * setting.num_draws)
    chosen = rng.choice(len(posterior.weights[0]), replicates, p=posterior.weights[0])
    truth = Rates(*(rate[0, chosen] for rate in posterior.rates))
    hidden = hide(rng, np.repeat(counts[None], replicates, axis=0), truth)
    return Studies(hidden, true_value(setting.target, hidden, truth))


def price_of_everything(costs: LabelCosts, target: Target, counts: Integers) -> float:
    """Return what it would cost at most to buy every label there is."""
    outcomes = tabulate_outcomes(target, costs)
    dearest = np.where(OPEN_CELLS, outcomes.cost[Package.BOTH], 0).max(axis=1)
    return float(counts @ dearest)


def _check_wish(wish: PlanWish, counts: Integers) -> None:
    check_costs(wish.costs)
    check_priors(wish.priors)
    if (wish.budget is None) == (wish.half_width is None):
        raise ModelError(
            "A plan needs a budget or a half-width, one of the two. Give --budget or --half-width."
        )
    wanted = wish.half_width if wish.budget is None else wish.budget
    name = "half-width" if wish.budget is None else "budget"
    if not (wanted is not None and np.isfinite(wanted) and wanted > 0):
        raise ModelError(f"The {name} is {wanted:g}; a finite number above 0 was expected.")
    if wish.replicates < 2 or wish.num_budgets < 1 or wish.num_draws < 100:
        raise ModelError(
            f"A plan with {wish.replicates} replicates, {wish.num_budgets} budgets and"
            f" {wish.num_draws} draws says nothing; 2, 1 and 100 or more were expected."
        )
    check_target(wish.target, counts)


def _find_end(wish: PlanWish, sides: Sides, max_cost: float) -> float:
    """A little more money than the first strategy needs that reaches the half-width."""
    wanted = float(wish.half_width or 0)
    few = Sides(sides.setting, *(_few(one) for one in sides[1:] if one is not None))
    budgets = max_cost * np.logspace(1 - SEARCH_STEPS, 0, SEARCH_STEPS, base=2.0)
    name = StrategyName.TASK_FIRST
    curve = to_curve(name, simulate_sides(few, name, budgets), few.true_value, budgets)
    reach = find_reach(curve, wanted)
    if reach.cost is not None:
        return min(max_cost, BEYOND * max(reach.cost, float(budgets[0])))
    everything = simulate_sides(few, StrategyName.BOTH, np.array([max_cost]))
    narrowest = float(everything.half_width.mean())
    if narrowest > wanted:
        items = sum(int(one.hidden[0].sum()) for one in few[1:] if one is not None)
        raise ModelError(
            f"A half-width of ±{wanted:.3g} cannot be reached: the narrowest reachable is"
            f" ±{narrowest:.3g} with all {items} items labelled. Ask for more than that, or add"
            " items."
        )
    return max_cost


def _few(studies: Studies) -> Studies:
    """Enough of them to look for the end of a plan."""
    return Studies(studies.hidden[:SEARCH_REPLICATES], studies.true_value[:SEARCH_REPLICATES])


def _point(results: Results, truth: Array, number: int, budgets: Array) -> Point:
    error = np.abs(results.mean[number] - truth)
    widths = results.half_width[number]
    return Point(
        budget=float(budgets[number]),
        cost=float(results.cost[number].mean()),
        sd=float(results.sd[number].mean()),
        half_width=float(widths.mean()),
        mc_se=float(widths.std(ddof=1) / np.sqrt(len(widths))),
        abs_error=float(error.mean()),
        coverage=float(results.is_covered[number].mean()),
        retrieval_labels=float(results.num_retrieval[number].mean()),
        task_labels=float(results.num_task[number].mean()),
    )


def _share(widths: Array, costs: Array, after: int, half_width: float) -> float:
    """How far between two steps a width is reached, straight in logarithms where there are any."""
    before = after - 1
    high, low = np.log(widths[before]), np.log(max(widths[after], 1e-12))
    straight = (high - np.log(half_width)) / max(high - low, 1e-12)
    if costs[before] <= 0:
        return float(straight)
    ratio = costs[after] / costs[before]
    return float((ratio**straight - 1) / (ratio - 1)) if ratio > 1 else 1.0
