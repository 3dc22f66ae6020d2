"""How far a budget goes: expected half-width against cost, one line a strategy."""

from typing import Any

import altair as alt
import pandas as pd

from model.allocation.strategies import StrategyName
from pages.charts.colours import LINE_LOOKS
from pages.charts.posterior import percent
from workflow.words import STRATEGY_WORDS

HEIGHT = 500  # with axis and legend
BAND_ERRORS = 2  # the band is so many Monte Carlo standard errors wide on each side
NOW_COLOUR = "#8a8f8d"
WANTED_COLOUR = "#c0313b"


def budget(frame: pd.DataFrame, probability: float, wanted: float | None = None) -> Any:
    """Lines of expected ± with their Monte Carlo band, the point now, the wanted ± as a rule.

    Args:
        frame: strategy, cost, expected_half_width, mc_se; cost 0 is now. Widths are shares.
        probability: of the interval.
        wanted: half-width that is asked for, as a share; no rule when None.
    """
    shown = _in_points(frame)
    names = _best_first(frame)
    looks, words = [LINE_LOOKS[name] for name in names], [STRATEGY_WORDS[name] for name in names]
    colours = alt.Scale(domain=words, range=[look.colour for look in looks])
    dashes = alt.Scale(domain=words, range=[list(look.dash) for look in looks])
    legend = alt.Legend(
        title="Best first, row by row",
        orient="bottom",
        columns=2,
        labelLimit=260,
        symbolType="stroke",
        symbolSize=500,
        symbolOpacity=1,
        symbolStrokeWidth=3,
    )
    title = f"± in percentage points (half the {percent(probability)} interval)"
    base = alt.Chart(shown).encode(
        x=alt.X("cost:Q", title="Cost of the new labels, in the unit of the prices"),
        color=alt.Color("words:N", scale=colours, sort=None, legend=legend),
    )
    y_axis = alt.Y("points:Q", title=title, scale=alt.Scale(zero=False))
    band = base.mark_area(opacity=0.22).encode(y=alt.Y("low:Q", title=title), y2="high:Q")
    line = base.mark_line(strokeWidth=2.5).encode(
        y=y_axis,
        strokeDash=alt.StrokeDash("words:N", scale=dashes, sort=None, legend=legend),
        tooltip=_tooltip(probability),
    )
    # Lines are thin to point at: the tooltip waits on invisible dots.
    dots = base.mark_point(size=160, opacity=0).encode(y=y_axis, tooltip=_tooltip(probability))
    layers = [band, line, dots, *_now(shown), *_wanted(wanted)]
    return alt.layer(*layers).properties(height=HEIGHT)


def _best_first(frame: pd.DataFrame) -> list[StrategyName]:
    """In the order in which the lines end, so that legend and lines read alike."""
    ends = frame.sort_values("cost").groupby("strategy", sort=False).tail(1)
    return [StrategyName(name) for name in ends.sort_values("expected_half_width")["strategy"]]


def _in_points(frame: pd.DataFrame) -> pd.DataFrame:
    points = 100 * frame["expected_half_width"]
    error = 100 * BAND_ERRORS * frame["mc_se"]
    words = frame["strategy"].map(lambda name: STRATEGY_WORDS[StrategyName(name)])
    return frame.assign(words=words, points=points, low=points - error, high=points + error)


def _now(shown: pd.DataFrame) -> list[Any]:
    """Where the study stands: no money spent yet."""
    here = shown[shown["cost"] == 0].head(1)
    if here.empty:
        return []
    base = alt.Chart(here.assign(text=f"now ±{here['points'].iloc[0]:.1f}")).encode(
        x="cost:Q", y="points:Q"
    )
    point = base.mark_point(filled=True, size=90, color=NOW_COLOUR, opacity=1)
    text = base.mark_text(align="left", dx=10, dy=-4, fontWeight="bold", color=NOW_COLOUR)
    return [point, text.encode(text="text:N")]


def _wanted(wanted: float | None) -> list[Any]:
    if wanted is None:
        return []
    row = pd.DataFrame({"points": [100 * wanted], "text": [f"wanted ±{100 * wanted:.1f}"]})
    base = alt.Chart(row).encode(y="points:Q")
    rule = base.mark_rule(color=WANTED_COLOUR, strokeDash=[4, 4], strokeWidth=1.5)
    text = base.mark_text(align="left", dx=6, dy=9, color=WANTED_COLOUR, fontWeight="bold")
    return [rule, text.encode(x=alt.value(0), text="text:N")]


def _tooltip(probability: float) -> list[Any]:
    return [
        alt.Tooltip("words:N", title="Strategy"),
        alt.Tooltip("cost:Q", title="Cost", format=".1f"),
        alt.Tooltip("points:Q", title=f"± points ({percent(probability)} interval)", format=".2f"),
        alt.Tooltip("low:Q", title="Simulation error from", format=".2f"),
        alt.Tooltip("high:Q", title="to", format=".2f"),
    ]
