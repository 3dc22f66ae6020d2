"""Bringing staged labels into a study: each becomes an event of the log, unless it is there.

A label without a name is taken as the resolved one: it adds nothing where people already agree
on the same value. A label that contradicts what is there is a conflict, listed, and written only
when that is wished; then it follows the old one in the log.
"""

from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import (
    ColumnElement,
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

from db.errors import StoreError
from db.labels import IMPORTED
from db.staging import STAGED_LABEL
from db.tables import (
    AbstentionOverride,
    Answer,
    Context,
    EventKind,
    Item,
    LabelEvent,
    LabelType,
    Person,
    Value,
)

LISTED = 20
_S = STAGED_LABEL.c


class Fate:
    """What becomes of a staged label; None is new."""

    REPEATED = "repeated"
    UNCHANGED = "unchanged"
    CONFLICT = "conflict"


class LabelFindings(NamedTuple):
    """What staged labels are to a study; `conflicts` lists the first contradicted items."""

    new: int
    unchanged: int
    num_conflicts: int
    conflicts: tuple[str, ...]


def inspect_labels(connection: Connection, study_id: int) -> LabelFindings:
    """Compare staged labels with the study, after its items are in or found.

    Raises:
        StoreError: a label is about an unknown item or a refusal's task, or two rows contradict
            each other.
    """
    _find_subjects(connection, study_id)
    _find_people(connection)
    for label_type in LabelType:
        _mark_repeated(connection, label_type)
    _refuse_contradictions(connection)
    for label_type in LabelType:
        _compare(connection, label_type)
    rows = connection.execute(select(_S.fate, func.count()).group_by(_S.fate))
    tally: dict[str | None, int] = {fate: count for fate, count in rows}  # noqa: C416
    conflicts = connection.scalars(
        select(_S.item_key).where(_S.fate == Fate.CONFLICT).order_by(_S.id).limit(LISTED)
    ).all()
    return LabelFindings(
        tally.get(None, 0),
        tally.get(Fate.UNCHANGED, 0),
        tally.get(Fate.CONFLICT, 0),
        tuple(conflicts),
    )


def refuse_strays(connection: Connection) -> None:
    """Refuse labels that have no item, or newly label the task of a refusal.

    Raises:
        StoreError: there is one; the message names its row.
    """
    row = connection.execute(
        select(_S.row_number, _S.item_key)
        .where(_S.item_id.is_(None))
        .order_by(_S.row_number)
        .limit(1)
    ).first()
    if row is not None:
        raise StoreError(
            f"Row {row[0]}: there is no item {row[1]!r} in this study; a label needs its item."
            " Import the items first, or correct the id."
        )
    row = connection.execute(
        select(_S.row_number, _S.item_key)
        .join(Item, Item.id == _S.item_id)
        .where(
            _S.label_type == LabelType.TASK,
            Item.abstained == 1,
            ~_is_settled(),
            ~_is_older_than_refusal(),
        )
        .order_by(_S.row_number)
        .limit(1)
    ).first()
    if row is not None:
        raise StoreError(
            f"Row {row[0]}: item {row[1]!r} is a refusal, and the task of a refusal is not"
            " labelled. Remove the label, or correct the item's abstention."
        )


def _is_settled() -> ColumnElement[bool]:
    """The label is there already, perhaps from before its answer was found to be a refusal."""
    return func.coalesce(_S.fate, "").in_([Fate.UNCHANGED, Fate.REPEATED])


def _is_older_than_refusal() -> ColumnElement[bool]:
    """It was given before a person said that the answer is a refusal: kept, and not counted."""
    return exists().where(
        AbstentionOverride.item_id == _S.item_id,
        AbstentionOverride.value == 1,
        AbstentionOverride.created_at > _S.created_at,
    )


def merge_labels(connection: Connection, study_id: int, replaces: bool, now: datetime) -> None:
    """Write the new labels, and the contradicting ones if wished, as events with what follows."""
    if replaces:
        _adopt_conflicts(connection)
    _add_people(connection, now)
    _add_events(connection, study_id)
    _set_answers(connection, study_id)
    _resolve(connection)


def _find_subjects(connection: Connection, study_id: int) -> None:
    by_key = and_(Item.study_id == study_id, Item.item_key == _S.item_key)
    connection.execute(
        update(STAGED_LABEL).values(
            item_id=select(Item.id).where(by_key).scalar_subquery(),
            context_id=select(Item.context_id).where(by_key).scalar_subquery(),
            fate=None,
        )
    )


def _find_people(connection: Connection) -> None:
    connection.execute(
        update(STAGED_LABEL).values(
            person_id=select(Person.id).where(Person.name == _S.person).scalar_subquery()
        )
    )


def _subject_column(table: Any, label_type: LabelType) -> Any:
    return table.context_id if label_type == LabelType.RETRIEVAL else table.item_id


def _mark_repeated(connection: Connection, label_type: LabelType) -> None:
    """Rows that share a context repeat its retrieval label; the first one speaks."""
    firsts = (
        select(func.min(_S.id))
        .where(_S.label_type == label_type)
        .group_by(_subject_column(_S, label_type), _S.person)
    )
    connection.execute(
        update(STAGED_LABEL)
        .where(
            _S.label_type == label_type,
            _subject_column(_S, label_type).is_not(None),
            _S.id.not_in(firsts),
        )
        .values(fate=Fate.REPEATED)
    )


def _refuse_contradictions(connection: Connection) -> None:
    for label_type in LabelType:
        first, other = STAGED_LABEL.alias("first"), STAGED_LABEL.alias("other")
        row = connection.execute(
            select(first.c.row_number, other.c.row_number, other.c.person)
            .join(
                other,
                and_(
                    _subject_column(other.c, label_type) == _subject_column(first.c, label_type),
                    other.c.person == first.c.person,
                    other.c.value != first.c.value,
                ),
            )
            .where(
                first.c.label_type == label_type,
                other.c.label_type == label_type,
                first.c.fate.is_(None),
                other.c.fate == Fate.REPEATED,
            )
            .limit(1)
        ).first()
        if row is not None:
            shared = " of the same context" if label_type == LabelType.RETRIEVAL else ""
            raise StoreError(
                f"Rows {row[0]} and {row[1]} give different {label_type} labels{shared} by"
                f" {row[2]!r}; one is expected. Correct one of them, or name the annotators."
            )


def _compare(connection: Connection, label_type: LabelType) -> None:
    """Unchanged where the same person, or for unnamed labels everybody, says the same."""
    new = and_(_S.fate.is_(None), _S.label_type == label_type)
    subject = _subject_column(_S, label_type)
    answered = and_(
        Answer.label_type == label_type,
        (Answer.context_id if label_type == LabelType.RETRIEVAL else Answer.item_id) == subject,
    )
    mine = and_(answered, Answer.person_id == _S.person_id)
    same = exists().where(mine, Answer.value == _S.value)
    resolved = _resolved_value(label_type)
    agreed = and_(_S.is_named == 0, exists().where(resolved))
    connection.execute(
        update(STAGED_LABEL).where(new, or_(same, agreed)).values(fate=Fate.UNCHANGED)
    )
    other = exists().where(mine, Answer.value != _S.value)
    anybody = and_(_S.is_named == 0, exists().where(answered, Answer.value != Value.SKIP))
    connection.execute(
        update(STAGED_LABEL).where(new, or_(other, anybody)).values(fate=Fate.CONFLICT)
    )


def _resolved_value(label_type: LabelType) -> ColumnElement[bool]:
    as_number = case((_S.value == Value.YES, 1), (_S.value == Value.NO, 0))
    if label_type == LabelType.RETRIEVAL:
        return and_(Context.id == _S.context_id, Context.retrieval == as_number)
    return and_(Item.id == _S.item_id, Item.task == as_number)


def _adopt_conflicts(connection: Connection) -> None:
    """Contradicting labels become new ones; the answers they replace go, their events stay."""
    for label_type in LabelType:
        subject = _subject_column(_S, label_type)
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
    _find_people(connection)


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
        select(literal(study_id), literal(False), *(_S[name] for name in columns))
        .where(_S.fate.is_(None))
        .order_by(_S.id)
    )
    names = ["study_id", "is_extra", *columns]
    connection.execute(insert(Answer).from_select(names, rows))


def _resolve(connection: Connection) -> None:
    """The votes and majority of every subject that got a label, as `labels.resolve` does one."""
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
        touched = select(_subject_column(_S, label_type)).where(
            _S.fate.is_(None), _S.label_type == label_type
        )
        values = (
            {"retrieval": majority, "retrieval_votes": votes}
            if label_type == LabelType.RETRIEVAL
            else {"task": majority, "task_votes": votes}
        )
        connection.execute(update(table).where(own.in_(touched)).values(values))
