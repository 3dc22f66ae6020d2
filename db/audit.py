"""The record of who did what, written in the same transaction as the deed."""

from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from db.tables import Audit


class Deed(NamedTuple):
    """One line of the record."""

    person: str
    action: str
    detail: dict[str, Any]
    study_id: int | None = None


def write(session: Session, deed: Deed, now: datetime) -> None:
    """Add a line."""
    session.add(Audit(**deed._asdict(), created_at=now))


def last_deed(session: Session, study_id: int, action: str) -> int:
    """The id of the newest line of this kind in a study; 0 when there is none."""
    newest = select(func.max(Audit.id)).where(Audit.study_id == study_id, Audit.action == action)
    return session.scalar(newest) or 0


def list_deeds(session: Session, study_id: int) -> list[tuple[datetime, Deed]]:
    """The lines of a study, oldest first."""
    rows = session.scalars(select(Audit).where(Audit.study_id == study_id).order_by(Audit.id))
    return [
        (row.created_at, Deed(row.person, row.action, row.detail, row.study_id)) for row in rows
    ]
