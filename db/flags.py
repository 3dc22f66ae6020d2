"""Flags: notes to the lead about single items, from those who label them."""

from datetime import datetime
from typing import NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import Session

from db.tables import Context, Flag, Item, Person


class FlagRow(NamedTuple):
    """A flag as the lead reads it."""

    item_id: str
    query: str
    person: str
    note: str
    created_at: datetime


def add_flag(session: Session, item_id: int, person_id: int, note: str, now: datetime) -> None:
    """Leave the lead a note about an item."""
    study_id = session.scalars(select(Item.study_id).where(Item.id == item_id)).one()
    session.add(
        Flag(study_id=study_id, person_id=person_id, item_id=item_id, note=note, created_at=now)
    )


def list_flags(session: Session, study_id: int) -> list[FlagRow]:
    """The flags of a study, newest first."""
    rows = session.execute(
        select(Item.item_key, Context.query, Person.name, Flag.note, Flag.created_at)
        .join(Item, Item.id == Flag.item_id)
        .join(Context, Context.id == Item.context_id)
        .join(Person, Person.id == Flag.person_id)
        .where(Flag.study_id == study_id)
        .order_by(Flag.id.desc())
    )
    return [FlagRow(*row) for row in rows]
