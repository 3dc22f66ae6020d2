"""How far a study is, and why there is no question for somebody."""

from datetime import datetime
from enum import StrEnum
from functools import lru_cache
from typing import Any, NamedTuple

from sqlalchemy import and_, bindparam, case, func, or_, select
from sqlalchemy.orm import Session, aliased

from db.budgets import Budgets, Spending
from db.open_questions import can_ask_task
from db.studies import Study
from db.tables import Answer, Asks, Context, Item, KnownAnswer, LabelType, Lease

LABEL_TYPES = {
    Asks.RETRIEVAL: (LabelType.RETRIEVAL,),
    Asks.TASK: (LabelType.TASK,),
    Asks.BOTH: (LabelType.RETRIEVAL, LabelType.TASK),
}


class EmptyReason(StrEnum):
    """Why there is no question."""

    NO_ITEMS = "no_items"
    FINISHED = "finished"
    ALL_LEASED = "all_leased"
    SKIPPED_THE_REST = "skipped_the_rest"
    ANSWERED_YOUR_SHARE = "answered_your_share"
    PLAN_DONE = "plan_done"
    BUDGET_SPENT = "budget_spent"
    DRAFT = "draft"
    PAUSED = "paused"
    CLOSED = "closed"


class Empty(NamedTuple):
    """There is no question for this person, and why.

    `next_free`: when the first lease of others ends. `spending` and `budgets`: what was given and
    is held of what may be, where a budget is the reason.
    """

    reason: EmptyReason
    next_free: datetime | None = None
    spending: Spending | None = None
    budgets: Budgets = Budgets()


class Progress(NamedTuple):
    """Questions of a study that have all their votes, of all questions it has."""

    done: int
    total: int


def progress(session: Session, study: Study) -> Progress:
    """Done and total questions of a study; one whose answer is known is none of them."""
    done = total = 0
    binds = {"study_id": study.id, "votes_wanted": study.votes_wanted}
    for label_type in LABEL_TYPES[study.settings.asks]:
        every = Progress(*session.execute(_tally(label_type), binds).one())
        known = _known(session, binds, label_type)
        done, total = done + every.done - known.done, total + every.total - known.total
    return Progress(done, total)


def why_empty(session: Session, study: Study, person: int, now: datetime) -> Empty:
    """Why this person gets no question of an open study whose budgets have room."""
    tally = progress(session, study)
    if not tally.total:
        return Empty(EmptyReason.NO_ITEMS)
    if tally.done >= tally.total:
        return Empty(EmptyReason.FINISHED)
    others = aliased(Lease)
    next_free = session.scalar(
        select(func.min(others.expires_at)).where(
            others.study_id == study.id,
            others.person_id != person,
            others.closed_at.is_(None),
            others.expires_at > now,
        )
    )
    if next_free is not None:
        return Empty(EmptyReason.ALL_LEASED, next_free)
    skipped = session.scalar(
        select(func.count()).where(
            Answer.study_id == study.id, Answer.person_id == person, Answer.value == "skip"
        )
    )
    reason = EmptyReason.SKIPPED_THE_REST if skipped else EmptyReason.ANSWERED_YOUR_SHARE
    return Empty(reason)


@lru_cache
def _tally(label_type: LabelType) -> Any:
    """(done, total), which an index answers alone; built once, as it is read at every click.

    Done: all votes are there, or a lead has decided. Binds study_id, votes_wanted.
    """
    if label_type == LabelType.RETRIEVAL:
        votes, decided = Context.retrieval_votes, Context.retrieval_decided
        of_study = Context.study_id == bindparam("study_id")
    else:
        votes, decided = Item.task_votes, Item.task_decided
        of_study = and_(Item.study_id == bindparam("study_id"), can_ask_task())
    is_done = or_(votes >= bindparam("votes_wanted"), decided.is_not(None))
    done = func.coalesce(func.sum(case((is_done, 1), else_=0)), 0)
    return select(done, func.count()).where(of_study)


def _known(session: Session, binds: dict[str, int], label_type: LabelType) -> Progress:
    """The same of the few questions whose answer is known: asking each row would cost the most."""
    known = session.scalars(_known_subjects(label_type), binds).all()
    if not known:
        return Progress(0, 0)
    subject = Context.id if label_type == LabelType.RETRIEVAL else Item.id
    return Progress(*session.execute(_tally(label_type).where(subject.in_(known)), binds).one())


@lru_cache
def _known_subjects(label_type: LabelType) -> Any:
    is_retrieval = label_type == LabelType.RETRIEVAL
    subject = KnownAnswer.context_id if is_retrieval else KnownAnswer.item_id
    return select(subject).where(
        KnownAnswer.study_id == bindparam("study_id"), KnownAnswer.label_type == label_type
    )
