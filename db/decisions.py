"""A lead's decision on a question that people answered differently: it holds whatever they said.

A decision is an event of its own kind in the log. Taking it back is one too, without a value; the
majority of the votes holds again then.
"""

from datetime import datetime
from typing import NamedTuple

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from db import studies
from db.tables import Context, EventKind, Item, LabelEvent, LabelType, Value
from db.votes import CANNOT_TELL, Subject, lock_subject, resolve

DECIDED = "decision"  # reason_asked of what nobody asked but a lead decided


class Decision(NamedTuple):
    """What a lead says of a question; `value` None takes the decision back."""

    study_id: int
    person_id: int
    subject: Subject
    value: Value | None
    note: str | None = None


def decide(session: Session, decision: Decision, now: datetime) -> int:
    """Write a decision and what follows from it; returns the event's id."""
    subject = decision.subject
    lock_subject(session, subject)
    event = LabelEvent(
        kind=EventKind.DECISION,
        study_id=decision.study_id,
        person_id=decision.person_id,
        **subject._asdict(),
        value=decision.value,
        note=decision.note,
        reason_asked=DECIDED,
        created_at=now,
    )
    session.add(event)
    _store(session, subject, decision.value)
    resolve(session, subject)
    studies.touch(session, decision.study_id)
    session.flush()
    return event.id


def find_decision(session: Session, subject: Subject) -> Value | None:
    """What was decided of a subject, or None while its votes hold."""
    if subject.label_type == LabelType.RETRIEVAL:
        query = select(Context.retrieval_decided).where(Context.id == subject.context_id)
    else:
        query = select(Item.task_decided).where(Item.id == subject.item_id)
    stored = session.scalar(query)
    return None if stored is None else _VALUES[stored]


_CODES = {Value.YES: 1, Value.NO: 0, Value.CANT_TELL: CANNOT_TELL}
_VALUES = {code: value for value, code in _CODES.items()}


def _store(session: Session, subject: Subject, value: Value | None) -> None:
    code = None if value is None else _CODES[value]
    if subject.label_type == LabelType.RETRIEVAL:
        row = update(Context).where(Context.id == subject.context_id)
        session.execute(row.values(retrieval_decided=code))
    else:
        row = update(Item).where(Item.id == subject.item_id)
        session.execute(row.values(task_decided=code))
