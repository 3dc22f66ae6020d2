"""What staged labels are to a study: new, there already, or in contradiction with it.

A label without a name is taken as the resolved one: it adds nothing where people already agree
on the same value. Nothing is written but staging tables.
"""

from typing import Any, NamedTuple

from sqlalchemy import (
    ColumnElement,
    Connection,
    and_,
    case,
    exists,
    func,
    or_,
    select,
    update,
)

from db.errors import StoreError
from db.staging import STAGED_LABEL
from db.tables import AbstentionOverride, Answer, Context, Item, LabelType, Person, Value

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
    find_people(connection)
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


def find_people(connection: Connection) -> None:
    """Fill in who of the people named is known."""
    connection.execute(
        update(STAGED_LABEL).values(
            person_id=select(Person.id).where(Person.name == _S.person).scalar_subquery()
        )
    )


def subject_column(table: Any, label_type: LabelType) -> Any:
    """Whose answers make one question: those to a context, or to an item."""
    return table.context_id if label_type == LabelType.RETRIEVAL else table.item_id


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


def _find_subjects(connection: Connection, study_id: int) -> None:
    by_key = and_(Item.study_id == study_id, Item.item_key == _S.item_key)
    connection.execute(
        update(STAGED_LABEL).values(
            item_id=select(Item.id).where(by_key).scalar_subquery(),
            context_id=select(Item.context_id).where(by_key).scalar_subquery(),
            fate=None,
        )
    )


def _mark_repeated(connection: Connection, label_type: LabelType) -> None:
    """Rows that share a context repeat its retrieval label; the first one speaks."""
    firsts = (
        select(func.min(_S.id))
        .where(_S.label_type == label_type)
        .group_by(subject_column(_S, label_type), _S.person)
    )
    connection.execute(
        update(STAGED_LABEL)
        .where(
            _S.label_type == label_type,
            subject_column(_S, label_type).is_not(None),
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
                    subject_column(other.c, label_type) == subject_column(first.c, label_type),
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
    subject = subject_column(_S, label_type)
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
