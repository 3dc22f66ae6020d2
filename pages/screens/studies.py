"""Studies: what there is, a new one, and the settings of the chosen one."""

from html import escape

import pandas as pd
import streamlit as st

from model.rat.policy import POLICY_PRESETS, Policy
from model.rat.priors import PRIOR_PRESETS, RatPriors
from pages import frame, rules
from pages.attempt import attempt
from pages.charts.colours import CELL_LOOKS
from pages.reading import text_html
from pages.resources import engine, now
from pages.session import Action, choose_study, leave_notice, require, take_notice
from pages.settings.checks import draw_checks
from pages.settings.collecting import draw_collecting, draw_versions
from workflow import studies
from workflow.errors import EXPECTED
from workflow.studies import Asks, Choices, Overview

ASKS_WORDS = {
    Asks.BOTH: "Retrieval, then task",
    Asks.RETRIEVAL: "Retrieval only",
    Asks.TASK: "Task only",
}
POLICY_WORDS = {
    "rat": "Answer when found, else stay silent",
    "correct_or_silent": "A right answer counts, however found",
    "truthfulness": "Right 1, silent ½, wrong 0",
    "cautious": "As the first; a refusal after good retrieval is worth ½",
}
PRIOR_WORDS = {
    "uniform": "Uniform, Beta(1, 1)",
    "jeffreys": "Jeffreys, Beta(½, ½)",
    "weak": "Weak, Beta(1.5, 1.5)",
}
CUSTOM = "custom"


def draw() -> None:
    """The screen."""
    person = require(Action.LEAD)
    study = frame.open_screen("Studies")
    frame.show_alert(take_notice(), "good")
    overviews = studies.list_overviews(engine())
    if overviews:
        _list(overviews)
    chosen = next((one for one in overviews if one.name == study), None)
    tabs = st.tabs(["Settings", "Collecting", "Checks", "Refusals", "Flags", "New study"])
    with tabs[0]:
        if chosen is not None:
            _settings(chosen, person)
    with tabs[1]:
        if chosen is not None:
            draw_collecting(chosen.name, person)
    with tabs[2]:
        if chosen is not None:
            draw_checks(chosen, person)
    with tabs[3]:
        if chosen is not None:
            rules.draw_rules(chosen.name, person)
    with tabs[4]:
        if chosen is not None:
            _flags(chosen.name)
    with tabs[5]:
        _new(person)


def _list(overviews: list[Overview]) -> None:
    rows = [
        {
            "Study": one.name,
            "Items": one.items,
            "Retrieval labels": one.labels.retrieval,
            "Task labels": one.labels.task,
            "Questions done": one.progress.done / one.progress.total if one.progress.total else 0,
            "Asks": ASKS_WORDS[one.choices.asks],
        }
        for one in overviews
    ]
    share = st.column_config.ProgressColumn(format="percent", min_value=0, max_value=1)
    st.dataframe(
        pd.DataFrame(rows),
        hide_index=True,
        width="stretch",
        column_config={"Questions done": share},
    )


def _flags(study: str) -> None:
    """What annotators wanted the lead to know."""
    found = studies.list_flags(engine(), study)
    if not found:
        frame.show_empty("No flags", "What annotators flag on the Label screen is listed here.")
        return
    st.html(
        "".join(
            '<div class="ratchet-passage"><div class="head">'
            f"<b>{escape(flag.item_id)}</b> · {escape(flag.person)} ·"
            f" {frame.day(flag.created_at)} {frame.clock(flag.created_at)}</div>"
            f"{text_html(flag.note)}{text_html(flag.query, css_class='ratchet-quiet')}</div>"
            for flag in found
        )
    )


def _settings(study: Overview, person: str) -> None:
    left, right = st.columns(2, gap="large")
    with left:
        wished = _for_annotators(study)
    with right:
        wished = wished._replace(
            policy=_policy(study), priors=_priors(study), interval=_interval(study)
        )
    st.button(
        "Save settings",
        type="primary",
        key=f"save-{study.name}",
        disabled=wished == study.choices,
        on_click=_save,
        args=(study.name, wished, person),
    )


def _for_annotators(study: Overview) -> Choices:
    """What is asked, and what is told and shown to those who answer."""
    name, current = study.name, study.choices
    asks = st.selectbox(
        "Annotators are asked",
        list(ASKS_WORDS),
        index=list(ASKS_WORDS).index(current.asks),
        format_func=ASKS_WORDS.__getitem__,
        key=f"asks-{name}",
    )
    description = st.text_input("Description", current.description, key=f"description-{name}")
    guidelines = st.text_area(
        "Guidelines for annotators (Markdown)",
        current.guidelines,
        height=220,
        key=f"guidelines-{name}",
    )
    draw_versions(name)
    in_row = st.toggle(
        "Ask the task of an answer right after its retrieval",
        current.asks_in_row,
        key=f"row-{name}",
        disabled=asks != Asks.BOTH,
    )
    shows = st.toggle(
        "Show the other columns of an item to annotators",
        current.shows_metadata,
        key=f"shows-{name}",
    )
    return current._replace(
        asks=asks,
        description=description,
        guidelines=guidelines,
        shows_metadata=shows,
        asks_in_row=in_row,
    )


def _interval(study: Overview) -> float:
    return st.select_slider(
        "Probability of the intervals",
        [0.8, 0.9, 0.95, 0.99],
        value=study.choices.interval,
        format_func=lambda value: f"{value:.0%}",
        key=f"interval-{study.name}",
    )


def _policy(study: Overview) -> Policy:
    current = study.choices.policy
    names = [*POLICY_PRESETS, CUSTOM]
    preset = next((name for name, one in POLICY_PRESETS.items() if one == current), CUSTOM)
    picked = st.selectbox(
        "What counts as adherence (policy)",
        names,
        index=names.index(preset),
        format_func=lambda name: POLICY_WORDS.get(name, "A table of your own"),
        key=f"policy-{study.name}",
    )
    if picked != CUSTOM:
        return POLICY_PRESETS[picked]
    columns = st.columns(2)
    values = [
        columns[number % 2].number_input(
            CELL_LOOKS[name].words,
            0.0,
            1.0,
            float(value),
            0.1,
            key=f"worth-{study.name}-{name}",
        )
        for number, (name, value) in enumerate(current._asdict().items())
    ]
    return Policy(*values)


def _priors(study: Overview) -> RatPriors:
    current = study.choices.priors
    preset = next((name for name, one in PRIOR_PRESETS.items() if one == current), CUSTOM)
    names = [*PRIOR_PRESETS, *([CUSTOM] if preset == CUSTOM else [])]
    picked = st.selectbox(
        "Prior of each rate",
        names,
        index=names.index(preset),
        format_func=lambda name: PRIOR_WORDS.get(name, "Set by file or script"),
        key=f"prior-{study.name}",
    )
    return current if picked == CUSTOM else PRIOR_PRESETS[picked]


def _save(name: str, wished: Choices, person: str) -> None:
    saved = "Settings saved. The posterior follows within a second."
    attempt(lambda: studies.change(engine(), name, wished, person, now()), saved)


def _new(person: str) -> None:
    with st.form("new-study", border=False):
        name = st.text_input("Name")
        made = st.form_submit_button("Make study", type="primary")
    if not made:
        return
    try:
        studies.create(engine(), name, Choices(), person, now())
    except EXPECTED as error:
        frame.show_alert(str(error), "error")
        return
    choose_study(" ".join(name.split()))
    leave_notice("Made. Import its items on the Data screen.")
    st.rerun()
