"""Labels: an append-only log of what people said, and the current answers that follow from it.

A retrieval label belongs to a (query, context) and serves every item that shares it; a task label
belongs to an item. The current answer of a person is their last label that was not undone.
The resolved value of a question is the majority of the current answers that count.
"""

from datetime import datetime
from functools import lru_cache
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Integer, and_, bindparam, delete, func, select
from sqlalchemy.orm import Session

from db import studies
from db.tables import APART, Answer, EventKind, Item, LabelEvent, LabelType, Value
from db.votes import Subject as Subject
from db.votes import answers_to, counts, holds, list_answers, lock_subject, resolve, store_votes
from db.votes import counting as counting

IMPORTED = "imported"  # reason_asked of labels that came in a file


class NewLabel(NamedTuple):
    """A label about to be written; `seconds` is the time from question to answer."""

    study_id: int
    person_id: int
    subject: Subject
    value: Value
    note: str | None
    seconds: float | None
    reason_asked: str
    selection_probability: float | None
    fit_id: int | None
    lease_id: int | None
    guideline_version: int | None = None


class Event(NamedTuple):
    """A label event of the log; `item_key` is the id of its item in files.

    `is_extra`: the votes wanted were there already, so it is kept and never counted.
    """

    id: int
    item_key: str
    subject: Subject
    value: Value
    note: str | None
    created_at: datetime
    is_extra: bool
    kind: EventKind = EventKind.LABEL


class Recorded(NamedTuple):
    """What became of a label: its event, and whether it came when the votes wanted were in."""

    event_id: int
    is_extra: bool


class LabelCounts(NamedTuple):
    """Labels that count, can't tell included; a shared retrieval label is one label."""

    retrieval: int
    task: int


def record(
    session: Session, label: NewLabel, now: datetime, is_affordable: bool = True
) -> Recorded:
    """Write a label event and what follows from it; one that no budget pays for is extra."""
    lock_subject(session, label.subject)
    answers = list_answers(session, label.subject)
    event = _event(label, EventKind.LABEL, now)
    is_label = label.value != Value.SKIP
    event.is_extra = is_label and (not is_affordable or _comes_too_late(session, label, answers))
    session.add(event)
    session.flush()
    mine = next((one for one in answers if one.person_id == label.person_id), None)
    current = _set_answer(session, event, mine)
    store_votes(session, label.subject, [one for one in answers if one is not mine] + [current])
    studies.touch(session, label.study_id)
    return Recorded(event.id, event.is_extra)


def record_known(session: Session, label: NewLabel, kind: EventKind, now: datetime) -> int:
    """Write what was said to a question whose answer is known: an event and nothing else."""
    event = _event(label, kind, now)
    session.add(event)
    session.flush()
    return event.id


def undo(session: Session, event_id: int, now: datetime) -> Subject:
    """Take a label event back: the answer before it, if any, holds again."""
    event = session.get_one(LabelEvent, event_id)
    subject = _subject(event)
    lock_subject(session, subject)
    session.add(
        LabelEvent(
            kind=EventKind.UNDO,
            undoes_id=event.id,
            study_id=event.study_id,
            person_id=event.person_id,
            **subject._asdict(),
            reason_asked=event.reason_asked,
            created_at=now,
        )
    )
    session.flush()
    if event.kind == EventKind.LABEL:
        _restore_answer(session, event.person_id, subject)
        resolve(session, subject)
        studies.touch(session, event.study_id)
    return subject


def find_last(session: Session, study_id: int, person_id: int) -> Event | None:
    """The label of this person that undo takes back; imported ones are not theirs to undo."""
    events = list_recent(session, study_id, person_id, 1)
    return events[0] if events else None


def list_recent(session: Session, study_id: int, person_id: int, count: int) -> list[Event]:
    """The last labels of a person that hold, newest first, hidden checks among them."""
    whose = {"study_id": study_id, "person_id": person_id, "count": count}
    rows = session.execute(_recent(), whose)
    return [_public(row, item_key) for row, item_key in rows]


def find_by_lease(session: Session, lease_id: int, person_id: int) -> Event | None:
    """The label that this person gave through a lease, or None."""
    row = session.execute(
        select(LabelEvent, Item.item_key)
        .join(Item, Item.id == LabelEvent.item_id)
        .where(LabelEvent.lease_id == lease_id, LabelEvent.person_id == person_id)
    ).first()
    return None if row is None else _public(*row)


def find_answer(session: Session, person_id: int, subject: Subject) -> Value | None:
    """What this person currently says, or None."""
    value = session.scalar(select(Answer.value).where(_answers_of(person_id, subject)))
    return None if value is None else Value(value)


