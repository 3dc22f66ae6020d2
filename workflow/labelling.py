"""Labelling: the next question, an answer, a skip, an undo; one transaction each.

An answer is accepted only through the open lease of the question that was on screen, once; a
second submit of the same lease hears what the first one saved.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import Engine
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

from db import audit, flags, items, known_answers, labels, locks, people, queue, studies
from db.engine import reading, transaction
from db.known_answers import Known as Known
from db.labels import LabelCounts, NewLabel, Subject
from db.queue import Empty as Empty
from db.queue import EmptyReason as EmptyReason
from db.queue import Holder, OpenLease, Reason
from db.tables import EventKind, StudyState
from db.tables import LabelType as LabelType
from db.tables import Value as Value
from workflow.desk import Desk as Desk
from workflow.desk import Question as Question
from workflow.desk import Recent as Recent
from workflow.desk import lay_out, recent
from workflow.errors import RatchetError

UNDONE = "undone"  # reason_asked of a question that came back by undo
BY_SCRIPT = "script"  # reason_asked of a label given on the command line
NOT_SAVED = (
    "Not saved: the database did not take the answer. What you entered is still here; try again."
)
NOT_HELD = (
    "The database takes no writes now, so nothing can be saved. Ask for free disk space or rights"
    " on its file, then press a key or reload."
)
KEPT_AS_EXTRA = "Kept as an extra vote: the item already had the labels it needs"
KEPT_UNPAID = "Kept as an extra vote: the budget was spent before this answer came"


class Annotator(NamedTuple):
    """Who labels in which study."""

    study: str
    person: str


class Answered(NamedTuple):
    """An answer about to be saved through the lease of its question."""

    lease_id: int
    value: Value
    note: str | None = None


class Saved(NamedTuple):
    """An answer on disk; `is_new` is False when this lease had been answered before.

    `is_extra`: it came when the labels that were wanted were there, or the budget was spent, so it
    is kept and not counted; `why_extra` says which.
    """

    event_id: int
    value: Value
    saved_at: datetime
    is_new: bool
    is_extra: bool
    why_extra: str = ""
    known: Known | None = None


class ScriptLabel(NamedTuple):
    """A label from the command line."""

    item_id: str
    label_type: LabelType
    value: Value
    note: str | None = None


def open_desk(engine: Engine, annotator: Annotator, now: datetime) -> Desk:
    """The question this annotator holds or the next one, with progress.

    Raises:
        StoreError: there is no such study.
        RatchetError: the database does not take writes.
    """
    with _writing(engine, NOT_HELD) as session:
        holder = _holder(session, annotator, now)
        claimed = queue.claim(session, holder)
    # What is only read keeps nobody from writing.
    with reading(engine) as session:
        return lay_out(session, holder, claimed)


def submit(engine: Engine, annotator: Annotator, answer: Answered, now: datetime) -> Saved:
    """Save an answer; when this returns it is on disk.

    Raises:
        RatchetError: the question is not this annotator's any more; nothing was written.
    """
    with _writing(engine, NOT_SAVED) as session:
        holder = _holder(session, annotator, now)
        _require_no_draft(holder)
        if holder.study.budgets.is_limited:
            locks.own_claims(session, holder.study.id)
        lease = queue.close(session, answer.lease_id, holder.person_id, now)
        if lease is None:
            return _saved_before(session, answer.lease_id, holder)
        seconds = (now - lease.issued_at).total_seconds()
        if lease.kind != EventKind.LABEL:
            return _record_known(session, holder, lease, answer, seconds)
        is_reserved = lease.expires_at > now and lease.reason.text != queue.EDITED
        return _record(session, holder, _label_through(lease, holder, answer, seconds), is_reserved)


def undo(engine: Engine, annotator: Annotator, event_id: int, now: datetime) -> Recent | None:
    """Take this annotator's last label back and hand them its question.

    `event_id` is the label they saw as their last: pressing undo twice by accident takes back
    one, and hears None the second time.
    """
    with _writing(engine, NOT_SAVED) as session:
        holder = _holder(session, annotator, now)
        locks.own_claims(session, holder.study.id)
        last = labels.find_last(session, holder.study.id, holder.person_id)
        if last is None or last.id != event_id:
            return None
        labels.undo(session, last.id, now)
        if last.kind == EventKind.CHECK:
            queue.lease(session, holder, last.subject, Reason(queue.CHECK), last.kind)
        elif queue.has_room(session, holder, last.subject.label_type):
            queue.lease(session, holder, last.subject, Reason(UNDONE))
        return recent(last)


def reopen(engine: Engine, annotator: Annotator, event_id: int, now: datetime) -> None:
    """Hand an annotator the question of a label they gave, to change it.

    Raises:
        RatchetError: the label is not among their last ones.
    """
    with _writing(engine, NOT_SAVED) as session:
        holder = _holder(session, annotator, now)
        locks.own_claims(session, holder.study.id)
        given = labels.list_recent(session, holder.study.id, holder.person_id, 100)
        chosen = next((event for event in given if event.id == event_id), None)
        if chosen is None:
            raise RatchetError(
                "This label was undone or replaced meanwhile. Reload the page to see your labels."
            )
        queue.lease(session, holder, chosen.subject, Reason(queue.EDITED), chosen.kind)


def flag(engine: Engine, annotator: Annotator, lease_id: int, note: str, now: datetime) -> None:
    """Leave the lead a note about the item on screen; it answers nothing."""
    with _writing(engine, NOT_SAVED) as session:
        holder = _holder(session, annotator, now)
        subject = queue.get_subject(session, lease_id, holder.person_id)
        flags.add_flag(session, subject.item_id, holder.person_id, note, now)


def label_by_script(
    engine: Engine, annotator: Annotator, label: ScriptLabel, now: datetime
) -> Saved:
    """One label without a browser; it replaces the same person's earlier one.

    Raises:
        StoreError: there is no such study or item.
        RatchetError: a refusal has no task to label.
    """
    with transaction(engine) as session:
        holder = _holder(session, annotator, now)
        found = items.get_item(session, holder.study.id, label.item_id)
        if label.label_type == LabelType.TASK and found.abstained == 1:
            raise RatchetError(
                f"Item {label.item_id!r} is a refusal; the task of an answer is labelled only"
                " where there is an answer. Label its retrieval, or override its abstention."
            )
        subject = Subject(label.label_type, found.id, found.context_id)
        new = NewLabel(
            study_id=holder.study.id,
            person_id=holder.person_id,
            subject=subject,
            value=label.value,
            note=label.note,
            seconds=None,
            reason_asked=BY_SCRIPT,
            selection_probability=None,
            fit_id=None,
            lease_id=None,
            guideline_version=holder.study.guideline_version or None,
        )
        return _record(session, holder, new, is_reserved=False)


def override_abstention(
    engine: Engine, annotator: Annotator, item_id: str, value: int | None, now: datetime
) -> None:
    """Say that an answer is (1) or is not (0) a refusal, whatever the rules say; None: the rules.

    Raises:
        StoreError: there is no such study or item.
    """
    with _writing(engine, NOT_SAVED) as session:
        holder = _holder(session, annotator, now)
        found = items.get_item(session, holder.study.id, item_id)
        items.override_abstention(session, found.id, value, holder.person_id, now)
        studies.touch(session, holder.study.id)
        detail = {"item_id": item_id, "abstained": value}
        deed = audit.Deed(annotator.person, "override abstention", detail, holder.study.id)
        audit.write(session, deed, now)


def count_labels(engine: Engine, study: str) -> LabelCounts:
    """The labels of a study that count."""
    with reading(engine) as session:
        return labels.count_labels(session, studies.get_study(session, study).id)


@contextmanager
def _writing(engine: Engine, failure: str) -> Iterator[Session]:
    """A transaction whose failure is told in these words."""
    try:
        with transaction(engine) as session:
            yield session
    except OperationalError as error:
        raise RatchetError(failure) from error


def _holder(session: Session, annotator: Annotator, now: datetime) -> Holder:
    study = studies.get_study(session, annotator.study)
    locks.share_answers(session, study.id)
    return Holder(study, people.ensure_person(session, annotator.person, now), now)


def _label_through(lease: OpenLease, holder: Holder, answer: Answered, seconds: float) -> NewLabel:
    return NewLabel(
        study_id=holder.study.id,
        person_id=holder.person_id,
        subject=lease.subject,
        value=answer.value,
        note=answer.note or None,
        seconds=seconds,
        reason_asked=lease.reason.text,
        selection_probability=lease.reason.selection_probability,
        fit_id=lease.reason.fit_id,
        lease_id=lease.id,
        guideline_version=holder.study.guideline_version or None,
    )


def _record(session: Session, holder: Holder, label: NewLabel, is_reserved: bool) -> Saved:
    """Write a label; without a live lease the budget may have gone to others."""
    is_affordable = (
        is_reserved
        or labels.is_charged(session, holder.person_id, label.subject)
        or queue.has_room(session, holder, label.subject.label_type)
    )
    found = labels.record(session, label, holder.now, is_affordable)
    why = (KEPT_AS_EXTRA if is_affordable else KEPT_UNPAID) if found.is_extra else ""
    return Saved(found.event_id, label.value, holder.now, True, found.is_extra, why)


def _record_known(
    session: Session, holder: Holder, lease: OpenLease, answer: Answered, seconds: float
) -> Saved:
    """A check or practice: kept apart from all labels; practice tells what is known."""
    label = _label_through(lease, holder, answer, seconds)
    event_id = labels.record_known(session, label, lease.kind, holder.now)
    known = None
    if lease.kind == EventKind.PRACTICE:
        known = known_answers.find_known(session, lease.subject)
    return Saved(event_id, answer.value, holder.now, True, False, "", known)


def _require_no_draft(holder: Holder) -> None:
    if holder.study.state == StudyState.DRAFT:
        raise RatchetError(
            f"The study {holder.study.name!r} is a draft again, so the answer was not saved; an"
            " open one was expected. Ask its lead to open it."
        )


def _saved_before(session: Session, lease_id: int, holder: Holder) -> Saved:
    event = labels.find_by_lease(session, lease_id, holder.person_id)
    if event is None:
        raise RatchetError(
            "This question is no longer yours, so the answer was not saved. The current"
            " question is on screen now."
        )
    return Saved(event.id, event.value, event.created_at, False, event.is_extra)
