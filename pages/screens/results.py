"""Results: how sure are we of each system, where adherence is lost, what the next labels buy.

Live: one fragment reads the pulse of the study every second and draws the line of counts alone;
the charts are another, which is drawn again only when the pulse names a newer posterior.
"""

from html import escape
from typing import Any

import pandas as pd
import streamlit as st

from model.rat.derived import Quantity
from pages import frame
from pages.charts import posterior as charts
from pages.charts.colours import QUANTITY_WORDS
from pages.http.chart_data import chart_address
from pages.resources import engine, now
from pages.session import Action, require
from workflow import results
from workflow.errors import EXPECTED
from workflow.results import Diagnosis, Engine, Freshness, LabelCounts, Pulse, Results

POLL_SECONDS = 1.0
POPULATIONS = {"future": "Future queries", "here": "This test set"}
POPULATION_HELP = (
    "Future queries: the rates themselves. This test set: labelled items are known, the rest are"
    " predicted, so the interval closes when every item is settled."
)
ENGINE_WORDS = {
    Engine.NUTS: "NUTS sampler",
    Engine.EXACT: "Exact engine (NUTS is being prepared)",
}


def draw() -> None:
    """The screen."""
    require(Action.LEAD)
    study = frame.open_screen("Results")
    pulse = None if study is None else _pulse(study)
    if study is None or pulse is None:
        return
    _watch(study, pulse.refresh_id)
    _posterior(study)


def _pulse(study: str) -> Pulse | None:
    try:
        return results.read_pulse(engine(), study, now())
    except EXPECTED as error:
        frame.show_alert(str(error), "error")
        return None


@st.fragment(run_every=POLL_SECONDS)
def _watch(study: str, drawn: int | None) -> None:
    """The counts; a posterior newer than the one drawn has the whole screen drawn once."""
    pulse = _pulse(study)
    if pulse is None:
        return
    if pulse.refresh_id != drawn:
        st.rerun()
    if pulse.freshness is not None:
        _bar(pulse.labels, pulse.freshness)


@st.fragment
def _posterior(study: str) -> None:
    found = results.read_results(engine(), study)
    if found is None:
        frame.show_empty(
            "The first posterior is on its way",
            "It appears within a second of an import on the Data screen; leave this page open.",
        )
        return
    if found.estimates.empty:
        frame.show_empty(
            "No items yet", "Import a file on the Data screen; results follow at once."
        )
        return
    quantity, population = _controls()
    chosen = found.estimates[
        (found.estimates["quantity"] == quantity) & (found.estimates["population"] == population)
    ]
    left, right = st.columns(2, gap="large")
    with left:
        _intervals(study, found, chosen, quantity)
        _widths(study, found, quantity)
    with right:
        _outcomes(study, found, quantity)
        _prior(study, found, quantity)
    _table(found, population)
    _diagnostics(found)


def _bar(counts: LabelCounts, fresh: Freshness) -> None:
    behind = f"{fresh.behind} labels behind" if fresh.behind else "up to date"
    worker = "" if fresh.worker else " · the worker is not running, numbers may be stale"
    st.html(
        f'<div class="ratchet-bar"><span><b>{counts.retrieval}</b> retrieval and'
        f" <b>{counts.task}</b> task labels</span><span>{behind}</span>"
        f'<span class="ratchet-quiet">{ENGINE_WORDS[fresh.engine]} ·'
        f" {frame.clock(fresh.made_at)}{worker}</span></div>"
    )


def _controls() -> tuple[Quantity, str]:
    left, right = st.columns([2, 1], vertical_alignment="bottom")
    quantity = left.selectbox(
        "How sure are we of",
        list(QUANTITY_WORDS),
        format_func=QUANTITY_WORDS.__getitem__,
        key="results-quantity",
    )
    population = right.segmented_control(
        "Population",
        list(POPULATIONS),
        format_func=POPULATIONS.__getitem__,
        default="future",
        required=True,
        key="results-population",
        help=POPULATION_HELP,
    )
    return quantity, population or "future"


