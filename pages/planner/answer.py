"""What a plan says: the answer in one sentence, the chart, the strategies, the prices."""

from html import escape
from typing import Any
from urllib.parse import quote

import pandas as pd
import streamlit as st

from model.allocation.strategies import StrategyName
from pages import frame
from pages.charts.budget import budget
from pages.charts.posterior import percent
from workflow.plan_jobs import PlanRun
from workflow.words import STRATEGY_WORDS

NEXT_ROWS = 8
STRATEGY_WIDTH, PACKAGE_WIDTH = 200, 230  # pixels; the longest names fit


def draw_answer(study: str, run: PlanRun) -> None:
    """All that is known so far of a plan that is made or was made."""
    found = run.document
    if not found or not found["strategies"]:
        return
    title = found["sentence"] if found["is_complete"] else f"So far: {found['sentence']}"
    if "against" in found:
        title = f"{found['system']} − {found['against']}. {title}"
    st.html(f'<div class="ratchet-answer ratchet-query" role="status">{escape(title)}</div>')
    for note in found["notes"]:
        frame.show_alert(note)
    left, right = st.columns([1, 1.15], gap="medium")
    with left:
        _chart(study, run, found)
    with right:
        _strategies(run, found)
        _worth(found)
    _next(found)


def labels_planned(found: dict[str, Any]) -> float | None:
    """How many labels the best strategy takes to its goal; None when it does not get there."""
    if found["half_width"] is None:
        best = next(row for row in found["strategies"] if row["name"] == found["best"])
        return float(sum(best["labels"].values()))
    until = next(row for row in found["labels_until"] if row["strategy"] == found["best"])
    return None if until["labels"] is None else float(until["labels"])


def _chart(study: str, run: PlanRun, found: dict[str, Any]) -> None:
    address = f"/chart-data/plan?study={quote(study, safe='')}&job={run.job_id}"
    _head("How far the money goes", address)
    chart = budget(pd.DataFrame(found["curve"]), found["interval"], found["half_width"])
    st.altair_chart(chart, width="stretch", key="plan-chart")
    st.caption(
        f"Lower is better: ± is half the {percent(found['interval'])} interval expected after the"
        f" labels. Each line is the mean of {found['replicates']} simulated continuations of this"
        " study; its band is two simulation errors wide on each side, so lines whose bands overlap"
        " are as good as equal."
    )


def _strategies(run: PlanRun, found: dict[str, Any]) -> None:
    is_precision = found["half_width"] is not None
    st.subheader("Ways to spend it", anchor=False)
    until = {row["strategy"]: row for row in found["labels_until"]}
    rows = [
        _strategy_row(row, until[row["name"]] if is_precision else None)
        for row in sorted(found["strategies"], key=lambda row: float(row["expected_half_width"]))
    ]
    st.dataframe(
        pd.DataFrame(rows),
        hide_index=True,
        width="stretch",
        height="content",
        column_config={"Strategy": st.column_config.TextColumn(width=STRATEGY_WIDTH)},
    )
    st.caption(
        "Truth inside: how often the interval held the true value in the simulation; about"
        f" {percent(found['interval'])} is right (coverage)."
        f" Made at {frame.clock(run.created_at)}; labels given since then are not in it."
    )


def _strategy_row(row: dict[str, Any], until: dict[str, Any] | None) -> dict[str, Any]:
    cells: dict[str, Any] = {"Strategy": STRATEGY_WORDS[StrategyName(row["name"])]}
    if until is not None:
        reaches = until["labels"] is not None
        cells["Labels to the goal"] = f"{until['labels']:.0f}" if reaches else "not reached"
        cells["Cost"] = f"{until['cost']:.0f}" if reaches else "–"
        cells["Ends at ±"] = f"{100 * row['expected_half_width']:.1f}"
    else:
        cells["± points"] = f"{100 * row['expected_half_width']:.1f}"
        cells["Retrieval"] = f"{row['labels']['retrieval']:.0f}"
        cells["Task"] = f"{row['labels']['task']:.0f}"
        cells["Cost"] = f"{row['cost']:.0f}"
    return cells | {"Truth inside": f"{100 * row['coverage']:.0f} %"}


def _next(found: dict[str, Any]) -> None:
    """The price list of one more label of each kind."""
    st.subheader("What the next label buys", anchor=False)
    variance = found["now"]["sd"] ** 2
    rows = [
        {
            **({"System": row["system"]} if "against" in found else {}),
            "Ask for": row["labels"],
            "of": row["state"],
            "Price": f"{row['cost']:.2f}",
            "Doubt removed": f"{row['expected_variance_drop'] / variance:.2%}",
            "per price": f"{row['per_cost'] / variance:.2%}",
            "Bits": f"{row['information_gain']:.3f}",
        }
        for row in found["next"][:NEXT_ROWS]
    ]
    st.dataframe(
        pd.DataFrame(rows),
        hide_index=True,
        width="stretch",
        height="content",
        column_config={"Ask for": st.column_config.TextColumn(width=PACKAGE_WIDTH)},
    )
    st.caption(
        "Best buy first. Doubt: the squared uncertainty of what you want to know (its variance)."
        " Price: what is expected to be paid, since a second label is asked only where it helps;"
        " per price: the doubt removed for each unit of it."
        " Bits: what the labels tell about the system in general (expected information gain)."
    )


def _worth(found: dict[str, Any]) -> None:
    """How often a label alone leaves no doubt how an item counts."""
    st.subheader("What does one label settle?", anchor=False)
    rows = [
        {
            "Item": "A refusal" if row["abstained"] else "An answer",
            "Label": row["labels"],
            "Leaves no doubt": f"{100 * row['share_settled']:.0f} %",
            "Bits": f"{row['bits']:.2f}",
        }
        for row in found["worth"]
    ]
    st.dataframe(pd.DataFrame(rows), hide_index=True, width="stretch", height="content")
    st.caption(
        f"In {frame.literal(found['system'])}, under the study's policy: how often these labels"
        " alone say how an item counts for what you want to know. One bit is what a fair coin"
        " tells when it lands."
    )


def _head(title: str, address: str) -> None:
    st.html(
        f'<div class="ratchet-head"><h3>{escape(title)}</h3>'
        f'<a href="{escape(address)}" download>Data as CSV</a></div>'
    )
