"""Questions on which people differ: read who said what, and decide."""

from html import escape

import streamlit as st

from pages import frame, reading
from pages.attempt import attempt
from pages.desk.words import ANSWERS, QUESTIONS, VALUE_WORDS
from pages.resources import engine, now
from workflow import adjudicating
from workflow.adjudicating import Case, Conflict, LabelType, Ruling

GUIDELINES = (
    "Those who agree most with others stand against the rest here: the guidelines may be unclear."
)


def draw_conflicts(study: str, person: str, problems: frozenset[tuple[LabelType, int]]) -> None:
    """The list, and the chosen question beside it."""
    found, waiting = adjudicating.list_conflicts(engine(), study)
    if not found:
        frame.show_empty("No conflicts", "Nobody contradicts anybody: nothing to decide.")
        return
    only = st.toggle(
        "Only likely guideline problems", key="conflicts-only", disabled=not problems, value=False
    )
    shown = [one for one in found if not only or _key(one) in problems]
    st.caption(f"{waiting} wait for a decision. A tie leaves the question open until then.")
    numbers = {f"{one.label_type}-{one.item_id}": one for one in shown}
    chosen = st.selectbox(
        "Question",
        list(numbers),
        format_func=lambda key: _title(numbers[key], problems),
        key="conflict",
    )
    if chosen is not None:
        _draw_case(study, person, adjudicating.read_case(engine(), numbers[chosen]), problems)


def _draw_case(
    study: str, person: str, case: Case, problems: frozenset[tuple[LabelType, int]]
) -> None:
    left, right = st.columns([1.35, 1], gap="medium")
    item = case.item
    with left:
        st.html(
            f'<div class="ratchet-query" dir="auto">{escape(item.query)}</div>'
            f"{reading.passages_html(item.passages, '')}"
        )
    with right:
        name, text = QUESTIONS[case.conflict.label_type]
        answer = reading.text_html(item.answer or "No answer text.", css_class="ratchet-answer")
        expected = reading.text_html(item.reference) if item.reference else ""
        st.html(
            f'<span class="ratchet-tag">{name}</span><div class="ratchet-query">{text}</div>'
            f"{answer}{expected}{''.join(_vote(vote) for vote in case.votes)}"
        )
        if _key(case.conflict) in problems:
            frame.show_alert(GUIDELINES)
        _buttons(study, person, case)


def _vote(vote: adjudicating.VoteOf) -> str:
    note = reading.text_html(vote.note, css_class="ratchet-quiet") if vote.note else ""
    return (
        f'<div class="ratchet-passage"><div class="head"><b>{escape(vote.person)}</b>'
        f"<span>{escape(VALUE_WORDS[vote.value])}</span></div>{note}</div>"
    )


def _buttons(study: str, person: str, case: Case) -> None:
    key = f"{case.conflict.label_type}-{case.conflict.item_id}"
    note = st.text_input("Why (kept with the decision)", key=f"why-{key}")
    with st.container(horizontal=True):
        for value in ANSWERS:
            is_it = case.decided == value
            st.button(
                f"{VALUE_WORDS[value]}{' · decided' if is_it else ''}",
                key=f"decide-{value}-{key}",
                type="primary" if is_it else "secondary",
                on_click=_rule,
                args=(study, Ruling(case.conflict, value, note), person),
            )
        if case.decided is not None:
            st.button(
                "Take back",
                key=f"undecide-{key}",
                on_click=_rule,
                args=(study, Ruling(case.conflict, None, note), person),
            )


def _rule(study: str, ruling: Ruling, person: str) -> None:
    attempt(lambda: adjudicating.rule(engine(), study, ruling, person, now()))


def _key(conflict: Conflict) -> tuple[LabelType, int]:
    is_retrieval = conflict.label_type == LabelType.RETRIEVAL
    return conflict.label_type, conflict.context_id if is_retrieval else conflict.item_id


def _title(conflict: Conflict, problems: frozenset[tuple[LabelType, int]]) -> str:
    decided = " · decided" if conflict.decided is not None else ""
    unclear = " · guidelines?" if _key(conflict) in problems else ""
    query = " ".join(conflict.query.split())[:60]
    return (
        f"{QUESTIONS[conflict.label_type][0]} · {conflict.yes} yes, {conflict.no} no,"
        f" {conflict.cannot_tell} can't tell{decided}{unclear} · {query}"
    )
