"""A plan in force: put there by a lead, ended or continued; the queue follows it by itself."""

from datetime import datetime
from typing import NamedTuple

from sqlalchemy import Engine as Database

from db import audit, plans, studies
from db.engine import reading, transaction
from db.plans import AdviceRow as AdviceRow
from db.plans import PlanAdvice
from db.plans import PlanTerms as PlanTerms
from db.plans import Prices as Prices
from model.allocation.packages import LabelCosts, check_costs
from model.allocation.strategies import StrategyName
from model.allocation.targets import Population
from model.rat.derived import Quantity
from workflow.errors import RatchetError


class InForce(NamedTuple):
    """The plan that leads a study's queue; `advice` is None until the worker has looked."""

    terms: PlanTerms
    person: str
    created_at: datetime
    goes_on: bool
    advice: PlanAdvice | None


def use_plan(database: Database, name: str, terms: PlanTerms, person: str, now: datetime) -> None:
    """Let a plan lead the queue of a study, in place of the one that does.

    Raises:
        StoreError: there is no such study.
        RatchetError: the system is not in it, or the goal or the audit share makes no sense.
        ModelError: a cost is not above 0.
    """
    _check(terms)
    with transaction(database) as session:
        study = studies.get_study(session, name)
        if terms.system not in studies.list_systems(session, study.id):
            raise RatchetError(f"There is no system {terms.system!r} in {name!r}. Choose another.")
        plans.start(session, study.id, terms, person, now)
        # The worker looks again when the study has moved.
        studies.touch(session, study.id)
        deed = audit.Deed(person, "use plan", terms._asdict(), study.id)
        audit.write(session, deed, now)


def end_plan(database: Database, name: str, person: str, now: datetime) -> None:
    """Let the queue follow the order of the study again.

    Raises:
        StoreError: there is no such study.
    """
    with transaction(database) as session:
        study_id = studies.get_study(session, name).id
        if plans.end(session, study_id, now):
            audit.write(session, audit.Deed(person, "end plan", {}, study_id), now)


def go_on(database: Database, name: str, person: str, now: datetime) -> None:
    """Let the plan ask for more labels although its goal is reached.

    Raises:
        StoreError: there is no such study.
    """
    with transaction(database) as session:
        study_id = studies.get_study(session, name).id
        if plans.go_on(session, study_id):
            audit.write(session, audit.Deed(person, "go on beyond the plan", {}, study_id), now)


def read_in_force(database: Database, name: str) -> InForce | None:
    """The plan that leads a study's queue, or None.

    Raises:
        StoreError: there is no such study.
    """
    with reading(database) as session:
        plan = plans.find_open(session, studies.get_study(session, name).id)
        if plan is None:
            return None
        advice = plans.find_advice(session, plan.id)
    return InForce(plan.terms, plan.person, plan.created_at, plan.goes_on, advice)


def describe_goal(found: InForce) -> str:
    """How far the plan is, in one sentence."""
    terms, advice = found.terms, found.advice
    if advice is None:
        return "The plan was just put in force; its first recommendation comes in a moment."
    width = "unknown" if advice.half_width is None else f"±{100 * advice.half_width:.1f} points"
    start = "The plan is being followed"
    if advice.is_reached:
        start = "The plan goes on" if found.goes_on else "The plan's goal is reached"
    if terms.half_width is not None:
        return f"{start}: {width}, wanted ±{100 * terms.half_width:.1f} points."
    return f"{start}: {advice.spent:.4g} of {terms.budget:.4g} spent, {width} now."


def _check(terms: PlanTerms) -> None:
    check_costs(LabelCosts(*terms.prices))
    StrategyName(terms.strategy)
    Quantity(terms.quantity)
    Population(terms.population)
    goal = terms.budget if terms.half_width is None else terms.half_width
    if (terms.budget is None) == (terms.half_width is None) or goal is None or not goal > 0:
        raise RatchetError(
            f"The plan's budget is {terms.budget} and its half-width {terms.half_width}; one of"
            " them, above 0, was expected."
        )
    if not 0 <= terms.audit_share <= 1:
        raise RatchetError(
            f"The audit share is {terms.audit_share:g}; a share from 0 to 1 was expected."
        )
