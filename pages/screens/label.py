"""Label: one question about one answer, by mouse or by key.

Each button carries the lease of the question it was drawn for, in its key and in its arguments,
so a press that comes late or twice writes nothing. Everything below the frame is one fragment.
"""

from functools import partial
from html import escape

import streamlit as st

from pages import frame, reading
from pages.keys import KEYS, Deed
from pages.resources import engine, key_script, now
from pages.session import (
    Action,
    Mode,
    is_help_open,
    leave_notice,
    mode,
    require,
    set_mode,
    take_notice,
    toggle_help,
)
from workflow import labelling
from workflow.errors import EXPECTED
from workflow.labelling import Annotator, Answered, Desk, LabelType, Question, Value

QUESTIONS = {
    LabelType.RETRIEVAL: ("Retrieval", "Do the passages hold all that is needed to answer?"),
    LabelType.TASK: ("Task", "Is the answer correct?"),
}
ANSWERS = {Deed.YES: Value.YES, Deed.NO: Value.NO, Deed.CANT_TELL: Value.CANT_TELL}
VALUE_WORDS = {
    Value.YES: "Yes",
    Value.NO: "No",
    Value.CANT_TELL: "Can't tell",
    Value.SKIP: "Skipped",
}
SKIP_REASONS = ("Needs an expert", "Not my language", "Too long", "Broken item")
EMPTY_TEXTS = {
    "no_items": ("No items yet", "Import a file on the Data screen to start labelling."),
    "finished": ("All questions are answered", "See what they say on the Results screen."),
    "all_leased": ("Others hold the last questions", "The next one is free at {next_free}."),
    "skipped_the_rest": ("You skipped the rest", "What is open now waits for somebody else."),
    "answered_your_share": (
        "You answered your share",
        "What is open now wants the answers of other people.",
    ),
}


def draw() -> None:
    """The screen."""
    person = require(Action.LABEL)
    study = frame.open_screen("Label")
    st.html(key_script(), unsafe_allow_javascript=True)
    if study is not None:
        _desk(Annotator(study, person))


@st.fragment
def _desk(annotator: Annotator) -> None:
    try:
        desk = labelling.open_desk(engine(), annotator, now())
    except EXPECTED as error:
        st.error(str(error))
        return
    _bar(annotator, desk)
    if desk.question is None:
        _empty(annotator, desk)
        return
    left, right = st.columns([1.35, 1], gap="medium")
    with left:
        _passages(desk.question)
    with right:
        _answer(annotator, desk.question)
        with st.container(key="question"):
            _question(annotator, desk, desk.question)


def _bar(annotator: Annotator, desk: Desk) -> None:
    done, total = desk.progress
    share = 100 * done / total if total else 0
    saved = f"<b>Saved {frame.clock(desk.recent[0].saved_at)}</b>" if desk.recent else ""
    st.html(
        f'<div class="ratchet-bar"><span><b>{done}</b> of <b>{total}</b> questions</span>'
        f'<span class="track" role="progressbar" aria-valuenow="{done}" aria-valuemax="{total}">'
        f'<span style="width:{share:.2f}%"></span></span>'
        f'<span role="status">{saved}</span>'
        f'<span class="ratchet-quiet">labelling as {escape(annotator.person)}</span></div>'
    )
    notice = take_notice()
    if notice:
        st.warning(notice)


def _empty(annotator: Annotator, desk: Desk) -> None:
    assert desk.empty is not None
    title, text = EMPTY_TEXTS[desk.empty.reason]
    free = frame.clock(desk.empty.next_free) if desk.empty.next_free else ""
    frame.show_empty(title, text.format(next_free=free))
    with st.container(horizontal=True, horizontal_alignment="center"):
        _undo_button(annotator, desk)


def _passages(question: Question) -> None:
    item = question.item
    head, find = st.columns([2.2, 1], vertical_alignment="top")
    head.html(
        '<p class="ratchet-cap">Query</p>'
        f'<div class="ratchet-query" dir="auto">{escape(item.query)}</div>'
    )
    search = find.text_input(
        "Find in the passages",
        key=f"find-{item.item_id}",
        placeholder="Find in the passages",
        label_visibility="collapsed",
    )
    hits = reading.count_hits([passage.text for passage in item.passages], search)
    found = f" · {hits} found" if search.strip() else ""
    with st.container(key="passages"):
        if not item.passages:
            st.html('<p class="ratchet-quiet">This item came without retrieved passages.</p>')
            return
        st.html(
            f'<p class="ratchet-cap">Retrieved passages ({len(item.passages)}){found}</p>'
            + reading.passages_html(item.passages, search)
        )


