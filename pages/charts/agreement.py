"""Charts of agreement: each pair of people, with the interval of the chosen measure."""

from typing import Any

import altair as alt
import pandas as pd

from pages.charts.colours import ACCENT
from pages.charts.posterior import percent

ROW_HEIGHT = 26


def pairs(frame: pd.DataFrame, title: str, probability: float) -> Any:
    """One row a pair: the measure, and its interval where there is one.

    Args:
        frame: pair, value, lower, upper, items.
        title: name of the measure.
        probability: of the interval.
    """
    lowest = min(0.0, float(frame[["value", "lower"]].min().min()))
    name = f"{title}, with its {percent(probability)} interval (1: always agree)"
    axis = alt.X("value:Q", title=name, scale=alt.Scale(domain=[lowest, 1.0]))
    base = alt.Chart(frame).encode(
        y=alt.Y("pair:N", title=None, sort="-x", axis=alt.Axis(labelLimit=260)),
        tooltip=[
            alt.Tooltip("pair:N", title="pair"),
            alt.Tooltip("value:Q", title=title, format=".3f"),
            alt.Tooltip("lower:Q", title="lower", format=".3f"),
            alt.Tooltip("upper:Q", title="upper", format=".3f"),
            alt.Tooltip("items:Q", title="questions in common"),
        ],
    )
    interval = base.mark_rule(color=ACCENT, strokeWidth=3, opacity=0.5).encode(
        x=alt.X("lower:Q", title=name), x2="upper:Q"
    )
    middle = base.mark_point(color=ACCENT, filled=True, size=90, opacity=1).encode(x=axis)
    height = ROW_HEIGHT * max(2, len(frame)) + 50
    return (interval + middle).properties(height=height)
