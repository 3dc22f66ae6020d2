"""Which question a person gets: what the study's plan asks, else the first open one, by a lease.

Finding the question and taking its lease are one step that one person at a time takes. The holder
can always renew, and answers through the lease, once.
"""

from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, and_, case, func, select, update
from sqlalchemy.orm import Session, aliased

from db import planned
from db.errors import StoreError
from db.labels import Subject
from db.locks import own_claims
from db.open_questions import can_ask_task, first_open, still_open
from db.planned import Asker, Choice
from db.studies import Study
from db.tables import Answer, Asks, Context, Item, LabelType, Lease

LEASE_TIME = timedelta(minutes=10)
STUDY_ORDER = "study order"  # reason_asked of a question nobody chose
EDITED = "edited"  # reason_asked of a question its person opened again


class Holder(NamedTuple):
    """Who asks, and when."""

    study: Study
    person_id: int
    now: datetime


class Reason(NamedTuple):
    """Why a question is asked: in words, with its selection probability and the fit behind it."""

    text: str = STUDY_ORDER
    selection_probability: float | None = None
    fit_id: int | None = None


class OpenLease(NamedTuple):
    """A question in somebody's hands."""

    id: int
    subject: Subject
    issued_at: datetime
    expires_at: datetime
    reason: Reason


class EmptyReason(StrEnum):
    """Why there is no question."""

    NO_ITEMS = "no_items"
    FINISHED = "finished"
    ALL_LEASED = "all_leased"
    SKIPPED_THE_REST = "skipped_the_rest"
    ANSWERED_YOUR_SHARE = "answered_your_share"
    PLAN_DONE = "plan_done"


class Empty(NamedTuple):
    """There is no question for this person; `next_free` when the first lease of others ends."""

    reason: EmptyReason
    next_free: datetime | None = None


class Progress(NamedTuple):
    """Questions of a study that have all their votes, of all questions it has."""

    done: int
    total: int


def claim(session: Session, holder: Holder) -> OpenLease | Empty:
    """The question this person holds, renewed, or the next open one, leased now."""
    own_claims(session, holder.study.id)
    held = _held(session, holder)
    if held is not None and _may_keep(session, holder, held):
        held.expires_at = holder.now + LEASE_TIME
        return _public(held)
    if held is not None:
        held.closed_at = holder.now
        session.flush()
    return _hand_out(session, holder)


def lease(session: Session, holder: Holder, subject: Subject, reason: Reason) -> OpenLease:
    """Hand this question to this person, in place of the one they hold."""
    close_held(session, holder)
    row = Lease(
        study_id=holder.study.id,
        person_id=holder.person_id,
        **subject._asdict(),
        reason_asked=reason.text,
        selection_probability=reason.selection_probability,
        fit_id=reason.fit_id,
        issued_at=holder.now,
        expires_at=holder.now + LEASE_TIME,
    )
    session.add(row)
    session.flush()
    return _public(row)


def close(session: Session, lease_id: int, person_id: int, now: datetime) -> OpenLease | None:
    """Close a lease to answer through it; None when it is not this person's open lease.

    One conditional update: of ten submits, one gets the lease and nine get None.
    """
    row = session.scalar(
        update(Lease)
        .where(Lease.id == lease_id, Lease.person_id == person_id, Lease.closed_at.is_(None))
        .values(closed_at=now)
        .returning(Lease)
    )
    return None if row is None else _public(row)


def close_held(session: Session, holder: Holder) -> None:
    """Give back the question this person holds, if any."""
    session.execute(update(Lease).where(_held_by(holder)).values(closed_at=holder.now))


def progress(session: Session, study: Study) -> Progress:
    """Done and total questions of a study."""
    done = total = 0
    if study.settings.asks != Asks.TASK:
        votes = func.coalesce(func.sum(_as_int(Context.retrieval_votes >= study.votes_wanted)), 0)
        row = session.execute(select(func.count(), votes).where(Context.study_id == study.id)).one()
        total, done = total + row[0], done + row[1]
    if study.settings.asks != Asks.RETRIEVAL:
        votes = func.coalesce(func.sum(_as_int(Item.task_votes >= study.votes_wanted)), 0)
        row = session.execute(
            select(func.count(), votes).where(Item.study_id == study.id, can_ask_task())
        ).one()
        total, done = total + row[0], done + row[1]
    return Progress(done, total)


def get_subject(session: Session, lease_id: int, person_id: int) -> Subject:
    """What a lease of this person is about.

    Raises:
        StoreError: it is not theirs.
    """
    row = session.scalar(select(Lease).where(Lease.id == lease_id, Lease.person_id == person_id))
    if row is None:
        raise StoreError("This question was handed to somebody else. Reload the page.")
    return _lease_subject(row)


def _may_keep(session: Session, holder: Holder, held: Lease) -> bool:
    """A question opened for a change has an answer already, and stays until it is given."""
    return held.reason_asked == EDITED or _is_open(session, holder, _lease_subject(held))


def _held(session: Session, holder: Holder) -> Lease | None:
    return session.scalar(select(Lease).where(_held_by(holder)))


def _held_by(holder: Holder) -> ColumnElement[bool]:
    return and_(
        Lease.study_id == holder.study.id,
        Lease.person_id == holder.person_id,
        Lease.closed_at.is_(None),
    )


def _hand_out(session: Session, holder: Holder) -> OpenLease | Empty:
    """A new question: what the plan asks, else, or where it has none for them, in study order."""
    asker = Asker(holder.study.settings.asks, holder.person_id, holder.now, _binds(holder))
    purse = planned.open_purse(session, holder.study.id, asker)
    if purse is not None and purse.is_done:
        return Empty(EmptyReason.PLAN_DONE)
    choice = None if purse is None else planned.choose(session, purse, asker)
    if choice is None:
        subject = _take_next(session, holder)
        if subject is None:
            return _why_empty(session, holder)
        choice = Choice(subject, *Reason())
    if purse is not None and not purse.can_pay(choice.subject.label_type, choice.has_read):
        return Empty(EmptyReason.PLAN_DONE)
    reason = Reason(choice.text, choice.selection_probability, choice.fit_id)
    return lease(session, holder, choice.subject, reason)


def _take_next(session: Session, holder: Holder) -> Subject | None:
    row = session.execute(first_open(holder.study.settings.asks), _binds(holder)).first()
    if row is None:
        return None
    return Subject(LabelType.RETRIEVAL if row[2] else LabelType.TASK, row[0], row[1])


def _is_open(session: Session, holder: Holder, subject: Subject) -> bool:
    query = still_open(holder.study.settings.asks, subject.label_type)
    binds = _binds(holder) | {"item_id": subject.item_id}
    return session.execute(query, binds).first() is not None


def _binds(holder: Holder) -> dict[str, Any]:
    return {
        "study_id": holder.study.id,
        "person_id": holder.person_id,
        "votes_wanted": holder.study.votes_wanted,
        "now": holder.now,
    }


def _why_empty(session: Session, holder: Holder) -> Empty:
    study, person = holder.study, holder.person_id
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
            others.expires_at > holder.now,
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


def _as_int(condition: ColumnElement[bool]) -> Any:
    return case((condition, 1), else_=0)


def _lease_subject(row: Lease) -> Subject:
    return Subject(LabelType(row.label_type), row.item_id, row.context_id)


def _public(row: Lease) -> OpenLease:
    reason = Reason(row.reason_asked, row.selection_probability, row.fit_id)
    return OpenLease(row.id, _lease_subject(row), row.issued_at, row.expires_at, reason)
