"""Charts of posteriors: intervals by system, where adherence is lost, width against labels."""

from typing import Any

import altair as alt
import pandas as pd

from pages.charts.colours import ACCENT, CELL_LOOKS

ROW_HEIGHT = 40
WIDTHS_HEIGHT = 220
AXIS_HEIGHT = 62  # axis, its labels and its title lie inside the height of a chart
LEGEND_ROW_HEIGHT = 22
PERCENT = alt.Axis(format=".0%")


def intervals(frame: pd.DataFrame, title: str, probability: float) -> Any:
    """One row a system: the mean, the inner 50 % and the outer interval.

    Args:
        frame: system, mean, lower, upper, inner_lower, inner_upper, share (bool).
        title: of the horizontal axis.
        probability: of the outer interval.
    """
    lowest = min(0.0, float(frame["lower"].min()))
    scale = alt.Scale(domain=[lowest, 1.0])
    base = alt.Chart(frame).encode(y=alt.Y("system:N", title=None, axis=alt.Axis(labelLimit=260)))
    name = f"{title} · {percent(probability)} and 50 % interval"
    outer = base.mark_bar(height=6, opacity=0.45, color=ACCENT, cornerRadius=3).encode(
        x=alt.X("lower:Q", title=name, scale=scale, axis=PERCENT),
        x2="upper:Q",
        tooltip=_tooltip(probability),
    )
    inner = base.mark_bar(height=14, opacity=0.9, color=ACCENT, cornerRadius=3).encode(
        x="inner_lower:Q", x2="inner_upper:Q", tooltip=_tooltip(probability)
    )
    middle = base.mark_tick(thickness=3, size=22, color="#ffffff").encode(x="mean:Q")
    words = base.mark_text(align="left", dx=10, fontWeight="bold", color=ACCENT).encode(
        x="upper:Q", text=alt.Text("mean:Q", format=".1%")
    )
    return (outer + inner + middle + words).properties(height=_height(frame["system"].nunique()))


def outcomes(frame: pd.DataFrame) -> Any:
    """One bar a system, split into the six outcomes in the order of CELL_LOOKS.

    Args:
        frame: system, cell, mean, lower, upper, value.
    """
    order = list(CELL_LOOKS)
    shown = frame.assign(
        outcome=frame["cell"].map({name: look.words for name, look in CELL_LOOKS.items()}),
        place=frame["cell"].map(order.index),
    )
    colours = alt.Scale(
        domain=[look.words for look in CELL_LOOKS.values()],
        range=[look.colour for look in CELL_LOOKS.values()],
    )
    base = alt.Chart(shown).encode(
        y=alt.Y("system:N", title=None, axis=alt.Axis(labelLimit=260)),
        x=alt.X(
            "mean:Q",
            stack="zero",
            title="Share of queries",
            axis=PERCENT,
            # Rounding can push the sum a hair above 1, and the axis to 110 %.
            scale=alt.Scale(domain=[0, 1], clamp=True),
        ),
        order=alt.Order("place:Q"),
    )
    bars = base.mark_bar(height=26).encode(
        color=alt.Color(
            "outcome:N",
            scale=colours,
            sort=None,
            legend=alt.Legend(title=None, orient="bottom", columns=2, labelLimit=260),
        ),
        tooltip=[
            alt.Tooltip("system:N", title="System"),
            alt.Tooltip("outcome:N", title="Outcome"),
            alt.Tooltip("mean:Q", title="Share", format=".1%"),
            alt.Tooltip("lower:Q", title="Lower", format=".1%"),
            alt.Tooltip("upper:Q", title="Upper", format=".1%"),
            alt.Tooltip("value:Q", title="Worth under the policy"),
        ],
    )
    legend_height = LEGEND_ROW_HEIGHT * (len(order) // 2 + 1)
    return bars.properties(height=_height(frame["system"].nunique()) + legend_height)


def widths(frame: pd.DataFrame, title: str) -> Any:
    """How the interval shrank as labels came in: one line a system.

    Args:
        frame: system, labels, half_width.
        title: of the quantity.
    """
    legend_height = LEGEND_ROW_HEIGHT * (2 + frame["system"].nunique() // 3)
    return (
        alt.Chart(frame)
        .mark_line(point=alt.OverlayMarkDef(size=18), interpolate="step-after")
        .encode(
            x=alt.X("labels:Q", title="Labels in the study", axis=alt.Axis(tickMinStep=1)),
            y=alt.Y(
                "half_width:Q",
                title="± half the interval",
                axis=alt.Axis(format=".0%", tickCount=5),
                scale=alt.Scale(zero=True),
            ),
            color=alt.Color("system:N", legend=alt.Legend(title=None, orient="bottom", columns=3)),
            tooltip=[
                alt.Tooltip("system:N", title="System"),
                alt.Tooltip("labels:Q", title="Labels"),
                alt.Tooltip("half_width:Q", title=f"± of {title.lower()}", format=".1%"),
            ],
        )
        .properties(height=WIDTHS_HEIGHT + AXIS_HEIGHT + legend_height)
    )


def prior_influence(frame: pd.DataFrame, probability: float) -> Any:
    """Adherence of each system under each prior, one row a system and prior.

    Args:
        frame: system, prior, mean, lower, upper.
        probability: of the interval.
    """
    base = alt.Chart(frame).encode(
        y=alt.Y("system:N", title=None, axis=alt.Axis(labelLimit=260)),
        yOffset=alt.YOffset("prior:N", sort=None),
        color=alt.Color(
            "prior:N", sort=None, legend=alt.Legend(title="Prior", orient="bottom", columns=2)
        ),
        tooltip=[alt.Tooltip("prior:N", title="Prior"), *_tooltip(probability)],
    )
    title = f"Policy adherence · {percent(probability)} interval"
    scale = alt.Scale(domain=[0, 1])
    rule = base.mark_rule(strokeWidth=4, opacity=0.6).encode(
        x=alt.X("lower:Q", title=title, scale=scale, axis=PERCENT), x2="upper:Q"
    )
    point = base.mark_point(filled=True, size=70, opacity=1).encode(x="mean:Q")
    rows = frame["system"].nunique()
    return (rule + point).properties(height=64 * rows + AXIS_HEIGHT + 3 * LEGEND_ROW_HEIGHT)


def percent(probability: float) -> str:
    """A probability in words: 95 %."""
    return f"{100 * probability:g} %"


def _tooltip(probability: float) -> list[Any]:
    return [
        alt.Tooltip("system:N", title="System"),
        alt.Tooltip("mean:Q", title="Mean", format=".1%"),
        alt.Tooltip("lower:Q", title=f"{percent(probability)} from", format=".1%"),
        alt.Tooltip("upper:Q", title="to", format=".1%"),
    ]


def _height(rows: int) -> int:
    return ROW_HEIGHT * rows + AXIS_HEIGHT