def _intervals(study: str, found: Results, chosen: pd.DataFrame, quantity: Quantity) -> None:
    words = QUANTITY_WORDS[quantity]
    _head(words, chart_address("intervals", study, quantity))
    failed = {diagnosis.system for diagnosis in found.diagnoses if not diagnosis.is_ok}
    shown = chosen[~chosen["system"].isin(failed) & chosen["mean"].notna()]
    if not shown.empty:
        chart = charts.intervals(shown, words, found.settings.interval)
        _chart(chart, f"intervals-{quantity}")
    no_data = chosen.loc[chosen["prior_only"], "system"].tolist()
    if no_data:
        st.caption(frame.literal(f"No data yet, only the prior speaks: {', '.join(no_data)}."))
    for diagnosis in found.diagnoses:
        if not diagnosis.is_ok:
            frame.show_alert(f"{diagnosis.system}: the fit failed its checks: {diagnosis.reason}")


def _outcomes(study: str, found: Results, quantity: Quantity) -> None:
    _head("Where adherence is won and lost", chart_address("outcomes", study, quantity))
    _chart(charts.outcomes(found.cells), "outcomes")


def _widths(study: str, found: Results, quantity: Quantity) -> None:
    _head("Width against labels", chart_address("widths", study, quantity))
    history = results.read_history(engine(), study, quantity)
    if history["labels"].nunique() < 2:
        st.caption("The line starts with the second label count.")
        return
    _chart(charts.widths(history, QUANTITY_WORDS[quantity]), f"widths-{quantity}")


def _prior(study: str, found: Results, quantity: Quantity) -> None:
    _head("How much is the prior's", chart_address("priors", study, quantity))
    _chart(charts.prior_influence(found.priors, found.settings.interval), "priors")


def _table(found: Results, population: str) -> None:
    st.subheader(f"All quantities · {POPULATIONS[population].lower()}", anchor=False)
    shown = found.estimates[found.estimates["population"] == population].copy()
    shown["cell"] = [_cell(row) for row in shown.itertuples()]
    shown["Quantity"] = shown["quantity"].map(lambda name: QUANTITY_WORDS[Quantity(name)])
    order = [QUANTITY_WORDS[quantity] for quantity in QUANTITY_WORDS]
    table = shown.pivot(index="Quantity", columns="system", values="cell").loc[order]
    st.dataframe(table, width="stretch", height="content")
    st.caption(
        f"Mean and {charts.percent(found.settings.interval)} interval."
        " ○ marks what only the prior speaks for."
    )


def _cell(row: Any) -> str:
    if pd.isna(row.mean):
        return "undefined"
    mark = " ○" if row.prior_only else ""
    return f"{100 * row.mean:.1f} % [{100 * row.lower:.1f}, {100 * row.upper:.1f}]{mark}"


def _diagnostics(found: Results) -> None:
    with st.expander("Diagnostics"):
        rows = [_diagnosis_row(diagnosis) for diagnosis in found.diagnoses]
        st.dataframe(pd.DataFrame(rows), hide_index=True, width="stretch")
        st.caption(
            "R-hat below 1.01 and no divergences are expected of NUTS; the exact engine draws"
            " independently, so it has neither."
        )


def _diagnosis_row(diagnosis: Diagnosis) -> dict[str, Any]:
    rhat = "–" if diagnosis.rhat_max is None else f"{diagnosis.rhat_max:.3f}"
    size = "–" if diagnosis.ess_min is None else f"{diagnosis.ess_min:.0f}"
    return {
        "System": diagnosis.system,
        "R-hat (max)": rhat,
        "Effective sample size (min)": size,
        "Divergences": diagnosis.divergences,
        "Verdict": "good" if diagnosis.is_ok else f"failed: {diagnosis.reason}",
    }


def _head(title: str, address: str) -> None:
    """A chart's title and where its numbers are; its picture is in the chart's own toolbar."""
    st.html(
        f'<div class="ratchet-head"><h3>{escape(title)}</h3>'
        f'<a href="{escape(address)}" download>Data as CSV</a></div>'
    )


def _chart(chart: Any, key: str) -> None:
    st.altair_chart(chart, width="stretch", key=key)
