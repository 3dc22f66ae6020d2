"""People by name: who labels, who leads, and the authors of imported labels."""

from datetime import datetime

from sqlalchemy import select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from db.tables import Person


def ensure_person(session: Session, name: str, now: datetime) -> int:
    """The id of the person with this name, made if new; two at once make one."""
    found = session.scalar(select(Person.id).where(Person.name == name))
    if found is not None:
        return found
    dialect = postgresql if session.get_bind().dialect.name == "postgresql" else sqlite
    session.execute(
        dialect.insert(Person).values(name=name, created_at=now).on_conflict_do_nothing()
    )
    return session.scalars(select(Person.id).where(Person.name == name)).one()
