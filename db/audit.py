"""The record of who did what, written in the same transaction as the deed; never changed."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import Select, String, cast, func, or_, select
from sqlalchemy.orm import Session

from db.tables import Audit, Study

BATCH = 1000


class Deed(NamedTuple):
    """One line of the record."""

    person: str
    action: str
    detail: dict[str, Any]
    study_id: int | None = None


class Line(NamedTuple):
    """One line of the record as it is read."""

    created_at: datetime
    person: str
    action: str
    study: str | None
    detail: dict[str, Any]


class Search(NamedTuple):
    """Which lines; empty: all. `words` is looked for in person, deed, study and detail."""

    person: str = ""
    action: str = ""
    words: str = ""


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


def find_lines(session: Session, search: Search, count: int, first: int = 0) -> list[Line]:
    """Lines that fit, newest first, from number `first` on."""
    rows = session.execute(_lines(search).order_by(Audit.id.desc()).offset(first).limit(count))
    return [Line(*row) for row in rows]


def count_lines(session: Session, search: Search) -> int:
    """How many lines fit."""
    query = _lines(search).with_only_columns(func.count(Audit.id))
    return session.scalar(query) or 0


def stream_lines(session: Session, search: Search) -> Iterator[Line]:
    """Lines that fit, oldest first, however many there are."""
    query = _lines(search).order_by(Audit.id)
    for row in session.execute(query, execution_options={"yield_per": BATCH}):
        yield Line(*row)


def list_people(session: Session) -> list[str]:
    """Everybody in the record."""
    return list(session.scalars(select(Audit.person).distinct().order_by(Audit.person)))


def list_actions(session: Session) -> list[str]:
    """Every kind of deed in the record."""
    return list(session.scalars(select(Audit.action).distinct().order_by(Audit.action)))


def _lines(search: Search) -> Select[Any]:
    query = select(
        Audit.created_at, Audit.person, Audit.action, Study.name, Audit.detail
    ).outerjoin(Study, Study.id == Audit.study_id)
    if search.person:
        query = query.where(Audit.person == search.person)
    if search.action:
        query = query.where(Audit.action == search.action)
    for word in search.words.lower().split():
        columns = (Audit.person, Audit.action, Study.name, cast(Audit.detail, String))
        query = query.where(
            or_(*(func.lower(column).contains(word, autoescape=True) for column in columns))
        )
    return query
