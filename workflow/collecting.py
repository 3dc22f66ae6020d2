"""How the labels of a study are collected: open or not, how many, how many votes each.

Each change is checked against what was given already, and written to the record with its numbers.
"""

from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import Engine
from sqlalchemy.orm import Session

from db import audit, budgets, locks, studies
from db.budgets import Budgets as Budgets
from db.budgets import Spending as Spending
from db.engine import reading, transaction
from db.studies import Study
from db.tables import LabelType
from db.tables import StudyState as StudyState
from workflow.errors import RatchetError

MAX_VOTES = 100
NAMES = {"retrieval": "of retrieval labels", "task": "of task labels", "in_all": "of all labels"}


class Collection(NamedTuple):
    """How a study collects, and what is given and held at this moment."""

    state: StudyState
    votes_wanted: int
    budgets: Budgets
    spending: Spending


def read_collection(engine: Engine, name: str, now: datetime) -> Collection:
    """How the labels of a study are collected.

    Raises:
        StoreError: there is no such study.
    """
    with reading(engine) as session:
        study = studies.get_study(session, name)
        spending = budgets.read_spending(session, study.id, now)
        return Collection(study.state, study.votes_wanted, study.budgets, spending)


def set_state(engine: Engine, name: str, state: StudyState, person: str, now: datetime) -> None:
    """Open, pause or close a study, or make it a draft again.

    Only an open study hands out questions; one that is in somebody's hands may be answered while
    the study is paused or closed.

    Raises:
        StoreError: there is no such study.
    """
    with transaction(engine) as session:
        study = studies.get_study(session, name)
        studies.change_state(session, study.id, state)
        _tell(session, study, person, "change state", {"state": state, "was": study.state}, now)


def set_votes_wanted(engine: Engine, name: str, votes: int, person: str, now: datetime) -> None:
    """How many people answer each question.

    What counted goes on counting when fewer are wanted; what was kept as extra stays extra when
    more are, since who gave it knew nothing of the change, and other people are asked.

    Raises:
        StoreError: there is no such study.
        RatchetError: the number is no good.
    """
    if not 1 <= votes <= MAX_VOTES:
        raise RatchetError(
            f"{votes} votes are wanted for each question; 1 to {MAX_VOTES} were expected. Choose"
            " another number."
        )
    with transaction(engine) as session:
        study = studies.get_study(session, name)
        locks.own_claims(session, study.id)
        studies.change_votes_wanted(session, study.id, votes)
        detail = {"votes": votes, "was": study.votes_wanted}
        _tell(session, study, person, "change votes wanted", detail, now)


def set_budgets(engine: Engine, name: str, wished: Budgets, person: str, now: datetime) -> None:
    """How many labels may be given, of each type and in all.

    Raises:
        StoreError: there is no such study.
        RatchetError: a budget is below what is given and held, or below 0; nothing was changed.
    """
    with transaction(engine) as session:
        study = studies.get_study(session, name)
        locks.own_claims(session, study.id)
        spending = budgets.read_spending(session, study.id, now)
        _require_enough(wished, spending)
        budgets.set_budgets(session, study.id, wished)
        detail = {"budgets": wished._asdict(), "was": study.budgets._asdict()}
        _tell(session, study, person, "change budgets", detail, now)


def _require_enough(wished: Budgets, spending: Spending) -> None:
    given = Budgets(spending.retrieval, spending.task, spending.retrieval + spending.task)
    needed = Budgets(spending.of(LabelType.RETRIEVAL), spending.of(LabelType.TASK), spending.in_all)
    for name, limit in wished._asdict().items():
        if limit is None:
            continue
        labels, least = getattr(given, name), getattr(needed, name)
        if limit < least:
            held = f" and {least - labels} in people's hands" if least > labels else ""
            raise RatchetError(
                f"The budget {NAMES[name]} would be {limit}, but {labels} are given{held};"
                f" {least} or more was expected. Choose a larger budget."
            )


def _tell(
    session: Session, study: Study, person: str, action: str, detail: dict[str, Any], now: datetime
) -> None:
    audit.write(session, audit.Deed(person, action, detail, study.id), now)
