"""Which question a plan asks a person next: read from the newest advice, never computed here.

First the label that completes the item they have just read, then, for a share of all questions, an
item drawn evenly from every open one (the audit), else the best ranked kind of question. Live
leases and labels that are not in the advice yet count as spent, so a budget is never exceeded.
"""

import random
from collections.abc import Iterator
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import Session

from db import labels, plans
from db.labels import Subject
from db.open_questions import openness
from db.plans import AdviceRow, AuditDraw, Known, OpenPlan, PlanAdvice, Step
from db.tables import Asks, EventKind, Item, LabelEvent, LabelType, Lease, Value

AUDIT = "audit"  # reason_asked of items drawn evenly from all open ones
PLANNED = "plan: "  # begins reason_asked of what the advice names
NO_ADVICE = PlanAdvice(None, 0, 0.0, None, False, (), AuditDraw(None, (), ()), datetime.min)


class Asker(NamedTuple):
    """Who asks for a question: what the statements of open_questions bind, and the study's asks."""

    asks: Asks
    person_id: int
    now: datetime
    binds: dict[str, Any]


class Choice(NamedTuple):
    """A question that the plan asks, and why."""

    subject: Subject
    text: str
    selection_probability: float | None
    fit_id: int | None
    has_read: bool = False


class Purse(NamedTuple):
    """A plan with its newest advice and the money that is left; None: no limit."""

    plan: OpenPlan
    advice: PlanAdvice
    left: float | None

    @property
    def is_done(self) -> bool:
        """Whether the goal is reached and nobody asked for more."""
        return self.advice.is_reached and not self.plan.goes_on

    def can_pay(self, label: LabelType, has_read: bool = False) -> bool:
        """Whether the budget has room for one more vote."""
        price = plans.price_of(self.plan.terms.prices, label, has_read)
        return self.left is None or price <= self.left + 1e-9


def open_purse(session: Session, study_id: int, asker: Asker) -> Purse | None:
    """The plan in force with what is left of its budget now, or None."""
    plan = plans.find_open(session, study_id)
    if plan is None:
        return None
    advice = plans.find_advice(session, plan.id)
    if advice is None:
        advice = NO_ADVICE._replace(last_event_id=plan.start_event_id)
    budget = plan.terms.budget
    if budget is None or plan.goes_on:
        return Purse(plan, advice, None)
    return Purse(plan, advice, budget - advice.spent - _pending(session, plan, advice, asker))


def choose(session: Session, purse: Purse, asker: Asker) -> Choice | None:
    """The question the plan asks this person next; None when it has none for them."""
    for choice in _choices(session, purse, asker):
        return choice
    return None


def _choices(session: Session, purse: Purse, asker: Asker) -> Iterator[Choice]:
    yield from _completing(session, purse, asker)
    advice = purse.advice
    # What is not left to anybody's guess needs no reproducible stream.
    if random.random() < purse.plan.terms.audit_share:
        audit = advice.audit
        yield from _from_items(session, asker, audit.items, audit.steps, _why_audit(advice))
    for row in _in_order(advice.rows):
        why = Choice(_NOBODY, PLANNED + row.words, row.probability, advice.fit_id)
        steps = () if row.known is None else (Step(row.known, row.label),)
        yield from _from_items(session, asker, row.items, steps or row.label, why)


_NOBODY = Subject(LabelType.RETRIEVAL, 0, 0)


def _why_audit(advice: PlanAdvice) -> Choice:
    return Choice(_NOBODY, AUDIT, advice.audit.probability, advice.fit_id)


def _in_order(rows: tuple[AdviceRow, ...]) -> list[AdviceRow]:
    """By rank; within a rank at random, as likely as there are open items (Efraimidis 2006)."""
    return sorted(
        rows,
        key=lambda row: (row.rank, -(random.random() ** (1 / max(row.open_items, 1)))),
    )


def _from_items(
    session: Session,
    asker: Asker,
    items: tuple[int, ...],
    steps: tuple[Step, ...] | LabelType,
    why: Choice,
) -> Iterator[Choice]:
    """The first of these items that is open to this person, with the label its step asks."""
    found = _look_at(session, asker, items)
    for item_id in items:
        state = found.get(item_id)
        label = None if state is None else _label_of(state, steps)
        if state is not None and label is not None:
            yield why._replace(subject=Subject(label, item_id, state.context_id))
            return


class _State(NamedTuple):
    """An item as it is now: what is known, and what may be asked of this person."""

    context_id: int
    known: Known
    open_labels: frozenset[LabelType]


def _look_at(session: Session, asker: Asker, items: tuple[int, ...]) -> dict[int, _State]:
    if not items:
        return {}
    query = openness(asker.asks)
    rows = session.execute(query, asker.binds | {"item_ids": list(items)})
    return {
        item_id: _State(context_id, Known(*known), _open_labels(is_retrieval, is_task))
        for item_id, context_id, is_retrieval, is_task, *known in rows
    }


def _open_labels(is_retrieval: bool, is_task: bool) -> frozenset[LabelType]:
    pairs = ((LabelType.RETRIEVAL, is_retrieval), (LabelType.TASK, is_task))
    return frozenset(label for label, is_open in pairs if is_open)


def _label_of(state: _State, steps: tuple[Step, ...] | LabelType) -> LabelType | None:
    """The label that is asked of an item in this state, if it is open."""
    if isinstance(steps, LabelType):
        return steps if steps in state.open_labels else None
    wanted = [step.label for step in steps if step.known == state.known]
    return next((label for label in wanted if label in state.open_labels), None)


def _completing(session: Session, purse: Purse, asker: Asker) -> Iterator[Choice]:
    """The second label of the item this person has just read, where the plan wants it."""
    last = labels.find_last(session, purse.plan.study_id, asker.person_id)
    if last is None or last.id <= purse.plan.start_event_id:
        return
    event = session.get_one(LabelEvent, last.id)
    advice, label = purse.advice, last.subject.label_type
    if event.reason_asked == AUDIT:
        steps = advice.audit.steps
    elif event.reason_asked.startswith(PLANNED):
        steps = tuple(step for row in advice.rows if row.label == label for step in row.then)
    else:
        return
    why = Choice(_NOBODY, event.reason_asked, event.selection_probability, advice.fit_id)
    has_read = label == LabelType.RETRIEVAL
    for choice in _from_items(session, asker, (last.subject.item_id,), steps, why):
        yield choice._replace(has_read=has_read)


def _pending(session: Session, plan: OpenPlan, advice: PlanAdvice, asker: Asker) -> float:
    """The price of labels that the advice does not know, and of what others hold."""
    prices = plan.terms.prices
    since = (
        select(LabelEvent.label_type)
        .join(Item, Item.id == LabelEvent.item_id)
        .where(LabelEvent.study_id == plan.study_id, LabelEvent.id > advice.last_event_id)
        .where(Item.system_id == plan.system_id, LabelEvent.kind == EventKind.LABEL)
        .where(LabelEvent.value != Value.SKIP, LabelEvent.reason_asked != labels.IMPORTED)
    )
    held = (
        select(Lease.label_type)
        .join(Item, Item.id == Lease.item_id)
        .where(Lease.study_id == plan.study_id, Item.system_id == plan.system_id)
        .where(Lease.closed_at.is_(None), Lease.expires_at > asker.now)
        .where(Lease.person_id != asker.person_id)
    )
    # Held first: an answer saved between the two is counted twice rather than not at all.
    names = [*session.scalars(held), *session.scalars(since)]
    return sum(plans.price_of(prices, LabelType(name)) for name in names)
