"""The budget chart: what it draws, in which unit, and that nothing needs colour alone."""

from typing import Any

import pandas as pd
import pytest

from model.allocation.strategies import StrategyName
from pages.charts.budget import budget
from pages.charts.colours import LINE_LOOKS
from workflow.words import STRATEGY_WORDS

CURVE = pd.DataFrame(
    [
        ("all_task", 0.0, 0.12, 0.001),
        ("all_task", 50.0, 0.09, 0.002),
        ("optimal", 0.0, 0.12, 0.001),
        ("optimal", 50.0, 0.06, 0.001),
    ],
    columns=["strategy", "cost", "expected_half_width", "mc_se"],
)


def layers(chart: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = chart.to_dict()["layer"]
    return found


def rows_of(chart: Any, mark: str) -> list[dict[str, Any]]:
    """The data behind the first layer with this mark."""
    spec = chart.to_dict()
    layer = next(one for one in spec["layer"] if one["mark"]["type"] == mark)
    name = layer.get("data", spec.get("data", {}))["name"]
    rows: list[dict[str, Any]] = spec["datasets"][name]
    return rows


def test_both_axes_say_what_they_measure_and_in_which_unit() -> None:
    line = next(one for one in layers(budget(CURVE, 0.9)) if one["mark"]["type"] == "line")
    assert "unit of the prices" in line["encoding"]["x"]["title"]
    assert "percentage points" in line["encoding"]["y"]["title"]
    assert "90 % interval" in line["encoding"]["y"]["title"]


def test_the_band_is_two_simulation_errors_on_each_side_in_points() -> None:
    row = next(row for row in rows_of(budget(CURVE, 0.95), "area") if row["cost"] == 50)
    assert row["words"] == STRATEGY_WORDS[StrategyName.ALL_TASK]
    # 9 points, error .2 points: 9 - 2 * .2 and 9 + 2 * .2.
    assert (row["low"], row["high"]) == (pytest.approx(8.6), pytest.approx(9.4))


def test_the_legend_is_in_the_order_in_which_the_lines_end() -> None:
    line = next(one for one in layers(budget(CURVE, 0.95)) if one["mark"]["type"] == "line")
    domain = line["encoding"]["strokeDash"]["scale"]["domain"]
    names = (StrategyName.OPTIMAL, StrategyName.ALL_TASK)
    assert domain == [STRATEGY_WORDS[name] for name in names]


def test_every_strategy_has_a_look_that_differs_without_telling_colours_apart() -> None:
    assert set(LINE_LOOKS) == set(StrategyName)
    assert len({(look.colour, look.dash) for look in LINE_LOOKS.values()}) == len(LINE_LOOKS)


def test_the_wanted_width_is_a_rule_with_its_number_and_only_when_wanted() -> None:
    assert all(one["mark"]["type"] != "rule" for one in layers(budget(CURVE, 0.95)))
    rule = rows_of(budget(CURVE, 0.95, wanted=0.05), "rule")
    assert rule == [{"points": 5.0, "text": "wanted ±5.0"}]


def test_the_study_as_it_is_now_is_a_point_at_no_cost() -> None:
    texts = [row.get("text") for row in rows_of(budget(CURVE, 0.95), "text")]
    assert texts == ["now ±12.0"]
