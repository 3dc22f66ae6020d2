"""The plan that leads a study's queue, and what the worker last recommended for it.

Rows of advice are JSON lists in the order of their fields; the names of strategies, quantities and
reasons are the workflow's.
"""

from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, and_, func, select, update
from sqlalchemy.orm import Session, aliased

from db import labels
from db.tables import Advice, Answer, Item, LabelEvent, LabelType, Plan, System, Value


class Prices(NamedTuple):
    """The price of one vote of each label."""

    retrieval: float
    task: float
    task_after_retrieval: float


class PlanTerms(NamedTuple):
    """What a lead decided; one of `budget` and `half_width` is the goal."""

    system: str
    strategy: str
    quantity: str
    population: str
    prices: Prices
    budget: float | None
    half_width: float | None
    audit_share: float


class OpenPlan(NamedTuple):
    """A plan in force; labels after `start_event_id` are paid by it."""

    id: int
    study_id: int
    system_id: int
    terms: PlanTerms
    start_event_id: int
    goes_on: bool
    person: str
    created_at: datetime


class Known(NamedTuple):
    """What is known of an item; None is not known. A task label says that A is 0."""

    abstained: int | None
    retrieval: int | None
    task: int | None


class Step(NamedTuple):
    """Ask this label of items of which this is known."""

    known: Known
    label: LabelType


class AdviceRow(NamedTuple):
    """A kind of question worth asking; rows of equal rank are equally good.

    `known` is None where only the label counts. `then` says which label follows on the same item.
    `items` are some of the open ones in random order, `probability` that of one of them to be
    asked next.
    """

    known: Known | None
    label: LabelType
    rank: int
    score: float
    words: str
    reason: str
    open_items: int
    probability: float | None
    then: tuple[Step, ...]
    items: tuple[int, ...]


class AuditDraw(NamedTuple):
    """Items drawn evenly from all open ones, and which label is asked of them."""

    probability: float | None
    steps: tuple[Step, ...]
    items: tuple[int, ...]


class PlanAdvice(NamedTuple):
    """What the worker found after the newest posterior."""

    fit_id: int | None
    last_event_id: int
    spent: float
    half_width: float | None
    is_reached: bool
    rows: tuple[AdviceRow, ...]
    audit: AuditDraw
    created_at: datetime


def start(session: Session, study_id: int, terms: PlanTerms, person: str, now: datetime) -> int:
    """Put a plan in force in place of the one there is; returns its id."""
    end(session, study_id, now)
    chosen = select(System.id).where(System.study_id == study_id, System.name == terms.system)
    retrieval, task, after = terms.prices
    row = Plan(
        study_id=study_id,
        system_id=session.scalars(chosen).one(),
        strategy=terms.strategy,
        quantity=terms.quantity,
        population=terms.population,
        cost_retrieval=retrieval,
        cost_task=task,
        cost_task_after_retrieval=after,
        budget=terms.budget,
        half_width=terms.half_width,
        audit_share=terms.audit_share,
        start_event_id=labels.last_event_id(session, study_id),
        person=person,
        created_at=now,
    )
    session.add(row)
    session.flush()
    return row.id


def end(session: Session, study_id: int, now: datetime) -> bool:
    """Take the plan of a study out of force; False when there is none."""
    ended = update(Plan).where(_open_of(study_id)).values(ended_at=now).returning(Plan.id)
    return session.scalar(ended) is not None


def go_on(session: Session, study_id: int) -> bool:
    """Let the plan lead the queue beyond its goal; False when there is none."""
    changed = update(Plan).where(_open_of(study_id)).values(goes_on=True).returning(Plan.id)
    return session.scalar(changed) is not None


def find_open(session: Session, study_id: int) -> OpenPlan | None:
    """The plan in force, or None."""
    found = session.execute(
        select(Plan, System.name)
        .join(System, System.id == Plan.system_id)
        .where(_open_of(study_id))
    ).first()
    return None if found is None else _plan(found[0], found[1])


def save_advice(session: Session, plan_id: int, advice: PlanAdvice) -> None:
    """Replace what was recommended for a plan."""
    row = session.get(Advice, plan_id)
    if row is None:
        row = Advice(plan_id=plan_id)
        session.add(row)
    for name, value in advice._asdict().items():
        setattr(row, name, value)
    row.rows, row.audit = list(advice.rows), list(advice.audit)


def find_advice(session: Session, plan_id: int) -> PlanAdvice | None:
    """The newest recommendation for a plan, or None while there is none."""
    row = session.get(Advice, plan_id)
    if row is None:
        return None
    return PlanAdvice(
        row.fit_id,
        row.last_event_id,
        row.spent,
        row.half_width,
        row.is_reached,
        tuple(_advice_row(fields) for fields in row.rows),
        _audit_draw(row.audit),
        row.created_at,
    )


def sum_spent(session: Session, plan: OpenPlan) -> float:
    """What the labels that count cost since the plan began; imported ones cost nothing."""
    earlier = aliased(Answer)
    has_read = (
        select(earlier.id)
        .where(
            earlier.label_type == LabelType.RETRIEVAL,
            earlier.context_id == Answer.context_id,
            earlier.person_id == Answer.person_id,
            earlier.event_id < Answer.event_id,
            earlier.value != Value.SKIP,
        )
        .exists()
    )
    kinds = session.execute(
        select(Answer.label_type, has_read, func.count())
        .join(Item, Item.id == Answer.item_id)
        .join(LabelEvent, LabelEvent.id == Answer.event_id)
        .where(Item.system_id == plan.system_id, Answer.event_id > plan.start_event_id)
        .where(labels.counting(), LabelEvent.reason_asked != labels.IMPORTED)
        .group_by(Answer.label_type, has_read)
    )
    return sum(
        count * price_of(plan.terms.prices, LabelType(label), bool(read))
        for label, read, count in kinds
    )


def price_of(prices: Prices, label: LabelType, has_read: bool = False) -> float:
    """The price of a label; a task asked right after retrieval shares its reading."""
    if label == LabelType.RETRIEVAL:
        return prices.retrieval
    return prices.task_after_retrieval if has_read else prices.task


def _open_of(study_id: int) -> ColumnElement[bool]:
    return and_(Plan.study_id == study_id, Plan.ended_at.is_(None))


def _plan(row: Plan, system: str) -> OpenPlan:
    prices = Prices(row.cost_retrieval, row.cost_task, row.cost_task_after_retrieval)
    terms = PlanTerms(
        system,
        row.strategy,
        row.quantity,
        row.population,
        prices,
        row.budget,
        row.half_width,
        row.audit_share,
    )
    return OpenPlan(
        row.id,
        row.study_id,
        row.system_id,
        terms,
        row.start_event_id,
        row.goes_on,
        row.person,
        row.created_at,
    )


def _advice_row(fields: list[Any]) -> AdviceRow:
    row = AdviceRow(*fields)
    return row._replace(
        known=None if row.known is None else Known(*row.known),
        label=LabelType(row.label),
        then=_steps(row.then),
        items=tuple(row.items),
    )


def _audit_draw(fields: list[Any]) -> AuditDraw:
    draw = AuditDraw(*fields)
    return draw._replace(steps=_steps(draw.steps), items=tuple(draw.items))


def _steps(fields: Any) -> tuple[Step, ...]:
    return tuple(Step(Known(*known), LabelType(label)) for known, label in fields)