def _answer(annotator: Annotator, question: Question) -> None:
    item = question.item
    with st.container(key="answer"):
        if item.answer:
            st.html(
                '<p class="ratchet-cap">Answer</p>'
                + reading.text_html(item.answer, css_class="ratchet-answer")
            )
        else:
            words = "The system answered nothing." if item.answer == "" else "No answer text."
            st.html(f'<p class="ratchet-cap">Answer</p><p class="ratchet-quiet">{words}</p>')
        if item.reference:
            st.html('<p class="ratchet-cap">Expected</p>' + reading.text_html(item.reference))
        for name, value in question.metadata:
            st.html(f'<p class="ratchet-cap">{escape(name)}</p>' + reading.text_html(value))
    _refusal(annotator, question)


def _refusal(annotator: Annotator, question: Question) -> None:
    item = question.item
    if item.answer is None:
        return
    is_refusal = item.abstained == 1
    words = "Counts as a refusal to answer." if is_refusal else "Counts as an answer."
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.html(f'<span class="ratchet-quiet">{words}</span>', width="content")
        st.button(
            "It is an answer" if is_refusal else "It is a refusal",
            key=f"refusal-{question.lease_id}",
            type="tertiary",
            on_click=_override,
            args=(annotator, item.item_id, 0 if is_refusal else 1),
        )


def _question(annotator: Annotator, desk: Desk, question: Question) -> None:
    name, text = QUESTIONS[question.label_type]
    again = ""
    if question.previous is not None:
        again = f' <span class="ratchet-quiet">you said: {VALUE_WORDS[question.previous]}</span>'
    st.html(f'<span class="ratchet-tag">{name}</span>{again}')
    st.html(f'<div class="ratchet-query" data-lease="{question.lease_id}">{text}</div>')
    if mode() == Mode.LAST:
        _last_panel(annotator, desk, question)
    else:
        PANELS[mode()](annotator, question)
    if mode() == Mode.ANSWER:
        _side_buttons(annotator, desk, question)
    if is_help_open():
        _help()
    if question.guidelines:
        with st.expander("Guidelines"):
            st.markdown(question.guidelines)


def _answer_panel(annotator: Annotator, question: Question) -> None:
    columns = st.columns(len(ANSWERS))
    for column, (deed, value) in zip(columns, ANSWERS.items(), strict=True):
        press = partial(_submit, annotator, Answered(question.lease_id, value))
        entry = KEYS[deed]
        with column:
            st.button(
                entry.meaning,
                key=f"{deed}-{question.lease_id}",
                shortcut=entry.main,
                on_click=press,
                width="stretch",
                type="secondary" if deed == Deed.CANT_TELL else "primary",
            )
            st.button(
                entry.meaning,
                key=f"twin-{deed}-{question.lease_id}",
                shortcut=entry.twin,
                on_click=press,
            )


def _side_buttons(annotator: Annotator, desk: Desk, question: Question) -> None:
    with st.container(horizontal=True, gap="small"):
        _undo_button(annotator, desk)
        for deed, label, target in (
            (Deed.SKIP, "Skip", Mode.SKIP),
            (Deed.NOTE, "Note", Mode.NOTE),
            (Deed.FLAG, "Flag", Mode.FLAG),
            (Deed.LAST, "Last answers", Mode.LAST),
        ):
            st.button(
                label,
                key=f"{deed}-{question.lease_id}",
                shortcut=KEYS[deed].main,
                on_click=set_mode,
                args=(target,),
            )
        st.button("Keys", key="help", shortcut=KEYS[Deed.HELP].main, on_click=toggle_help)


def _undo_button(annotator: Annotator, desk: Desk) -> None:
    last = desk.recent[0] if desk.recent else None
    st.button(
        "Undo",
        key=f"undo-{last.event_id if last else 0}",
        shortcut=KEYS[Deed.UNDO].main,
        on_click=_undo,
        args=(annotator, last.event_id if last else 0),
        disabled=last is None,
    )


