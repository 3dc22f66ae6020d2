"""Questions whose answer is known: to practise on, or hidden among the others to check people.

They were picked by hand, so counting them would bend the rates: they are handed out here alone, and
what is answered is an event of its own kind, in no vote, budget, rate or number of labels.
"""

from datetime import datetime
from typing import NamedTuple

from sqlalchemy import ColumnElement, and_, delete, func, or_, select
from sqlalchemy.orm import Session

from db.errors import StoreError
from db.tables import APART, Item, KnownAnswer, LabelEvent, LabelType, Person, Value
from db.votes import Subject, holds


class NewKnown(NamedTuple):
    """A known answer about to be written."""

    study_id: int
    subject: Subject
    value: Value
    is_practice: bool
    explanation: str
    person: str


class Known(NamedTuple):
    """A question whose answer is known, and the answer."""

    id: int
    item_key: str
    subject: Subject
    value: Value
    is_practice: bool
    explanation: str


class CheckResult(NamedTuple):
    """What somebody said to a question whose answer is known."""

    person: str
    label_type: LabelType
    given: Value
    known: Value
    is_practice: bool
    created_at: datetime


def add_known(session: Session, new: NewKnown, now: datetime) -> None:
    """Write a known answer.

    Raises:
        StoreError: that question has one already; a retrieval question is one for all its items.
    """
    same = KnownAnswer.item_id == new.subject.item_id
    if new.subject.label_type == LabelType.RETRIEVAL:
        same = KnownAnswer.context_id == new.subject.context_id
    of_type = KnownAnswer.label_type == new.subject.label_type
    if session.scalar(select(KnownAnswer.id).where(same, of_type).limit(1)) is not None:
        raise StoreError(
            "This question has a known answer already, maybe by another item with the same"
            " passages. Remove that one first."
        )
    fields = new._asdict()
    subject: Subject = fields.pop("subject")
    session.add(KnownAnswer(**fields, **subject._asdict(), created_at=now))
    session.flush()


def remove_known(session: Session, study_id: int, known_id: int) -> bool:
    """Take a known answer away; its question is an ordinary one again."""
    row = (
        delete(KnownAnswer)
        .where(KnownAnswer.id == known_id, KnownAnswer.study_id == study_id)
        .returning(KnownAnswer.id)
    )
    return session.scalar(row) is not None


def list_known(session: Session, study_id: int) -> list[Known]:
    """All known answers of a study, practice first, in the order they were given."""
    rows = session.execute(
        select(KnownAnswer, Item.item_key)
        .join(Item, Item.id == KnownAnswer.item_id)
        .where(KnownAnswer.study_id == study_id)
        .order_by(KnownAnswer.is_practice.desc(), KnownAnswer.id)
    )
    return [_public(row, item_key) for row, item_key in rows]


def find_known(session: Session, subject: Subject) -> Known | None:
    """The known answer to this question, or None."""
    about = KnownAnswer.item_id == subject.item_id
    found = session.execute(
        select(KnownAnswer, Item.item_key)
        .join(Item, Item.id == KnownAnswer.item_id)
        .where(about, KnownAnswer.label_type == subject.label_type)
    ).first()
    return None if found is None else _public(*found)


def find_next(session: Session, study_id: int, person_id: int, is_practice: bool) -> Subject | None:
    """The next known question that this person was not asked; hidden ones in an order of their own.

    The order is a hash of person and question, so that people do not meet them in step.
    """
    spread = (KnownAnswer.id * 7919 + person_id * 104_729) % 1009
    order = (KnownAnswer.id,) if is_practice else (spread, KnownAnswer.id)
    row = session.execute(
        select(KnownAnswer.label_type, KnownAnswer.item_id, KnownAnswer.context_id)
        .where(
            KnownAnswer.study_id == study_id,
            KnownAnswer.is_practice.is_(is_practice),
            ~_was_asked(person_id),
        )
        .order_by(*order)
        .limit(1)
    ).first()
    return None if row is None else Subject(LabelType(row[0]), row[1], row[2])


def count_practice(session: Session, study_id: int, person_id: int) -> tuple[int, int]:
    """(done, all) practice questions of a person."""
    of_study = and_(KnownAnswer.study_id == study_id, KnownAnswer.is_practice.is_(True))
    total = session.scalar(select(func.count()).where(of_study)) or 0
    done = select(func.count()).select_from(KnownAnswer).where(of_study, _was_asked(person_id))
    return session.scalar(done) or 0, total


def list_check_results(session: Session, study_id: int) -> list[CheckResult]:
    """What people said last to each known question; skips and what was undone left out."""
    rows = session.execute(
        select(
            Person.name,
            LabelEvent.label_type,
            LabelEvent.value,
            KnownAnswer.value,
            KnownAnswer.is_practice,
            LabelEvent.created_at,
            KnownAnswer.id,
        )
        .join(Person, Person.id == LabelEvent.person_id)
        .join(KnownAnswer, _about())
        .where(
            LabelEvent.study_id == study_id,
            LabelEvent.kind.in_(APART),
            LabelEvent.value != Value.SKIP,
            holds(),
        )
        .order_by(LabelEvent.id)
    )
    found = {
        (row[0], row[6]): CheckResult(
            row[0], LabelType(row[1]), Value(row[2] or ""), Value(row[3]), row[4], row[5]
        )
        for row in rows
    }
    return list(found.values())


def _was_asked(person_id: int) -> ColumnElement[bool]:
    """This person has an event about it that was not undone."""
    return (
        select(LabelEvent.id)
        .where(
            LabelEvent.person_id == person_id,
            LabelEvent.kind.in_(APART),
            _about(),
            holds(),
        )
        .correlate(KnownAnswer)
        .exists()
    )


def _about() -> ColumnElement[bool]:
    """The event is about the known question."""
    return and_(
        LabelEvent.context_id == KnownAnswer.context_id,
        LabelEvent.label_type == KnownAnswer.label_type,
        or_(
            KnownAnswer.label_type == LabelType.RETRIEVAL,
            LabelEvent.item_id == KnownAnswer.item_id,
        ),
    )


def _public(row: KnownAnswer, item_key: str) -> Known:
    subject = Subject(LabelType(row.label_type), row.item_id, row.context_id)
    return Known(row.id, item_key, subject, Value(row.value), row.is_practice, row.explanation)
