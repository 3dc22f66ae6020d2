"""Charts are pure: every axis has a title, every interval its probability, colours one source."""

from collections.abc import Iterator
from typing import Any

import pandas as pd
import pytest

from pages.charts import posterior as charts
from pages.charts.colours import CELL_LOOKS

ESTIMATES = pd.DataFrame(
    {
        "system": ["base", "rerank"],
        "mean": [0.4, 0.6],
        "lower": [0.2, 0.5],
        "upper": [0.6, 0.7],
        "inner_lower": [0.3, 0.55],
        "inner_upper": [0.5, 0.65],
    }
)
CELLS = pd.DataFrame(
    [(system, cell, 1 / 6, 0.1, 0.3, 1.0) for system in ("base", "rerank") for cell in CELL_LOOKS],
    columns=["system", "cell", "mean", "lower", "upper", "value"],
)
WIDTHS = pd.DataFrame({"system": ["base", "base"], "labels": [1, 2], "half_width": [0.4, 0.3]})
PRIORS = ESTIMATES.assign(prior="uniform")
ALL = {
    "intervals": charts.intervals(ESTIMATES, "Task success", 0.9),
    "outcomes": charts.outcomes(CELLS),
    "widths": charts.widths(WIDTHS, "Task success"),
    "priors": charts.prior_influence(PRIORS, 0.9),
}


def channels(spec: Any, name: str) -> Iterator[dict[str, Any]]:
    """Every use of an encoding channel in a chart and its layers."""
    if name in spec.get("encoding", {}):
        yield spec["encoding"][name]
    for layer in spec.get("layer", []):
        yield from channels(layer, name)


@pytest.mark.parametrize("name", ALL)
def test_a_horizontal_axis_says_what_it_measures(name: str) -> None:
    titles = [channel.get("title") for channel in channels(ALL[name].to_dict(), "x")]
    assert any(titles)


@pytest.mark.parametrize("name", ["intervals", "priors"])
def test_an_interval_names_its_probability(name: str) -> None:
    spec = ALL[name].to_dict()
    titles = [channel.get("title") or "" for channel in channels(spec, "x")]
    assert any("90 %" in title for title in titles)
    assert "95" not in "".join(titles)


def test_widths_have_two_titled_axes() -> None:
    spec = ALL["widths"].to_dict()
    assert next(channels(spec, "x"))["title"] == "Labels in the study"
    assert "half the interval" in next(channels(spec, "y"))["title"]


def test_outcomes_fill_the_axis_and_no_more() -> None:
    x = next(channels(ALL["outcomes"].to_dict(), "x"))
    assert x["scale"]["domain"] == [0, 1]
    assert x["stack"] == "zero"


def test_each_outcome_has_a_colour_and_words_of_its_own() -> None:
    colour = next(channels(ALL["outcomes"].to_dict(), "color"))["scale"]
    assert colour["domain"] == [look.words for look in CELL_LOOKS.values()]
    assert colour["range"] == [look.colour for look in CELL_LOOKS.values()]
    assert len(set(colour["domain"])) == len(set(colour["range"])) == 6


def test_names_of_systems_are_data_and_no_expression() -> None:
    odd = "base.x[0]:tada: $5"
    spec = charts.intervals(ESTIMATES.assign(system=odd), "Task success", 0.9).to_dict()
    rows = next(iter(spec["datasets"].values()))
    assert {row["system"] for row in rows} == {odd}
