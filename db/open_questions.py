"""Which questions are open to a person, as statements built once: building costs more than running.

A question is open while it wants votes, counting the live leases of others, no lead has decided
it, and this person has neither answered nor skipped it. A refusal is never asked for its task, nor
is an item without an answer text. A question whose answer is known is never open: it is asked only
to check or to practise, which `known_answers` does.
"""

from functools import lru_cache
from typing import Any

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    and_,
    bindparam,
    case,
    func,
    literal,
    or_,
    select,
)

from db.tables import Answer, Asks, Context, Item, KnownAnswer, LabelType, Lease, UtcDateTime

_STUDY: BindParameter[Any] = bindparam("study_id")
_PERSON: BindParameter[Any] = bindparam("person_id")
_WANTED: BindParameter[Any] = bindparam("votes_wanted")
_NOW: BindParameter[Any] = bindparam("now", type_=UtcDateTime)


@lru_cache
def first_open(asks: Asks) -> Any:
    """The first open question in study order: item id, context id, whether retrieval is asked.

    Binds study_id, person_id, votes_wanted, now.
    """
    retrieval_open, task_open = _open_retrieval(asks), _open_task(asks)
    return (
        _in_study(select(Item.id, Item.context_id, retrieval_open))
        .where(or_(retrieval_open, task_open))
        .order_by(Item.position)
        .limit(1)
    )


@lru_cache
def still_open(asks: Asks, label_type: LabelType) -> Any:
    """A row when the question of this item is open; binds item_id too."""
    condition = _open_retrieval(asks) if label_type == LabelType.RETRIEVAL else _open_task(asks)
    return _in_study(select(Item.id)).where(Item.id == bindparam("item_id"), condition)


@lru_cache
def openness(asks: Asks) -> Any:
    """Of chosen items: id, context id, is retrieval open, is the task open, known A, R, T.

    Binds item_ids too.
    """
    columns = (Item.id, Item.context_id, _open_retrieval(asks), _open_task(asks))
    chosen = Item.id.in_(bindparam("item_ids", expanding=True))
    return _in_study(select(*columns, *known_columns())).where(chosen)


def known_columns() -> tuple[Any, Any, Any]:
    """A, R and T as a model sees them; a refusal has no task, and a task label says A=0."""
    task = case((Item.abstained == 1, None), else_=Item.task)
    abstained = case((task.is_not(None), 0), else_=Item.abstained)
    return abstained, Context.retrieval, task


def can_ask_task() -> ColumnElement[bool]:
    """Items whose task is asked: answered ones, with their text."""
    return and_(or_(Item.abstained.is_(None), Item.abstained == 0), Item.answer.is_not(None))


def is_unknown(label_type: LabelType) -> ColumnElement[bool]:
    """Questions whose answer nobody has given as known; retrieval is one question a context."""
    about = KnownAnswer.context_id == Context.id
    if label_type == LabelType.TASK:
        about = and_(KnownAnswer.context_id == Item.context_id, KnownAnswer.item_id == Item.id)
    known = select(KnownAnswer.id).where(about, KnownAnswer.label_type == label_type)
    return ~known.correlate(Item, Context).exists()


def _in_study(query: Any) -> Any:
    return query.join(Context, Context.id == Item.context_id).where(Item.study_id == _STUDY)


def _open_retrieval(asks: Asks) -> ColumnElement[bool]:
    if asks == Asks.TASK:
        return literal(False)
    to_this = and_(Answer.label_type == LabelType.RETRIEVAL, Answer.context_id == Context.id)
    leased = and_(Lease.label_type == LabelType.RETRIEVAL, Lease.context_id == Context.id)
    # Votes first: it is what most questions of a study that has gone far fail by.
    wants = _wants(Context.retrieval_votes, to_this, leased)
    return and_(wants, Context.retrieval_decided.is_(None), is_unknown(LabelType.RETRIEVAL))


def _open_task(asks: Asks) -> ColumnElement[bool]:
    if asks == Asks.RETRIEVAL:
        return literal(False)
    to_this = and_(Answer.label_type == LabelType.TASK, Answer.item_id == Item.id)
    leased = and_(
        Lease.label_type == LabelType.TASK,
        Lease.context_id == Item.context_id,
        Lease.item_id == Item.id,
    )
    wants = _wants(Item.task_votes, to_this, leased)
    return and_(wants, can_ask_task(), Item.task_decided.is_(None), is_unknown(LabelType.TASK))


def _wants(
    votes: Any, to_this: ColumnElement[bool], leased: ColumnElement[bool]
) -> ColumnElement[bool]:
    """Votes are missing, after those that others are about to give; none of them is mine."""
    others = (
        select(func.count())
        .select_from(Lease)
        .where(
            leased,
            Lease.closed_at.is_(None),
            Lease.expires_at > _NOW,
            Lease.person_id != _PERSON,
        )
        .correlate(Item, Context)
        .scalar_subquery()
    )
    mine = (
        select(Answer.id)
        .where(to_this, Answer.person_id == _PERSON)
        .correlate(Item, Context)
        .exists()
    )
    return and_(votes < _WANTED, ~mine, votes + others < _WANTED)
