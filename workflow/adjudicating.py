"""Questions on which people differ: a lead reads who said what, and decides."""

from datetime import datetime
from typing import NamedTuple

from sqlalchemy import Engine

from db import audit, decisions, items, locks, people, quality, studies
from db.decisions import Decision
from db.engine import reading, transaction
from db.items import ItemText
from db.quality import Conflict as Conflict
from db.quality import VoteOf as VoteOf
from db.tables import LabelType as LabelType
from db.tables import Value as Value
from db.votes import Subject
from workflow.errors import RatchetError

COUNT = 200


class Case(NamedTuple):
    """A conflict with all that a decision needs."""

    conflict: Conflict
    item: ItemText
    votes: list[VoteOf]
    decided: Value | None


class Ruling(NamedTuple):
    """What a lead decides; `value` None takes the decision back."""

    conflict: Conflict
    value: Value | None
    note: str = ""


def list_conflicts(engine: Engine, name: str, count: int = COUNT) -> tuple[list[Conflict], int]:
    """The first questions on which people differ, and how many wait for a decision.

    Raises:
        StoreError: there is no such study.
    """
    with reading(engine) as session:
        study_id = studies.get_study(session, name).id
        found = quality.list_conflicts(session, study_id, count)
        return found, quality.count_conflicts(session, study_id)


def read_case(engine: Engine, conflict: Conflict) -> Case:
    """One conflict with its item and who said what."""
    with reading(engine) as session:
        votes = quality.list_votes_of(
            session, conflict.label_type, conflict.item_id, conflict.context_id
        )
        item = items.read_text(session, conflict.item_id)
        return Case(conflict, item, votes, decisions.find_decision(session, _subject(conflict)))


def rule(engine: Engine, name: str, ruling: Ruling, person: str, now: datetime) -> None:
    """Decide a question, whatever people said, or take that back; the posterior follows.

    Raises:
        StoreError: there is no such study.
        RatchetError: a skip is no decision.
    """
    if ruling.value == Value.SKIP:
        raise RatchetError("A skip decides nothing; yes, no or can't tell was expected.")
    with transaction(engine) as session:
        study = studies.get_study(session, name)
        locks.share_answers(session, study.id)
        person_id = people.ensure_person(session, person, now)
        subject = _subject(ruling.conflict)
        note = ruling.note.strip() or None
        decision = Decision(study.id, person_id, subject, ruling.value, note)
        decisions.decide(session, decision, now)
        detail = {
            "item_id": ruling.conflict.item_key,
            "label_type": ruling.conflict.label_type,
            "value": ruling.value,
        }
        audit.write(session, audit.Deed(person, "decide", detail, study.id), now)


def _subject(conflict: Conflict) -> Subject:
    return Subject(conflict.label_type, conflict.item_id, conflict.context_id)
