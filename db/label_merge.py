"""Bringing staged labels into a study: each becomes an event of the log, unless it is there.

A label that contradicts what is there is written only when that is wished; then it follows the
old one in the log. What is new and what contradicts is found by `label_findings`.
"""

from datetime import datetime

from sqlalchemy import (
    Connection,
    and_,
    case,
    delete,
    exists,
    func,
    insert,
    literal,
    or_,
    select,
    update,
)

from db.label_findings import Fate, find_people, subject_column
from db.labels import IMPORTED
from db.staging import STAGED_LABEL
from db.tables import Answer, Context, EventKind, Item, LabelEvent, LabelType, Person, Value
from db.votes import resolved_value

_S = STAGED_LABEL.c


def merge_labels(connection: Connection, study_id: int, replaces: bool, now: datetime) -> None:
    """Write the new labels, and the contradicting ones if wished, as events with what follows."""
    if replaces:
        _adopt_conflicts(connection)
    _add_people(connection, now)
    _add_events(connection, study_id)
    _set_answers(connection, study_id)
    _resolve(connection)


def _adopt_conflicts(connection: Connection) -> None:
    """Contradicting labels become new ones; the answers they replace go, their events stay."""
    for label_type in LabelType:
        subject = subject_column(_S, label_type)
        column = Answer.context_id if label_type == LabelType.RETRIEVAL else Answer.item_id
        replaced = exists().where(
            _S.fate == Fate.CONFLICT,
            _S.label_type == label_type,
            column == subject,
            or_(Answer.person_id == _S.person_id, _S.is_named == 0),
        )
        connection.execute(delete(Answer).where(Answer.label_type == label_type, replaced))
    connection.execute(update(STAGED_LABEL).where(_S.fate == Fate.CONFLICT).values(fate=None))


def _add_people(connection: Connection, now: datetime) -> None:
    known = exists().where(Person.name == _S.person)
    names = (
        select(_S.person, literal(now, Person.created_at.type))
        .where(_S.fate.is_(None), ~known)
        .group_by(_S.person)
    )
    connection.execute(insert(Person).from_select(["name", "created_at"], names))
    find_people(connection)


def _add_events(connection: Connection, study_id: int) -> None:
    before = connection.scalar(select(func.coalesce(func.max(LabelEvent.id), 0)))
    rows = (
        select(
            literal(study_id),
            literal(EventKind.LABEL.value),
            literal(False),
            func.coalesce(_S.reason_asked, IMPORTED),
            *(_S[name] for name in _EVENT_COLUMNS),
        )
        .where(_S.fate.is_(None))
        .order_by(_S.id)
    )
    names = ["study_id", "kind", "is_extra", "reason_asked", *_EVENT_COLUMNS]
    connection.execute(insert(LabelEvent).from_select(names, rows))
    written = and_(
        LabelEvent.id > before,
        LabelEvent.person_id == _S.person_id,
        LabelEvent.label_type == _S.label_type,
        LabelEvent.context_id == _S.context_id,
        LabelEvent.item_id == _S.item_id,
    )
    connection.execute(
        update(STAGED_LABEL)
        .where(_S.fate.is_(None))
        .values(event_id=select(func.max(LabelEvent.id)).where(written).scalar_subquery())
    )


_EVENT_COLUMNS = (
    "person_id",
    "item_id",
    "context_id",
    "label_type",
    "value",
    "note",
    "seconds",
    "selection_probability",
    "created_at",
)


def _set_answers(connection: Connection, study_id: int) -> None:
    columns = ("person_id", "item_id", "context_id", "label_type", "value", "event_id")
    rows = (
        select(literal(study_id), literal(False), literal(False), *(_S[name] for name in columns))
        .where(_S.fate.is_(None))
        .order_by(_S.id)
    )
    names = ["study_id", "is_extra", "is_charged", *columns]
    connection.execute(insert(Answer).from_select(names, rows))


def _resolve(connection: Connection) -> None:
    """The votes and majority of every subject that got a label, as `votes.resolve` does one."""
    for label_type, table in ((LabelType.RETRIEVAL, Context), (LabelType.TASK, Item)):
        own = table.id
        of_subject = and_(
            Answer.label_type == label_type,
            (Answer.context_id if label_type == LabelType.RETRIEVAL else Answer.item_id) == own,
            Answer.value != Value.SKIP,
            Answer.is_extra.is_(False),
        )
        weight = case((Answer.value == Value.YES, 1), (Answer.value == Value.NO, -1), else_=0)
        balance = select(func.sum(weight)).where(of_subject).scalar_subquery()
        votes = select(func.count()).select_from(Answer).where(of_subject).scalar_subquery()
        majority = case((balance > 0, 1), (balance < 0, 0))
        touched = select(subject_column(_S, label_type)).where(
            _S.fate.is_(None), _S.label_type == label_type
        )
        values = (
            {
                "retrieval": resolved_value(Context.retrieval_decided, majority),
                "retrieval_votes": votes,
            }
            if label_type == LabelType.RETRIEVAL
            else {"task": resolved_value(Item.task_decided, majority), "task_votes": votes}
        )
        connection.execute(update(table).where(own.in_(touched)).values(values))
