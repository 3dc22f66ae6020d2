"""Known answers: questions to practise on, and hidden ones to check people with."""

from datetime import datetime
from typing import NamedTuple

from sqlalchemy import Engine

from db import audit, items, known_answers, locks, studies
from db.engine import reading, transaction
from db.known_answers import CheckResult as CheckResult
from db.known_answers import Known as Known
from db.known_answers import NewKnown
from db.tables import LabelType as LabelType
from db.tables import Value as Value
from db.votes import Subject
from workflow.errors import RatchetError


class KnownWish(NamedTuple):
    """A known answer as a lead gives it."""

    item_id: str
    label_type: LabelType
    value: Value
    is_practice: bool
    explanation: str = ""


def add(engine: Engine, name: str, wish: KnownWish, person: str, now: datetime) -> None:
    """Say what the answer to a question is; from now on it is asked to check or to practise only.

    Raises:
        StoreError: there is no such study or item, or the question has a known answer.
        RatchetError: a skip is no answer, or a refusal has no task.
    """
    if wish.value == Value.SKIP:
        raise RatchetError("A skip is no answer; yes, no or can't tell was expected.")
    with transaction(engine) as session:
        study = studies.get_study(session, name)
        locks.own_claims(session, study.id)
        item = items.get_item(session, study.id, wish.item_id)
        if wish.label_type == LabelType.TASK and item.abstained == 1:
            raise RatchetError(
                f"Item {wish.item_id!r} is a refusal, which has no task; an item with an answer was"
                " expected. Choose another item, or its retrieval."
            )
        subject = Subject(wish.label_type, item.id, item.context_id)
        new = NewKnown(
            study.id, subject, wish.value, wish.is_practice, wish.explanation.strip(), person
        )
        known_answers.add_known(session, new, now)
        detail = {"item_id": wish.item_id, "label_type": wish.label_type, "value": wish.value}
        audit.write(session, audit.Deed(person, "add known answer", detail, study.id), now)


def remove(engine: Engine, name: str, known_id: int, person: str, now: datetime) -> None:
    """Make the question of a known answer an ordinary one again.

    Raises:
        StoreError: there is no such study.
    """
    with transaction(engine) as session:
        study = studies.get_study(session, name)
        locks.own_claims(session, study.id)
        if known_answers.remove_known(session, study.id, known_id):
            deed = audit.Deed(person, "remove known answer", {"id": known_id}, study.id)
            audit.write(session, deed, now)


def list_known(engine: Engine, name: str) -> list[Known]:
    """All known answers of a study, practice first.

    Raises:
        StoreError: there is no such study.
    """
    with reading(engine) as session:
        return known_answers.list_known(session, studies.get_study(session, name).id)


def list_results(engine: Engine, name: str) -> list[CheckResult]:
    """What people said to them.

    Raises:
        StoreError: there is no such study.
    """
    with reading(engine) as session:
        return known_answers.list_check_results(session, studies.get_study(session, name).id)
