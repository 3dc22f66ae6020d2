"""What a question resolves to: a lead's decision, else the majority of the answers that count."""

from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, SmallInteger, and_, case, literal, null, select, update
from sqlalchemy.orm import Session, aliased

from db.tables import Answer, Context, Item, LabelEvent, LabelType, Value

CANNOT_TELL = -1  # decided: nobody can tell, so the variable stays unobserved


class Subject(NamedTuple):
    """What a label is about; `item_id` is the item on screen, also for a retrieval label."""

    label_type: LabelType
    item_id: int
    context_id: int


def counting() -> ColumnElement[bool]:
    """The condition under which an answer counts."""
    return and_(Answer.value != Value.SKIP, Answer.is_extra.is_(False))


def counts(answer: Answer) -> bool:
    """The same as `counting`, for a row at hand."""
    return answer.value != Value.SKIP and not answer.is_extra


def answers_to(subject: Subject) -> ColumnElement[bool]:
    """The condition under which an answer is about this subject."""
    # The literal label type lets the planner use the partial unique indexes.
    if subject.label_type == LabelType.RETRIEVAL:
        return and_(
            Answer.label_type == LabelType.RETRIEVAL, Answer.context_id == subject.context_id
        )
    return and_(Answer.label_type == LabelType.TASK, Answer.item_id == subject.item_id)


def holds() -> ColumnElement[bool]:
    """The condition under which an event was not undone."""
    undo = aliased(LabelEvent)
    return ~select(undo.id).where(undo.undoes_id == LabelEvent.id).exists()


def list_answers(session: Session, subject: Subject) -> list[Answer]:
    """Everybody's current answers to a subject, skips and extra ones too."""
    return list(session.scalars(select(Answer).where(answers_to(subject))))


def lock_subject(session: Session, subject: Subject) -> None:
    """Let one writer at a time change the answers of a subject; SQLite has one writer anyway."""
    if session.get_bind().dialect.name == "sqlite":
        return
    if subject.label_type == LabelType.RETRIEVAL:
        row = select(Context.id).where(Context.id == subject.context_id)
    else:
        row = select(Item.id).where(Item.id == subject.item_id)
    # NO KEY UPDATE: a label of the other kind points at the same rows, and must not wait for us
    # while we wait for it.
    session.execute(row.with_for_update(key_share=True))


def resolve(session: Session, subject: Subject) -> None:
    """Set the votes and the value of a subject from its current answers and its decision."""
    store_votes(session, subject, list_answers(session, subject))


def store_votes(session: Session, subject: Subject, answers: list[Answer]) -> None:
    """The votes that count, and their decision or majority; None when there is none or a tie."""
    values = [one.value for one in answers if counts(one)]
    balance = values.count(Value.YES) - values.count(Value.NO)
    majority = literal(None if balance == 0 else int(balance > 0), SmallInteger)
    stored: dict[str, Any]
    if subject.label_type == LabelType.RETRIEVAL:
        resolved = resolved_value(Context.retrieval_decided, majority)
        stored = {"retrieval": resolved, "retrieval_votes": len(values)}
        session.execute(update(Context).where(Context.id == subject.context_id).values(stored))
    else:
        resolved = resolved_value(Item.task_decided, majority)
        stored = {"task": resolved, "task_votes": len(values)}
        session.execute(update(Item).where(Item.id == subject.item_id).values(stored))


def resolved_value(decided: Any, majority: Any) -> Any:
    """The value as SQL: what was decided holds whatever the votes say."""
    return case((decided.is_(None), majority), (decided == CANNOT_TELL, null()), else_=decided)
