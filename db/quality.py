"""What people said, side by side: votes on one question, pace, conflicts. Skips and extras are out.

Questions with a single vote are left in the database: they say nothing about agreement.
"""

from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import and_, case, distinct, func, select
from sqlalchemy.orm import Session

from db.label_findings import subject_column
from db.labels import IMPORTED
from db.tables import Answer, Context, Item, LabelEvent, LabelType, Person, Value
from db.votes import counting


class Vote(NamedTuple):
    """A vote that counts; `subject` is the context of a retrieval label, the item of a task one."""

    subject: int
    person: str
    value: Value


class Conflict(NamedTuple):
    """A question on which the votes that count differ."""

    item_key: str
    item_id: int
    context_id: int
    label_type: LabelType
    query: str
    yes: int
    no: int
    cannot_tell: int
    decided: int | None


class VoteOf(NamedTuple):
    """Somebody's vote on one question, with the note to it."""

    person: str
    value: Value
    note: str | None
    created_at: datetime


class Work(NamedTuple):
    """What a person did: labels by answer, skips, and the seconds that each took."""

    person: str
    labels: int
    cannot_tell: int
    skips: int


def list_votes(session: Session, study_id: int, label_type: LabelType) -> list[Vote]:
    """The votes on questions that have two or more."""
    subject = subject_column(Answer, label_type)
    several = (
        select(subject)
        .where(Answer.study_id == study_id, Answer.label_type == label_type, counting())
        .group_by(subject)
        .having(func.count() > 1)
    )
    rows = session.execute(
        select(subject, Person.name, Answer.value)
        .join(Person, Person.id == Answer.person_id)
        .where(Answer.study_id == study_id, Answer.label_type == label_type, counting())
        .where(subject.in_(several))
        .order_by(subject, Person.name)
    )
    return [Vote(row[0], row[1], Value(row[2])) for row in rows]


def list_conflicts(session: Session, study_id: int, count: int) -> list[Conflict]:
    """Questions on which people differ: first those that no lead has decided, then by votes."""
    found: list[Conflict] = []
    for label_type in LabelType:
        found += [
            Conflict(row[0], row[1], row[2], label_type, *row[3:])
            for row in session.execute(_conflicts(study_id, label_type).limit(count))
        ]
    found.sort(key=lambda one: (one.decided is not None, abs(one.yes - one.no), one.item_id))
    return found[:count]


def count_conflicts(session: Session, study_id: int) -> int:
    """How many questions people differ on and no lead has decided."""
    total = 0
    for label_type in LabelType:
        rows = _conflicts(study_id, label_type).subquery()
        query = select(func.count()).select_from(rows).where(rows.c.decided.is_(None))
        total += session.scalar(query) or 0
    return total


def list_votes_of(
    session: Session, label_type: LabelType, item_id: int, context_id: int
) -> list[VoteOf]:
    """Who said what on one question, in the order of their words."""
    about = Answer.context_id == context_id
    if label_type == LabelType.TASK:
        about = Answer.item_id == item_id
    rows = session.execute(
        select(Person.name, Answer.value, LabelEvent.note, LabelEvent.created_at)
        .join(Person, Person.id == Answer.person_id)
        .join(LabelEvent, LabelEvent.id == Answer.event_id)
        .where(Answer.label_type == label_type, about, counting())
        .order_by(LabelEvent.id)
    )
    return [VoteOf(row[0], Value(row[1]), row[2], row[3]) for row in rows]


def list_work(session: Session, study_id: int) -> list[Work]:
    """What each person gave here, imported labels apart; most labels first."""
    is_label = and_(counting(), LabelEvent.reason_asked != IMPORTED)
    labels = _count(is_label)
    rows = session.execute(
        select(
            Person.name,
            labels.label("labels"),
            _count(and_(is_label, Answer.value == Value.CANT_TELL)),
            _count(Answer.value == Value.SKIP),
        )
        .join(Answer, Answer.person_id == Person.id)
        .join(LabelEvent, LabelEvent.id == Answer.event_id)
        .where(Answer.study_id == study_id)
        .group_by(Person.name)
        .order_by(labels.desc(), Person.name)
    )
    return [Work(*row) for row in rows]


def list_seconds(session: Session, study_id: int) -> list[tuple[str, float]]:
    """(person, seconds) of every label that counts and was timed."""
    rows = session.execute(
        select(Person.name, LabelEvent.seconds)
        .join(Answer, Answer.event_id == LabelEvent.id)
        .join(Person, Person.id == LabelEvent.person_id)
        .where(LabelEvent.study_id == study_id, LabelEvent.seconds.is_not(None), counting())
    )
    return [(person, seconds) for person, seconds in rows if seconds is not None]


def _conflicts(study_id: int, label_type: LabelType) -> Any:
    decided = Context.retrieval_decided if label_type == LabelType.RETRIEVAL else Item.task_decided
    yes, no, unsure = (_count(Answer.value == value) for value in _ANSWERS)
    return (
        select(
            func.min(Item.item_key),
            func.min(Item.id),
            Context.id,
            Context.query,
            yes,
            no,
            unsure,
            func.min(decided).label("decided"),
        )
        .join(Item, Item.id == Answer.item_id)
        .join(Context, Context.id == Answer.context_id)
        .where(Answer.study_id == study_id, Answer.label_type == label_type, counting())
        .group_by(subject_column(Answer, label_type), Context.id, Context.query)
        .having(func.count(distinct(Answer.value)) > 1)
        .order_by(func.min(Item.id))
    )


_ANSWERS = (Value.YES, Value.NO, Value.CANT_TELL)


def _count(condition: Any) -> Any:
    return func.coalesce(func.sum(case((condition, 1), else_=0)), 0)
