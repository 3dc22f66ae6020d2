"""Saved posteriors: found by fingerprint, and the history of a study's refreshes.

`summary` and `grid` are JSON as the workflow wrote them; nothing here knows their meaning.
"""

from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from db.tables import Fit, Refresh, System


class SavedFit(NamedTuple):
    """A posterior of one system as stored."""

    id: int
    system: str
    fingerprint: str
    engine: str
    is_ok: bool
    summary: dict[str, Any]
    grid: dict[str, Any] | None
    created_at: datetime


class NewFit(NamedTuple):
    """A posterior about to be stored."""

    study_id: int
    system: str
    fingerprint: str
    engine: str
    is_ok: bool
    summary: dict[str, Any]
    grid: dict[str, Any]


class NewRefresh(NamedTuple):
    """Which fits describe a study, after which event; one fit a system."""

    study_id: int
    revision: int
    last_event_id: int
    retrieval_labels: int
    task_labels: int
    engine: str
    fit_ids: tuple[int, ...]


class RefreshPoint(NamedTuple):
    """A refresh of the past with its fits' summaries."""

    retrieval_labels: int
    task_labels: int
    engine: str
    created_at: datetime
    summaries: dict[str, dict[str, Any]]


def save_fit(session: Session, fit: NewFit, now: datetime) -> int:
    """Store a posterior, or find the one that is there; older grids of its system are dropped."""
    system_id = _system_id(session, fit.study_id, fit.system)
    row = session.scalar(
        select(Fit).where(Fit.system_id == system_id, Fit.fingerprint == fit.fingerprint)
    )
    if row is None:
        row = Fit(study_id=fit.study_id, system_id=system_id, fingerprint=fit.fingerprint)
        session.add(row)
    row.engine, row.is_ok, row.created_at = fit.engine, fit.is_ok, now
    row.summary, row.grid = fit.summary, fit.grid
    session.flush()
    session.execute(
        update(Fit)
        .where(Fit.system_id == system_id, Fit.id != row.id, Fit.engine == fit.engine)
        .where(Fit.grid.is_not(None))
        .values(grid=None)
    )
    return row.id


def find_fits(session: Session, study_id: int, fingerprints: list[str]) -> list[SavedFit]:
    """The saved fits with these fingerprints whose grid is still there."""
    rows = session.execute(
        select(Fit, System.name)
        .join(System, System.id == Fit.system_id)
        .where(Fit.study_id == study_id, Fit.fingerprint.in_(fingerprints))
    )
    fits = [_saved(fit, system) for fit, system in rows]
    return [fit for fit in fits if fit.grid is not None]


def save_refresh(session: Session, refresh: NewRefresh, now: datetime) -> None:
    """Add a point to the study's history."""
    fields = refresh._asdict() | {"fit_ids": list(refresh.fit_ids)}
    session.add(Refresh(**fields, created_at=now))


def is_overtaken(session: Session, study_id: int, revision: int) -> bool:
    """Whether a refresh of later counts than those of `revision` is saved already."""
    later = select(Refresh.id).where(Refresh.study_id == study_id, Refresh.revision > revision)
    return session.scalar(later.limit(1)) is not None


def find_latest(session: Session, study_id: int) -> tuple[NewRefresh, datetime] | None:
    """The newest refresh of a study and when it was made."""
    row = session.scalar(
        select(Refresh).where(Refresh.study_id == study_id).order_by(Refresh.id.desc()).limit(1)
    )
    if row is None:
        return None
    refresh = NewRefresh(
        row.study_id,
        row.revision,
        row.last_event_id,
        row.retrieval_labels,
        row.task_labels,
        row.engine,
        tuple(row.fit_ids),
    )
    return refresh, row.created_at


def latest_refresh_id(session: Session, study_id: int) -> int | None:
    """Names the newest posterior of a study; None while there is none."""
    return session.scalar(select(func.max(Refresh.id)).where(Refresh.study_id == study_id))


def get_fits(session: Session, fit_ids: tuple[int, ...]) -> list[SavedFit]:
    """The fits with these ids, by system name."""
    rows = session.execute(
        select(Fit, System.name)
        .join(System, System.id == Fit.system_id)
        .where(Fit.id.in_(fit_ids))
        .order_by(System.name)
    )
    return [_saved(fit, system) for fit, system in rows]


def list_history(session: Session, study_id: int, limit: int) -> list[RefreshPoint]:
    """The last refreshes of a study, oldest first, at most `limit` spread over its life."""
    ids = list(
        session.scalars(select(Refresh.id).where(Refresh.study_id == study_id).order_by(Refresh.id))
    )
    step = max(1, -(-len(ids) // limit))
    kept = sorted({*ids[::step], *ids[-1:]})
    rows = session.scalars(select(Refresh).where(Refresh.id.in_(kept)).order_by(Refresh.id)).all()
    wanted = {fit_id for row in rows for fit_id in row.fit_ids}
    summaries = {
        fit_id: (name, summary)
        for fit_id, name, summary in session.execute(
            select(Fit.id, System.name, Fit.summary)
            .join(System, System.id == Fit.system_id)
            .where(Fit.id.in_(wanted))
        )
    }
    return [
        RefreshPoint(
            row.retrieval_labels,
            row.task_labels,
            row.engine,
            row.created_at,
            dict(summaries[fit_id] for fit_id in row.fit_ids),
        )
        for row in rows
    ]


def _system_id(session: Session, study_id: int, name: str) -> int:
    query = select(System.id).where(System.study_id == study_id, System.name == name)
    return session.scalars(query).one()


def _saved(row: Fit, system: str) -> SavedFit:
    return SavedFit(
        row.id,
        system,
        row.fingerprint,
        row.engine,
        row.is_ok,
        row.summary,
        row.grid,
        row.created_at,
    )
