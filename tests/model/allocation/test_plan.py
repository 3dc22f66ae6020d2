"""Plans: curves, what is needed for a precision, and every wish that makes no sense."""

import numpy as np
import pytest

from model.allocation.packages import LabelCosts
from model.allocation.plan import (
    Curve,
    PlanWish,
    Point,
    draw_curve,
    draw_curves,
    find_best,
    find_reach,
    start_plan,
)
from model.allocation.states import table_of
from model.allocation.strategies import StrategyName
from model.allocation.targets import Population, Target
from model.errors import ModelError
from model.rat.derived import Quantity
from model.rat.priors import get_priors
from tests.model.allocation.studies import PILOT, U, counts_of

WISH = PlanWish(
    Target(),
    LabelCosts(),
    get_priors("uniform"),
    budget=200.0,
    replicates=60,
    num_budgets=2,
    num_draws=500,
)


def _curve(costs: list[float], widths: list[float]) -> Curve:
    points = (
        Point(cost, cost, width / 2, width, 0.0, 0.0, 0.95, cost, 0.0)
        for cost, width in zip(costs, widths, strict=True)
    )
    return Curve(StrategyName.BOTH, tuple(points))


def test_widths_fall_with_money_and_settling_beats_labelling_everything() -> None:
    start = start_plan(table_of(PILOT), WISH)
    curves = {curve.name: curve for curve in draw_curves(start)}
    assert list(curves) == list(StrategyName)
    for curve in curves.values():
        widths = [point.half_width for point in curve.points]
        assert widths[0] == pytest.approx(start.half_width, rel=0.02)
        assert widths == sorted(widths, reverse=True)
        assert curve.points[-1].cost == pytest.approx(200, abs=2)
    ends = {name: curve.points[-1].half_width for name, curve in curves.items()}
    assert ends[StrategyName.OPTIMAL] < ends[StrategyName.BOTH] - 0.003
    assert ends[StrategyName.SETTLE] < ends[StrategyName.BOTH] - 0.003
    assert find_best([*curves.values()]).name in (
        StrategyName.OPTIMAL,
        StrategyName.SETTLE,
        StrategyName.TASK_FIRST,
        StrategyName.RETRIEVAL_FIRST,
    )


def test_the_same_seed_gives_the_same_plan_and_another_seed_another() -> None:
    table = table_of(PILOT)
    first, same, other = (
        draw_curve(start_plan(table, WISH._replace(seed=seed)), StrategyName.OPTIMAL)
        for seed in (1, 1, 2)
    )
    assert first == same
    assert first != other


def test_without_joint_labels_retrieval_alone_never_learns_what_answers_are_worth() -> None:
    nothing = counts_of({(1, U, U): 350, (0, U, U): 650})
    wish = WISH._replace(budget=1000.0)
    start = start_plan(table_of(nothing), wish)
    retrieval = draw_curve(start, StrategyName.ALL_RETRIEVAL).points[-1]
    settled = draw_curve(start, StrategyName.SETTLE).points[-1]
    # τ₁ keeps its flat prior, sd .29 of the share of answered and found: about .13 in all.
    assert retrieval.sd > 0.08
    assert settled.sd < 0.03


def test_a_width_is_read_off_between_two_steps() -> None:
    # width = 1/√cost: .05 at 400, read between 100 and 1600 on straight lines in logarithms.
    reach = find_reach(_curve([0, 100, 1600], [1.0, 0.1, 0.025]), 0.05)
    assert reach.cost == pytest.approx(400, rel=0.01)
    assert reach.labels == pytest.approx(400, rel=0.01)
    assert find_reach(_curve([0, 100], [1.0, 0.1]), 2.0).cost == 0
    missed = find_reach(_curve([0, 100], [1.0, 0.1]), 0.05)
    assert missed.cost is None
    assert missed.narrowest == 0.1


def test_a_plan_for_a_precision_goes_far_enough() -> None:
    wish = WISH._replace(budget=None, half_width=0.09, num_budgets=4)
    start = start_plan(table_of(PILOT), wish)
    reach = find_reach(draw_curve(start, StrategyName.SETTLE), 0.09)
    assert reach.cost is not None
    assert 30 < reach.cost < start.budgets[-1]


def test_a_budget_beyond_the_pool_is_cut_to_the_price_of_everything() -> None:
    few = counts_of({(1, U, U): 5, (0, U, U): 10, (0, 1, 1): 4})
    start = start_plan(table_of(few), WISH._replace(budget=1e6))
    assert start.max_cost == start.budgets[-1] == 5 + 20
    assert draw_curve(start, StrategyName.BOTH).points[-1].cost == 25


def test_labelling_all_of_a_test_set_leaves_no_width() -> None:
    few = counts_of({(1, U, U): 15, (0, U, U): 30, (0, 1, 1): 4})
    target = Target(population=Population.TEST_SET)
    start = start_plan(table_of(few), WISH._replace(target=target, budget=1e6))
    for name in (StrategyName.BOTH, StrategyName.OPTIMAL, StrategyName.SETTLE):
        assert draw_curve(start, name).points[-1].half_width == pytest.approx(0, abs=1e-9)


def test_the_difference_of_two_systems_is_as_wide_as_both_together() -> None:
    # Two systems alike: √2 as wide, and half of the money for each.
    one = start_plan(table_of(PILOT), WISH)
    two = start_plan(table_of(PILOT), WISH._replace(budget=400.0), table_of(PILOT))
    assert two.half_width == pytest.approx(np.sqrt(2) * one.half_width, rel=1e-6)
    alone = draw_curve(one, StrategyName.SETTLE).points[-1]
    both = draw_curve(two, StrategyName.SETTLE).points[-1]
    assert both.half_width == pytest.approx(np.sqrt(2) * alone.half_width, rel=0.03)
    assert both.cost == pytest.approx(2 * alone.cost, abs=3)
    assert both.coverage is not None
    assert both.coverage > 0.85


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"budget": 0.0}, "budget is 0"),
        ({"budget": -5.0}, "budget is -5"),
        ({"budget": float("nan")}, "budget is nan"),
        ({"budget": None}, "needs a budget or a half-width"),
        ({"half_width": 0.05}, "one of the two"),
        ({"budget": None, "half_width": -0.1}, "half-width is -0.1"),
        ({"costs": LabelCosts(retrieval=-1)}, "retrieval' is -1"),
        ({"replicates": 1}, "1 replicates"),
        ({"target": Target(Quantity.ABSTENTION)}, "No label informs"),
        ({"budget": None, "half_width": 0.001}, "narrowest reachable is ±"),
    ],
)
def test_a_wish_that_makes_no_sense_is_refused(changes: dict[str, object], words: str) -> None:
    wish = WISH._replace(**changes)  # type: ignore[arg-type]
    with pytest.raises(ModelError, match=words):
        start_plan(table_of(PILOT), wish)


def test_what_cannot_be_reached_names_what_can() -> None:
    with pytest.raises(ModelError, match="with all 1000 items labelled") as caught:
        start_plan(table_of(PILOT), WISH._replace(budget=None, half_width=0.001))
    narrowest = float(str(caught.value).split("±")[2].split(" ")[0])
    # 1.96 · √(G(1−G)/1000) for G near one half
    assert narrowest == pytest.approx(1.96 * np.sqrt(0.25 / 1000), rel=0.1)
