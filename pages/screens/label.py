"""Label: one question about one answer, by mouse or by key.

Everything below the title row is one fragment of few elements: that is what a press costs. The
desk shown last is kept, so that a database that does not answer takes nothing off the screen.
"""

from html import escape

import streamlit as st

from pages import frame
from pages.desk import item, panels
from pages.desk.empty import draw_empty
from pages.desk.words import QUESTIONS, VALUE_WORDS
from pages.resources import engine, key_script, now
from pages.session import (
    Action,
    is_help_open,
    is_signed_in,
    last_desk,
    mode,
    remember_desk,
    require,
    take_notice,
)
from workflow import labelling, studies
from workflow.errors import EXPECTED
from workflow.labelling import Annotator, Desk, Question, Recent


def draw() -> None:
    """The screen."""
    person = require(Action.LABEL)
    study = frame.open_screen("Label", _guidelines)
    st.html(key_script(), unsafe_allow_javascript=True)
    if study is not None:
        _desk(Annotator(study, person))


def _guidelines(study: str) -> None:
    text = studies.read_guidelines(engine(), study)
    if text:
        with st.popover("Guidelines", width="stretch"):
            st.markdown(text)


@st.fragment
def _desk(annotator: Annotator) -> None:
    desk, problem = _open(annotator)
    notice = take_notice() or problem
    if desk is None:
        frame.show_alert(notice)
        return
    search = _bar(annotator, desk)
    frame.show_alert(notice)
    if desk.question is None:
        draw_empty(annotator, desk)
        return
    left, right = st.columns([1.35, 1], gap="medium")
    with left:
        item.draw_passages(desk.question, search)
    with right, st.container(key="side", gap="small"):
        _question(annotator, desk, desk.question)
        item.draw_answer(desk.question)
        item.draw_refusal(annotator, desk.question)


def _open(annotator: Annotator) -> tuple[Desk | None, str]:
    """The desk as it is now, or as it was last with the reason why."""
    try:
        desk = labelling.open_desk(engine(), annotator, now())
    except EXPECTED as error:
        return last_desk(annotator), str(error)
    remember_desk(annotator, desk)
    return desk, ""


def _bar(annotator: Annotator, desk: Desk) -> str:
    """How far it is and what was saved; returns what is searched for in the passages."""
    done, total = desk.progress
    share = 100 * done / total if total else 0
    saved = f"<b>{_saved(desk.recent[0])}</b>" if desk.recent else ""
    bar, find = st.columns([3, 1], vertical_alignment="center", gap="medium")
    bar.html(
        f'<div class="ratchet-bar"><span><b>{done}</b> of <b>{total}</b> questions</span>'
        f'<span class="track" role="progressbar" aria-label="Questions answered"'
        f' aria-valuenow="{done}" aria-valuemax="{total}">'
        f'<span style="width:{share:.2f}%"></span></span>'
        f'<span role="status">{saved}</span>'
        f'<span class="ratchet-quiet">labelling as {escape(annotator.person)}{_way_out()}</span>'
        "</div>"
    )
    if desk.question is None:
        return ""
    return find.text_input(
        "Find in the passages",
        key=f"find-{desk.question.item.item_id}",
        placeholder="Find in the passages",
        label_visibility="collapsed",
    )


def _way_out() -> str:
    """A link to sign out, where somebody signed in."""
    return ' · <a href="/sign-out" target="_self">sign out</a>' if is_signed_in() else ""


def _saved(last: Recent) -> str:
    done = "Kept as an extra vote" if last.is_extra else "Saved"
    return f"{done} {frame.clock(last.saved_at)}"


def _question(annotator: Annotator, desk: Desk, question: Question) -> None:
    name, text = QUESTIONS[question.label_type]
    again = ""
    if question.previous is not None:
        again = f"you said: {VALUE_WORDS[question.previous]}"
    if question.practice is not None:
        number, total = question.practice
        again = f"practice {number} of {total}: it counts nowhere, and you are told the answer"
    with st.container(key="question", gap="small"):
        # The stamp differs from drawing to drawing: keys.js lets one answer through for each.
        st.html(
            f'<div data-lease="{question.lease_id}" data-drawn="{now().timestamp()}">'
            f'<span class="ratchet-tag">{name}</span> <span class="ratchet-quiet">{again}</span>'
            f'<div class="ratchet-query">{text}</div></div>'
        )
        panels.PANELS[mode()](annotator, desk, question)
        if is_help_open():
            panels.draw_help()
