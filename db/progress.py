"""How far a study is, and why there is no question for somebody."""

from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, and_, case, func, or_, select
from sqlalchemy.orm import Session, aliased

from db.budgets import Budgets, Spending
from db.open_questions import can_ask_task, is_unknown
from db.studies import Study
from db.tables import Answer, Asks, Context, Item, LabelType, Lease


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
    """Done and total questions of a study."""
    done = total = 0
    if study.settings.asks != Asks.TASK:
        votes = func.coalesce(func.sum(_as_int(_is_done(study, LabelType.RETRIEVAL))), 0)
        of_study = and_(Context.study_id == study.id, is_unknown(LabelType.RETRIEVAL))
        row = session.execute(select(func.count(), votes).where(of_study)).one()
        total, done = total + row[0], done + row[1]
    if study.settings.asks != Asks.RETRIEVAL:
        votes = func.coalesce(func.sum(_as_int(_is_done(study, LabelType.TASK))), 0)
        row = session.execute(
            select(func.count(), votes).where(
                Item.study_id == study.id, can_ask_task(), is_unknown(LabelType.TASK)
            )
        ).one()
        total, done = total + row[0], done + row[1]
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


def _is_done(study: Study, label_type: LabelType) -> ColumnElement[bool]:
    """All votes are there, or a lead has decided."""
    if label_type == LabelType.RETRIEVAL:
        votes, decided = Context.retrieval_votes, Context.retrieval_decided
    else:
        votes, decided = Item.task_votes, Item.task_decided
    return or_(votes >= study.votes_wanted, decided.is_not(None))


def _as_int(condition: ColumnElement[bool]) -> Any:
    return case((condition, 1), else_=0)
