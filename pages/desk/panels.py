"""What an annotator presses: the answers, and the panels for a skip, a note, a flag, a change.

Each button carries the lease of the question it was drawn for, in its key and in its arguments,
so a press that comes late or twice writes nothing.
"""

from html import escape

import streamlit as st

from pages import frame
from pages.desk import deeds
from pages.desk.words import QUESTIONS, VALUE_WORDS
from pages.keys import KEYS, Deed
from pages.session import Mode, set_mode, toggle_help
from workflow.labelling import Annotator, Answered, Desk, Question, Value

ANSWERS = {Deed.YES: Value.YES, Deed.NO: Value.NO, Deed.CANT_TELL: Value.CANT_TELL}
SKIP_REASONS = ("Needs an expert", "Not my language", "Too long", "Broken item")
SIDE_BUTTONS = (
    (Deed.SKIP, "Skip", Mode.SKIP),
    (Deed.NOTE, "Note", Mode.NOTE),
    (Deed.FLAG, "Flag", Mode.FLAG),
    (Deed.LAST, "Last answers", Mode.LAST),
)


def draw_answers(annotator: Annotator, desk: Desk, question: Question) -> None:
    """Yes, no, can't tell; below them all that is not an answer."""
    with st.container(key="answers", horizontal=True, gap="small"):
        for deed, value in ANSWERS.items():
            st.button(
                KEYS[deed].meaning,
                key=f"{deed}-{question.lease_id}",
                shortcut=KEYS[deed].main,
                on_click=deeds.submit,
                args=(annotator, Answered(question.lease_id, value)),
                width="stretch",
                type="secondary" if deed == Deed.CANT_TELL else "primary",
            )
    with st.container(key="side-buttons", horizontal=True, gap="small"):
        draw_undo(annotator, desk)
        for deed, label, mode in SIDE_BUTTONS:
            shortcut = KEYS[deed].main
            st.button(label, key=f"open-{deed}", shortcut=shortcut, on_click=set_mode, args=(mode,))
        st.button("Keys", key="open-help", shortcut=KEYS[Deed.HELP].main, on_click=toggle_help)


def draw_undo(annotator: Annotator, desk: Desk) -> None:
    """Takes back the last label; it names that label, so that pressing twice takes back one."""
    event_id = desk.recent[0].event_id if desk.recent else 0
    st.button(
        "Undo",
        key=f"undo-{event_id}",
        shortcut=KEYS[Deed.UNDO].main,
        on_click=deeds.undo,
        args=(annotator, event_id),
        disabled=not desk.recent,
    )


def draw_skip(annotator: Annotator, _desk: Desk, question: Question) -> None:
    """Why somebody else should answer."""
    st.html('<p class="ratchet-cap">Why skip? It will not come back to you.</p>')
    with st.container(key="reasons", horizontal=True, gap="small"):
        for number, reason in enumerate(SKIP_REASONS, start=1):
            st.button(
                reason,
                key=f"skip-{number}-{question.lease_id}",
                shortcut=str(number),
                on_click=deeds.submit,
                args=(annotator, Answered(question.lease_id, Value.SKIP, reason)),
            )
    _draw_back()


def draw_note(annotator: Annotator, _desk: Desk, question: Question) -> None:
    """An answer with words to it."""
    st.text_area("Note", key=f"note-{question.lease_id}", height=80)
    st.segmented_control(
        "Your answer",
        list(ANSWERS.values()),
        format_func=VALUE_WORDS.__getitem__,
        key=f"pick-{question.lease_id}",
    )
    with st.container(horizontal=True):
        st.button(
            "Save with note",
            key=f"save-{question.lease_id}",
            shortcut=KEYS[Deed.SAVE].main,
            on_click=deeds.submit_note,
            args=(annotator, question.lease_id),
            type="primary",
        )
        _draw_back()


def draw_flag(annotator: Annotator, _desk: Desk, question: Question) -> None:
    """A note for the lead; it answers nothing."""
    st.text_area("What should the lead know?", key=f"flag-note-{question.lease_id}", height=80)
    with st.container(horizontal=True):
        st.button(
            "Flag for the lead",
            key=f"flag-save-{question.lease_id}",
            shortcut=KEYS[Deed.SAVE].main,
            on_click=deeds.flag,
            args=(annotator, question.lease_id),
            type="primary",
        )
        _draw_back()


def draw_last(annotator: Annotator, desk: Desk, _question: Question) -> None:
    """The last answers; pressing one asks its question again."""
    if not desk.recent:
        st.html('<p class="ratchet-quiet">You have not answered anything yet.</p>')
    for number, label in enumerate(desk.recent, start=1):
        words = f"{QUESTIONS[label.label_type][0]}: {VALUE_WORDS[label.value]} · {label.item_id}"
        st.button(
            f"Change {frame.literal(words)}",
            key=f"change-{label.event_id}",
            shortcut=str(number),
            on_click=deeds.reopen,
            args=(annotator, label.event_id),
            width="stretch",
        )
    _draw_back()


PANELS = {
    Mode.ANSWER: draw_answers,
    Mode.SKIP: draw_skip,
    Mode.NOTE: draw_note,
    Mode.FLAG: draw_flag,
    Mode.LAST: draw_last,
}


def draw_help() -> None:
    """The sheet of keys."""
    rows = "".join(
        f"<kbd>{escape(entry.main)}</kbd><span>{escape(entry.meaning)}"
        + (f" (also <kbd>{escape(entry.twin)}</kbd>)" if entry.twin else "")
        + "</span>"
        for entry in KEYS.values()
    )
    st.html(f'<div class="ratchet-keys ratchet-help">{rows}</div>')


def _draw_back() -> None:
    st.button(
        "Back",
        key="back",
        shortcut=KEYS[Deed.CANCEL].main,
        on_click=set_mode,
        args=(Mode.ANSWER,),
    )