def _skip_panel(annotator: Annotator, question: Question) -> None:
    st.html('<p class="ratchet-cap">Why skip? It will not come back to you.</p>')
    for number, reason in enumerate(SKIP_REASONS, start=1):
        answer = Answered(question.lease_id, Value.SKIP, reason)
        st.button(
            reason,
            key=f"skip-{number}-{question.lease_id}",
            shortcut=str(number),
            on_click=_submit,
            args=(annotator, answer),
            width="stretch",
        )
    _cancel_button(question)


def _note_panel(annotator: Annotator, question: Question) -> None:
    note = st.text_area("Note", key=f"note-{question.lease_id}", height=90)
    picked = st.segmented_control(
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
            on_click=_submit_note,
            args=(annotator, question.lease_id),
            type="primary",
            disabled=picked is None and not note,
        )
        _cancel_button(question)


def _flag_panel(annotator: Annotator, question: Question) -> None:
    st.text_area("What should the lead know?", key=f"flag-note-{question.lease_id}", height=90)
    with st.container(horizontal=True):
        st.button(
            "Flag",
            key=f"flag-save-{question.lease_id}",
            shortcut=KEYS[Deed.SAVE].main,
            on_click=_flag,
            args=(annotator, question.lease_id),
            type="primary",
        )
        _cancel_button(question)


def _last_panel(annotator: Annotator, desk: Desk, question: Question) -> None:
    if not desk.recent:
        st.html('<p class="ratchet-quiet">You have not answered anything yet.</p>')
    for label in desk.recent:
        words = f"{label.item_id} · {QUESTIONS[label.label_type][0]}: {VALUE_WORDS[label.value]}"
        st.button(
            f"Change {frame.literal(words)}",
            key=f"change-{label.event_id}",
            on_click=_reopen,
            args=(annotator, label.event_id),
            width="stretch",
        )
    _cancel_button(question)


PANELS = {
    Mode.ANSWER: _answer_panel,
    Mode.SKIP: _skip_panel,
    Mode.NOTE: _note_panel,
    Mode.FLAG: _flag_panel,
}


def _cancel_button(question: Question) -> None:
    st.button(
        "Back",
        key=f"cancel-{question.lease_id}",
        shortcut=KEYS[Deed.CANCEL].main,
        on_click=set_mode,
        args=(Mode.ANSWER,),
    )


def _help() -> None:
    rows = "".join(
        f"<kbd>{escape(entry.main)}</kbd><span>{escape(entry.meaning)}"
        + (f" (also <kbd>{escape(entry.twin)}</kbd>)" if entry.twin else "")
        + "</span>"
        for entry in KEYS.values()
    )
    st.html(f'<div class="ratchet-keys">{rows}</div>')


def _submit(annotator: Annotator, answer: Answered) -> None:
    try:
        labelling.submit(engine(), annotator, answer, now())
        set_mode(Mode.ANSWER)
    except EXPECTED as error:
        leave_notice(str(error))


def _submit_note(annotator: Annotator, lease_id: int) -> None:
    picked = st.session_state.get(f"pick-{lease_id}")
    note = st.session_state.get(f"note-{lease_id}", "")
    if picked is None:
        leave_notice("Choose Yes, No or Can't tell, then save; your note is still here.")
        return
    _submit(annotator, Answered(lease_id, picked, note))


def _flag(annotator: Annotator, lease_id: int) -> None:
    note = str(st.session_state.get(f"flag-note-{lease_id}", "")).strip()
    try:
        labelling.flag(engine(), annotator, lease_id, note, now())
        set_mode(Mode.ANSWER)
        leave_notice("Flagged for the lead. The question is still yours to answer.")
    except EXPECTED as error:
        leave_notice(str(error))


def _undo(annotator: Annotator, event_id: int) -> None:
    try:
        labelling.undo(engine(), annotator, event_id, now())
    except EXPECTED as error:
        leave_notice(str(error))


def _reopen(annotator: Annotator, event_id: int) -> None:
    try:
        labelling.reopen(engine(), annotator, event_id, now())
        set_mode(Mode.ANSWER)
    except EXPECTED as error:
        leave_notice(str(error))


def _override(annotator: Annotator, item_id: str, value: int) -> None:
    try:
        labelling.override_abstention(engine(), annotator, item_id, value, now())
    except EXPECTED as error:
        leave_notice(str(error))
