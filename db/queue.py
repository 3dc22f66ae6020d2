"""Which question a person gets: what the study's plan asks, else the first open one, by a lease.

Finding the question and taking its lease are one step that one person at a time takes. The holder
can always renew, and answers through the lease, once.
"""

import random
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, and_, select, update
from sqlalchemy.orm import Session

from db import budgets, known_answers, labels, planned
from db.budgets import EDITED as EDITED
from db.errors import StoreError
from db.labels import Subject
from db.locks import own_claims
from db.open_questions import first_open, still_open
from db.planned import Asker, Choice, Purse
from db.progress import Empty as Empty
from db.progress import EmptyReason as EmptyReason
from db.progress import Progress as Progress
from db.progress import progress as progress
from db.progress import why_empty
from db.studies import Study
from db.tables import Asks, EventKind, LabelType, Lease, StudyState, Value

LEASE_TIME = timedelta(minutes=10)
STUDY_ORDER = "study order"  # reason_asked of a question nobody chose
PRACTICE = "practice"  # reason_asked of questions whose answer is known and told
CHECK = "check"  # reason_asked of hidden questions whose answer is known
IN_A_ROW = "in a row"  # reason_asked of the task right after the retrieval of the same item


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
    kind: EventKind = EventKind.LABEL


def claim(session: Session, holder: Holder) -> OpenLease | Empty:
    """The question this person holds, renewed, or the next open one, leased now."""
    own_claims(session, holder.study.id)
    state = holder.study.state
    held = _held(session, holder)
    if held is not None and state != StudyState.DRAFT and _may_keep(session, holder, held):
        held.expires_at = holder.now + LEASE_TIME
        return _public(held)
    if held is not None:
        held.closed_at = holder.now
        session.flush()
    if state != StudyState.OPEN:
        return Empty(EmptyReason(state))
    return _hand_out(session, holder)


def lease(
    session: Session,
    holder: Holder,
    subject: Subject,
    reason: Reason,
    kind: EventKind = EventKind.LABEL,
) -> OpenLease:
    """Hand this question to this person, in place of the one they hold."""
    close_held(session, holder)
    row = Lease(
        study_id=holder.study.id,
        person_id=holder.person_id,
        **subject._asdict(),
        kind=kind,
        reason_asked=reason.text,
        selection_probability=reason.selection_probability,
        fit_id=reason.fit_id,
        issued_at=holder.now,
        expires_at=holder.now + LEASE_TIME,
    )
    session.add(row)
    session.flush()
    return _public(row)


def has_room(session: Session, holder: Holder, label_type: LabelType) -> bool:
    """Whether the budgets have room for one more label of this person; others' leases count.

    The answer holds until the transaction ends.
    """
    limits = holder.study.budgets
    if not limits.is_limited:
        return True
    own_claims(session, holder.study.id)
    limits = budgets.read_budgets(session, holder.study.id)
    spending = budgets.read_spending(session, holder.study.id, holder.now, holder.person_id)
    return budgets.find_room(limits, spending, Asks(label_type)) is not None


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
    """A question opened for a change has an answer already, and stays until it is given.

    The place in the budget of a lease that has ended may be somebody else's now.
    """
    if held.reason_asked == EDITED or held.kind != EventKind.LABEL:
        return True
    subject = _lease_subject(held)
    is_reserved = held.expires_at > holder.now or has_room(session, holder, subject.label_type)
    return is_reserved and _is_open(session, holder, subject)


def _held(session: Session, holder: Holder) -> Lease | None:
    return session.scalar(select(Lease).where(_held_by(holder)))


def _held_by(holder: Holder) -> ColumnElement[bool]:
    return and_(
        Lease.study_id == holder.study.id,
        Lease.person_id == holder.person_id,
        Lease.closed_at.is_(None),
    )


