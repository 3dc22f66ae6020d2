"""What a press on the Label screen does: one workflow call, then a line if it went wrong."""

from collections.abc import Callable

import streamlit as st

from pages.desk.words import VALUE_WORDS
from pages.resources import engine, now
from pages.session import Mode, leave_notice, set_mode
from workflow import labelling
from workflow.errors import EXPECTED
from workflow.labelling import Annotator, Answered, Known, Value

NOT_CHOSEN = "Choose Yes, No or Can't tell, then save; your note is still here."
FLAGGED = "Flagged for the lead. The question is still yours to answer."
EMPTY_FLAG = "Nothing was flagged: write what the lead should know, then press Ctrl+Enter."


def submit(annotator: Annotator, answer: Answered) -> None:
    """Save an answer through the lease it was drawn for; say so when it came too late to count."""
    _attempt(lambda: _save(annotator, answer))


def submit_note(annotator: Annotator, lease_id: int) -> None:
    """Save the answer picked beside the note, with the note as typed last."""
    picked = st.session_state.get(f"pick-{lease_id}")
    if picked is None:
        leave_notice(NOT_CHOSEN)
        return
    submit(annotator, Answered(lease_id, picked, st.session_state.get(f"note-{lease_id}", "")))


def flag(annotator: Annotator, lease_id: int) -> None:
    """Leave the lead a note; the question stays."""
    note = str(st.session_state.get(f"flag-note-{lease_id}", "")).strip()
    if not note:
        leave_notice(EMPTY_FLAG)
    elif _attempt(lambda: labelling.flag(engine(), annotator, lease_id, note, now())):
        leave_notice(FLAGGED)


def undo(annotator: Annotator, event_id: int) -> None:
    """Take back the label that was on screen as the last one."""
    _attempt(lambda: labelling.undo(engine(), annotator, event_id, now()))


def reopen(annotator: Annotator, event_id: int) -> None:
    """Ask the question of an earlier label again."""
    _attempt(lambda: labelling.reopen(engine(), annotator, event_id, now()))


def override(annotator: Annotator, item_id: str, value: int) -> None:
    """Say that an answer is, or is not, a refusal."""
    _attempt(lambda: labelling.override_abstention(engine(), annotator, item_id, value, now()))


def _save(annotator: Annotator, answer: Answered) -> None:
    saved = labelling.submit(engine(), annotator, answer, now())
    if saved.is_extra:
        leave_notice(f"{saved.why_extra}.")
    if saved.known is not None:
        leave_notice(_tell_known(saved.known, saved.value))


def _tell_known(known: Known, given: Value) -> str:
    """Whether a practice answer was right, and why."""
    verdict = "Right" if given == known.value else "Not so"
    return (
        f"{verdict}: the answer is {VALUE_WORDS[known.value].lower()}. {known.explanation}".strip()
    )


def _attempt(deed: Callable[[], object]) -> bool:
    """Whether it worked; the panel closes then, and stays as it is with a notice otherwise."""
    try:
        deed()
    except EXPECTED as error:
        leave_notice(str(error))
        return False
    set_mode(Mode.ANSWER)
    return True