def find_checked(session: Session, person_id: int, subject: Subject) -> Value | None:
    """What this person last said to a hidden check, or None."""
    said = (
        _not_undone(EventKind.CHECK)
        .where(LabelEvent.person_id == person_id, _events_about(subject))
        .order_by(LabelEvent.id.desc())
        .limit(1)
    )
    event = session.scalar(said)
    return None if event is None else Value(event.value or "")


def is_charged(session: Session, person_id: int, subject: Subject) -> bool:
    """Whether this person's current answer is in the budgets already."""
    charged = select(Answer.is_charged).where(_answers_of(person_id, subject))
    return bool(session.scalar(charged))


def count_labels(session: Session, study_id: int) -> LabelCounts:
    """The labels of a study that count; every number of labels on any screen is this one."""
    rows = session.execute(
        select(Answer.label_type, func.count())
        .where(Answer.study_id == study_id, counting())
        .group_by(Answer.label_type)
    )
    found = {LabelType(label_type): count for label_type, count in rows}
    return LabelCounts(found.get(LabelType.RETRIEVAL, 0), found.get(LabelType.TASK, 0))


def last_event_id(session: Session, study_id: int) -> int:
    """The newest event of a study; 0 when there is none."""
    newest = select(func.max(LabelEvent.id)).where(LabelEvent.study_id == study_id)
    return session.scalar(newest) or 0


def count_since(session: Session, study_id: int, event_id: int) -> int:
    """How many label events came after this one; checks and practice are no labels."""
    apart = LabelEvent.kind.not_in(APART)
    newer = select(func.count()).where(
        LabelEvent.study_id == study_id, LabelEvent.id > event_id, apart
    )
    return session.scalar(newer) or 0


def _event(label: NewLabel, kind: EventKind, now: datetime) -> LabelEvent:
    fields = label._asdict()
    subject: Subject = fields.pop("subject")
    return LabelEvent(kind=kind, **subject._asdict(), **fields, created_at=now)


def _comes_too_late(session: Session, label: NewLabel, answers: list[Answer]) -> bool:
    """All votes wanted are in, and this person's is not one of them."""
    for one in answers:
        if one.person_id == label.person_id and one.value != Value.SKIP:
            return one.is_extra
    votes = sum(map(counts, answers))
    return votes >= studies.votes_wanted(session, label.study_id)


def _set_answer(session: Session, event: LabelEvent, current: Answer | None) -> Answer:
    """Make this event the answer of its person."""
    if current is None:
        subject = _subject(event)
        current = Answer(study_id=event.study_id, person_id=event.person_id, **subject._asdict())
        session.add(current)
    current.item_id = event.item_id
    current.value = event.value or ""
    current.is_extra = event.is_extra
    current.is_charged = event.reason_asked != IMPORTED and counts(current)
    current.event_id = event.id
    session.flush()
    return current


def _restore_answer(session: Session, person_id: int, subject: Subject) -> None:
    before = session.scalar(
        _not_undone(EventKind.LABEL)
        .where(LabelEvent.person_id == person_id, _events_about(subject))
        .order_by(LabelEvent.id.desc())
        .limit(1)
    )
    if before is None:
        session.execute(delete(Answer).where(_answers_of(person_id, subject)))
    else:
        current = session.scalar(select(Answer).where(_answers_of(person_id, subject)))
        _set_answer(session, before, current)


@lru_cache
def _recent() -> Any:
    """Built once, since it is read at every click; binds study_id, person_id, count."""
    return (
        _not_undone(EventKind.LABEL, EventKind.CHECK)
        .add_columns(Item.item_key)
        .join(Item, Item.id == LabelEvent.item_id)
        .where(
            LabelEvent.study_id == bindparam("study_id"),
            LabelEvent.person_id == bindparam("person_id"),
            LabelEvent.reason_asked != IMPORTED,
        )
        .order_by(LabelEvent.id.desc())
        .limit(bindparam("count", type_=Integer))
    )


def _not_undone(*kinds: EventKind) -> Any:
    return select(LabelEvent).where(LabelEvent.kind.in_(kinds), holds())


def _answers_of(person_id: int, subject: Subject) -> ColumnElement[bool]:
    return and_(Answer.person_id == person_id, answers_to(subject))


def _events_about(subject: Subject) -> ColumnElement[bool]:
    of_type = LabelEvent.label_type == subject.label_type
    if subject.label_type == LabelType.RETRIEVAL:
        return and_(of_type, LabelEvent.context_id == subject.context_id)
    return and_(of_type, LabelEvent.item_id == subject.item_id)


def _subject(event: LabelEvent) -> Subject:
    return Subject(LabelType(event.label_type), event.item_id, event.context_id)


def _public(event: LabelEvent, item_key: str) -> Event:
    return Event(
        event.id,
        item_key,
        _subject(event),
        Value(event.value or ""),
        event.note,
        event.created_at,
        event.is_extra,
        EventKind(event.kind),
    )