def _hand_out(session: Session, holder: Holder) -> OpenLease | Empty:
    """A new question: the second half of an item that is asked in a row, else what the plan asks.

    Where neither has one for this person: the first open one in study order.
    """
    known = _known_question(session, holder)
    if known is not None:
        return known
    may_ask, spent = _affordable(session, holder)
    if may_ask is None:
        return spent
    asker = Asker(may_ask, holder.person_id, holder.now, _binds(holder))
    purse = planned.open_purse(session, holder.study.id, asker)
    if purse is not None and purse.is_done:
        return Empty(EmptyReason.PLAN_DONE)
    choice = _choose(session, holder, asker, purse)
    if choice is None:
        why = why_empty(session, holder.study, holder.person_id, holder.now)
        narrowed = may_ask != holder.study.settings.asks and why.reason != EmptyReason.NO_ITEMS
        return spent if narrowed and why.reason != EmptyReason.FINISHED else why
    if purse is not None and not purse.can_pay(choice.subject.label_type, choice.has_read):
        return Empty(EmptyReason.PLAN_DONE)
    reason = Reason(choice.text, choice.selection_probability, choice.fit_id)
    return lease(session, holder, choice.subject, reason)


def _known_question(session: Session, holder: Holder) -> OpenLease | None:
    """Practice before anything else, then for a share of all questions a hidden check."""
    settings, study_id = holder.study.settings, holder.study.id
    if settings.practices_first:
        subject = known_answers.find_next(session, study_id, holder.person_id, True)
        if subject is not None:
            return lease(session, holder, subject, Reason(PRACTICE), EventKind.PRACTICE)
    # What is not left to anybody's guess needs no reproducible stream.
    if settings.gold_share > 0 and random.random() < settings.gold_share:
        subject = known_answers.find_next(session, study_id, holder.person_id, False)
        if subject is not None:
            return lease(session, holder, subject, Reason(CHECK), EventKind.CHECK)
    return None


def _affordable(session: Session, holder: Holder) -> tuple[Asks | None, Empty]:
    """What the budgets let a person be asked, and what to say where that is nothing."""
    limits, asks = holder.study.budgets, holder.study.settings.asks
    if not limits.is_limited:
        return asks, Empty(EmptyReason.BUDGET_SPENT)
    spending = budgets.read_spending(session, holder.study.id, holder.now, holder.person_id)
    spent = Empty(EmptyReason.BUDGET_SPENT, None, spending, limits)
    return budgets.find_room(limits, spending, asks), spent


def _choose(session: Session, holder: Holder, asker: Asker, purse: Purse | None) -> Choice | None:
    if holder.study.settings.asks_in_row and asker.asks != Asks.RETRIEVAL:
        choice = _in_a_row(session, holder)
        if choice is not None:
            return choice
    choice = None if purse is None else planned.choose(session, purse, asker)
    if choice is not None:
        return choice
    subject = _take_next(session, holder, asker)
    return None if subject is None else Choice(subject, *Reason())


def _in_a_row(session: Session, holder: Holder) -> Choice | None:
    """The task of the item whose retrieval this person has just answered, if it is open."""
    last = labels.find_last(session, holder.study.id, holder.person_id)
    if last is None or last.subject.label_type != LabelType.RETRIEVAL or last.value == Value.SKIP:
        return None
    subject = last.subject._replace(label_type=LabelType.TASK)
    if not _is_open(session, holder, subject):
        return None
    return Choice(subject, IN_A_ROW, None, None, has_read=True)


def _take_next(session: Session, holder: Holder, asker: Asker) -> Subject | None:
    row = session.execute(first_open(asker.asks), asker.binds).first()
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


def _lease_subject(row: Lease) -> Subject:
    return Subject(LabelType(row.label_type), row.item_id, row.context_id)


def _public(row: Lease) -> OpenLease:
    reason = Reason(row.reason_asked, row.selection_probability, row.fit_id)
    kind = EventKind(row.kind)
    return OpenLease(row.id, _lease_subject(row), row.issued_at, row.expires_at, reason, kind)
