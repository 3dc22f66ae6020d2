"""How far a study is, and why there is no question for somebody."""

from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, and_, case, func, or_, select
from sqlalchemy.orm import Session, aliased

from db.budgets import Budgets, Spending
from db.open_questions import can_ask_task
from db.studies import Study
from db.tables import Answer, Asks, Context, Item, KnownAnswer, LabelType, Lease


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
    for label_type, question in _questions(study):
        every, known = _count(session, question), _known(session, question, study, label_type)
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


def _questions(study: Study) -> list[tuple[LabelType, Any]]:
    """(done, total) of each label type that is asked, as queries that an index answers alone."""
    asks, found = study.settings.asks, []
    if asks != Asks.TASK:
        done = _is_done(study, Context.retrieval_votes, Context.retrieval_decided)
        found.append((LabelType.RETRIEVAL, _tally(done).where(Context.study_id == study.id)))
    if asks != Asks.RETRIEVAL:
        done = _is_done(study, Item.task_votes, Item.task_decided)
        of_study = and_(Item.study_id == study.id, can_ask_task())
        found.append((LabelType.TASK, _tally(done).where(of_study)))
    return found


def _known(session: Session, question: Any, study: Study, label_type: LabelType) -> Progress:
    """The same of the few questions whose answer is known: asking each row would cost the most."""
    column, subject = (
        (KnownAnswer.context_id, Context.id)
        if label_type == LabelType.RETRIEVAL
        else (KnownAnswer.item_id, Item.id)
    )
    of_study = and_(KnownAnswer.study_id == study.id, KnownAnswer.label_type == label_type)
    known = session.scalars(select(column).where(of_study)).all()
    return _count(session, question.where(subject.in_(known))) if known else Progress(0, 0)


def _is_done(study: Study, votes: Any, decided: Any) -> ColumnElement[bool]:
    """All votes are there, or a lead has decided."""
    return or_(votes >= study.votes_wanted, decided.is_not(None))


def _tally(done: ColumnElement[bool]) -> Any:
    return select(func.coalesce(func.sum(case((done, 1), else_=0)), 0), func.count())


def _count(session: Session, question: Any) -> Progress:
    return Progress(*session.execute(question).one())
