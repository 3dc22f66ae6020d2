"""Which questions of a system still want votes, whoever may answer them: for the worker's advice.

Counts by what is known of an item, and a few items in random order; no person and no lease counts
here, the queue looks at those when it hands a question out.
"""

from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, and_, func, literal, or_, select
from sqlalchemy.orm import Session

from db.open_questions import can_ask_task, known_columns
from db.plans import Known, Step
from db.tables import Asks, Context, Item, LabelType


class Place(NamedTuple):
    """The items of a system in a study, with what the study asks of them."""

    study_id: int
    system_id: int
    asks: Asks
    votes_wanted: int


class OpenCount(NamedTuple):
    """How many items of which this is known want votes for a label."""

    known: Known
    label: LabelType
    items: int


def count_open(session: Session, place: Place) -> list[OpenCount]:
    """One row for each (what is known, label) with open questions."""
    columns = known_columns()
    found = []
    for label in LabelType:
        rows = session.execute(
            _in_place(select(*columns, func.count()), place)
            .where(_wants_votes(place, label))
            .group_by(*columns)
        )
        found += [OpenCount(Known(*known), label, count) for *known, count in rows]
    return found


def sample_open(
    session: Session, place: Place, steps: tuple[Step, ...], limit: int
) -> tuple[int, ...]:
    """Ids of at most `limit` items that any of these steps asks, in random order."""
    wanted = or_(*(and_(is_known(step.known), _wants_votes(place, step.label)) for step in steps))
    query = _in_place(select(Item.id), place).where(wanted).order_by(func.random()).limit(limit)
    return tuple(session.scalars(query))


def list_begun(session: Session, place: Place, label: LabelType, limit: int) -> tuple[int, ...]:
    """Ids of items with some votes for a label, but not all, in study order."""
    votes = _votes(label)
    query = _in_place(select(Item.id), place).where(_wants_votes(place, label), votes > 0)
    return tuple(session.scalars(query.order_by(Item.position).limit(limit)))


def is_known(known: Known) -> ColumnElement[bool]:
    """Items of which exactly this is known."""
    pairs = zip(known_columns(), known, strict=True)
    return and_(
        *(column.is_(None) if value is None else column == value for column, value in pairs)
    )


def _in_place(query: Any, place: Place) -> Any:
    return query.join(Context, Context.id == Item.context_id).where(
        Item.study_id == place.study_id, Item.system_id == place.system_id
    )


def _wants_votes(place: Place, label: LabelType) -> ColumnElement[bool]:
    if place.asks not in (Asks.BOTH, Asks(label)):
        return literal(False)
    wants = _votes(label) < place.votes_wanted
    return wants if label == LabelType.RETRIEVAL else and_(can_ask_task(), wants)


def _votes(label: LabelType) -> Any:
    return Context.retrieval_votes if label == LabelType.RETRIEVAL else Item.task_votes
