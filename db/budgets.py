"""How many labels may still be given: budgets of each label type and of all.

What is spent is every label that was given here and counts; what is held is every live lease that
may become one. Their sum never exceeds a budget, so a question is handed out only where there is
room, and an answer that comes after its lease has ended counts only where there still is. Imported
labels, skips, extra votes, checks and practice cost nothing.
"""

from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import and_, func, select, update
from sqlalchemy.orm import Session

from db import tables
from db.tables import Answer, Asks, EventKind, LabelType, Lease

EDITED = "edited"  # reason_asked of a question its person opened again: it is paid for already


class Budgets(NamedTuple):
    """Labels that may be given, of each type and in all; None: no limit."""

    retrieval: int | None = None
    task: int | None = None
    in_all: int | None = None

    @property
    def is_limited(self) -> bool:
        """Whether there is any limit."""
        return any(limit is not None for limit in self)


class Spending(NamedTuple):
    """Labels given and questions in people's hands, of each type."""

    retrieval: int
    task: int
    held_retrieval: int
    held_task: int

    def of(self, label_type: LabelType) -> int:
        """Given and held of one type."""
        if label_type == LabelType.RETRIEVAL:
            return self.retrieval + self.held_retrieval
        return self.task + self.held_task

    @property
    def in_all(self) -> int:
        """Given and held of both types."""
        return sum(self)


def read_budgets(session: Session, study_id: int) -> Budgets:
    """The budgets of a study."""
    row = session.get_one(tables.Study, study_id)
    return Budgets(row.retrieval_budget, row.task_budget, row.label_budget)


def read_spending(
    session: Session, study_id: int, now: datetime, besides: int | None = None
) -> Spending:
    """What is given and held at this moment, all in one statement, so of one state.

    Args:
        session: of the caller.
        study_id: of the study.
        now: leases that ended before are held by nobody.
        besides: the person whose own lease does not count, since they give it back.
    """
    given = [_given(study_id, label_type) for label_type in LabelType]
    held = [_held(study_id, label_type, now, besides) for label_type in LabelType]
    return Spending(*session.execute(select(*given, *held)).one())


def find_room(budgets: Budgets, spending: Spending, asks: Asks) -> Asks | None:
    """What may be asked of what the study asks; None when nothing may."""
    if budgets.in_all is not None and spending.in_all >= budgets.in_all:
        return None
    open_types = [
        label_type
        for label_type, limit in zip(LabelType, budgets, strict=False)
        if asks in (Asks.BOTH, Asks(label_type)) and _has_room(limit, spending.of(label_type))
    ]
    if not open_types:
        return None
    return Asks.BOTH if len(open_types) == len(LabelType) else Asks(open_types[0])


def set_budgets(session: Session, study_id: int, budgets: Budgets) -> None:
    """Change the budgets; the caller has seen that they hold what is spent."""
    session.execute(
        update(tables.Study)
        .where(tables.Study.id == study_id)
        .values(
            retrieval_budget=budgets.retrieval,
            task_budget=budgets.task,
            label_budget=budgets.in_all,
        )
    )


def _has_room(limit: int | None, spent: int) -> bool:
    return limit is None or spent < limit


def _given(study_id: int, label_type: LabelType) -> Any:
    return (
        select(func.count())
        .select_from(Answer)
        .where(
            Answer.study_id == study_id,
            Answer.label_type == label_type,
            Answer.is_charged.is_(True),
        )
        .scalar_subquery()
    )


def _held(study_id: int, label_type: LabelType, now: datetime, besides: int | None) -> Any:
    live = and_(
        Lease.study_id == study_id,
        Lease.label_type == label_type,
        Lease.kind == EventKind.LABEL,
        Lease.closed_at.is_(None),
        Lease.expires_at > now,
        Lease.reason_asked != EDITED,
    )
    if besides is not None:
        live = and_(live, Lease.person_id != besides)
    return select(func.count()).select_from(Lease).where(live).scalar_subquery()
