"""What the worker recommends for the plan in force, after each new posterior.

Kinds of question by worth, with a few random items of each: the queue only reads that, so it never
waits for a fit. Nothing here holds a transaction while it computes.
"""

from datetime import datetime
from typing import NamedTuple

from sqlalchemy import Engine as Database
from sqlalchemy.orm import Session

from db import open_items, plans, studies
from db.engine import reading, transaction
from db.fits import SavedFit
from db.open_items import OpenCount, Place
from db.plans import AdviceRow, AuditDraw, Known, OpenPlan, PlanAdvice, PlanTerms, Step
from db.studies import Study
from db.tables import LabelType
from model.allocation.packages import LabelCosts
from model.allocation.states import NUM_STATES, PATTERNS, Label, can_ask
from model.allocation.strategies import StrategyName
from model.allocation.targets import Population, find_settled
from model.errors import ModelError
from model.rat.cells import UNOBSERVED
from model.rat.derived import Quantity
from workflow import fitting
from workflow.fitting import Due
from workflow.planning import PlanRequest, to_wish
from workflow.ranking import Ranked, rank_questions
from workflow.recommending import audit_label, recommend

SHORTLIST = 40  # items kept for each row; a new list comes with every posterior
MAX_ROWS = 6
TYPES = {Label.RETRIEVAL: LabelType.RETRIEVAL, Label.TASK: LabelType.TASK}
MORE_VOTES = "one more vote where there is one already"


def advise(database: Database, name: str, now: datetime) -> None:
    """Recommend anew for the plan in force, from the newest posterior; nothing without a plan.

    Raises:
        StoreError: there is no such study.
    """
    with reading(database) as session:
        study = studies.get_study(session, name)
        plan = plans.find_open(session, study.id)
    if plan is None:
        return
    due = fitting.read_due(database, name)
    latest = fitting.read_latest(database, name)
    saved = latest.fits if latest is not None else ()
    fit = next((one for one in saved if one.system == plan.terms.system), None)
    ranked = _rank(plan, due, study.votes_wanted)
    with reading(database) as session:
        advice = _advice(session, study, plan, _Newest(due, fit, ranked), now)
    with transaction(database) as session:
        if plans.find_open(session, study.id) == plan:
            plans.save_advice(session, plan.id, advice)


class _Newest(NamedTuple):
    """What is known of a planned system after the newest posterior."""

    due: Due
    fit: SavedFit | None
    ranked: list[Ranked]


def _request(plan: OpenPlan, votes: int) -> PlanRequest:
    terms = plan.terms
    return PlanRequest(
        LabelCosts(*terms.prices),
        Quantity(terms.quantity),
        Population(terms.population),
        terms.budget,
        terms.half_width,
        votes,
    )


def _rank(plan: OpenPlan, due: Due, votes: int) -> list[Ranked]:
    """Kinds of question by worth; none when no label informs the target any more."""
    table = due.tables.get(plan.terms.system)
    if table is None:
        return []
    wish = to_wish(_request(plan, votes), due.settings)
    try:
        found = recommend(table, wish.target, wish.costs, wish.priors, due.last_event_id)
    except ModelError:
        return []
    strategy = StrategyName(plan.terms.strategy)
    return rank_questions(strategy, wish.target, wish.costs, found)


def _advice(
    session: Session, study: Study, plan: OpenPlan, newest: _Newest, now: datetime
) -> PlanAdvice:
    place = Place(study.id, plan.system_id, study.settings.asks, study.votes_wanted)
    counts = open_items.count_open(session, place)
    draw, num_open = _audit(session, place, plan, newest, counts)
    share = plan.terms.audit_share
    rows = _begun(session, place) + _rows(session, place, newest.ranked, counts)
    rows = [_with_probability(row, rows, share, num_open) for row in rows]
    spent, half_width = plans.sum_spent(session, plan), _half_width(plan, newest.fit)
    return PlanAdvice(
        None if newest.fit is None else newest.fit.id,
        newest.due.last_event_id,
        spent,
        half_width,
        not rows or _is_reached(plan.terms, spent, half_width),
        tuple(rows),
        draw,
        now,
    )


def _rows(
    session: Session, place: Place, ranked: list[Ranked], counts: list[OpenCount]
) -> list[AdviceRow]:
    """The ranked questions that somebody can still answer."""
    sizes = {(count.known, count.label): count.items for count in counts}
    rows: list[AdviceRow] = []
    for one in ranked:
        step = Step(known_of(one.state), TYPES[one.label])
        size = sizes.get((step.known, step.label), 0)
        if size and len(rows) < MAX_ROWS:
            items = open_items.sample_open(session, place, (step,), SHORTLIST)
            then = tuple(Step(known_of(state), TYPES[label]) for state, label in one.then)
            rows.append(
                AdviceRow(
                    step.known,
                    step.label,
                    one.rank,
                    one.score,
                    one.words,
                    one.reason,
                    size,
                    None,
                    then,
                    items,
                )
            )
    return rows


def _begun(session: Session, place: Place) -> list[AdviceRow]:
    """A label is paid vote by vote: what was begun comes first."""
    if place.votes_wanted < 2:
        return []
    rows = []
    for label in LabelType:
        items = open_items.list_begun(session, place, label, SHORTLIST)
        if items:
            reason = "Questions that have some of their votes are finished first."
            words = f"{label}, {MORE_VOTES}"
            rows.append(AdviceRow(None, label, -1, 0.0, words, reason, len(items), None, (), items))
    return rows


def _audit(
    session: Session, place: Place, plan: OpenPlan, newest: _Newest, counts: list[OpenCount]
) -> tuple[AuditDraw, int]:
    """Items drawn evenly from all that still say something about the target, and how many."""
    settled = find_settled(to_wish(_request(plan, 1), newest.due.settings).target)
    asked = tuple(
        Step(known_of(state), TYPES[audit_label(state)])
        for state in range(NUM_STATES)
        if not settled[state] and can_ask(state, audit_label(state))
    )
    num_open = sum(count.items for count in counts if Step(count.known, count.label) in asked)
    if not num_open:
        return AuditDraw(None, (), ()), 0
    items = open_items.sample_open(session, place, asked, SHORTLIST)
    return AuditDraw(plan.terms.audit_share / num_open, asked, items), num_open


def _with_probability(
    row: AdviceRow, rows: list[AdviceRow], audit_share: float, num_open: int
) -> AdviceRow:
    """By the audit or by its rank, where it is drawn among all rows of that rank."""
    equals = sum(other.open_items for other in rows if other.rank == row.rank)
    by_audit = audit_share / num_open if num_open else 0.0
    return row._replace(probability=by_audit + (1 - audit_share) / equals)


def _half_width(plan: OpenPlan, fit: SavedFit | None) -> float | None:
    if fit is None:
        return None
    key = "estimates" if plan.terms.population == Population.FUTURE else "this_test_set"
    found = fit.summary[key][plan.terms.quantity]
    if found["upper"] is None or found["lower"] is None:
        return None
    return float(found["upper"] - found["lower"]) / 2


def _is_reached(terms: PlanTerms, spent: float, half_width: float | None) -> bool:
    if terms.half_width is not None:
        return half_width is not None and half_width <= terms.half_width
    return terms.budget is not None and spent + min(terms.prices) > terms.budget + 1e-9


def known_of(state: int) -> Known:
    """What is known of the items of a state."""
    return Known(*(None if value == UNOBSERVED else value for value in PATTERNS[state]))
