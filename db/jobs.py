"""Long work: put down by a screen, claimed by the worker, watched by progress and heartbeat."""

from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, and_, or_, select, update
from sqlalchemy.orm import Session

from db.tables import Job, Worker

HEARTBEAT_LOST = timedelta(seconds=60)
WORKER_LOST = timedelta(seconds=15)
_THE_WORKER = 1


class JobState(StrEnum):
    """Where a job stands."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


FINAL = frozenset({JobState.DONE, JobState.FAILED, JobState.CANCELLED})


class JobStatus(NamedTuple):
    """A job as a screen shows it; `progress` from 0 to 1."""

    id: int
    kind: str
    state: JobState
    progress: float
    message: str
    arguments: dict[str, Any]
    result: dict[str, Any] | None
    created_at: datetime


def add(
    session: Session, kind: str, study_id: int | None, arguments: dict[str, Any], now: datetime
) -> int:
    """Queue a job; returns its id."""
    job = Job(
        kind=kind,
        study_id=study_id,
        arguments=arguments,
        state=JobState.QUEUED,
        created_at=now,
    )
    session.add(job)
    session.flush()
    return job.id


def is_any_waiting(session: Session, now: datetime) -> bool:
    """Whether `claim` would find a job: a look that takes no lock."""
    return session.execute(select(Job.id).where(_waiting(now)).limit(1)).first() is not None


def claim(session: Session, kinds: tuple[str, ...], now: datetime) -> JobStatus | None:
    """Take the oldest job that waits, or whose worker died; one conditional update."""
    oldest = (
        select(Job.id)
        .where(_waiting(now), Job.kind.in_(kinds))
        .order_by(Job.id)
        .limit(1)
        .with_for_update(skip_locked=True)
        .scalar_subquery()
    )
    row = session.scalar(
        update(Job)
        .where(Job.id == oldest)
        .values(state=JobState.RUNNING, heartbeat_at=now)
        .returning(Job)
    )
    return None if row is None else _status(row)


def requeue_running(session: Session) -> None:
    """Let jobs start anew that a worker left when it died; for the one worker, at its start."""
    session.execute(update(Job).where(Job.state == JobState.RUNNING).values(state=JobState.QUEUED))


def report(session: Session, job_id: int, progress: float, message: str, now: datetime) -> bool:
    """Write progress and heartbeat; False when somebody wants the job cancelled."""
    wanted = session.scalars(
        update(Job)
        .where(Job.id == job_id)
        .values(progress=progress, message=message, heartbeat_at=now)
        .returning(Job.is_cancel_wanted)
    ).one()
    return not wanted


def keep_result(session: Session, job_id: int, result: dict[str, Any]) -> None:
    """Write what a running job has so far, for those who watch it grow."""
    session.execute(update(Job).where(Job.id == job_id).values(result=result))


def finish(
    session: Session, job_id: int, state: JobState, outcome: "Outcome", now: datetime
) -> None:
    """Close a job with its result or its error."""
    session.execute(
        update(Job)
        .where(Job.id == job_id)
        .values(
            state=state,
            progress=1.0 if state == JobState.DONE else Job.progress,
            message=outcome.message,
            result=outcome.result,
            finished_at=now,
        )
    )


class Outcome(NamedTuple):
    """What a job leaves behind."""

    message: str
    result: dict[str, Any] | None = None


def cancel(session: Session, job_id: int) -> None:
    """Ask for a job to stop; it stops at its next report."""
    session.execute(update(Job).where(Job.id == job_id).values(is_cancel_wanted=True))
    session.execute(
        update(Job)
        .where(Job.id == job_id, Job.state == JobState.QUEUED)
        .values(state=JobState.CANCELLED)
    )


def get(session: Session, job_id: int) -> JobStatus:
    """How a job stands."""
    return _status(session.get_one(Job, job_id))


def find(session: Session, study_id: int, kind: str, job_id: int) -> JobStatus | None:
    """The job with this id if it is of this study and kind, or None."""
    row = session.get(Job, job_id)
    is_it = row is not None and (row.study_id, row.kind) == (study_id, kind)
    return _status(row) if row is not None and is_it else None


class About(NamedTuple):
    """Jobs with this argument, and in this state when one is given."""

    argument: str
    value: str
    state: JobState | None = None


def find_latest(
    session: Session, study_id: int, kind: str, about: About | None = None
) -> JobStatus | None:
    """The newest job of a kind of this study, or None."""
    query = select(Job).where(Job.study_id == study_id, Job.kind == kind)
    if about is not None:
        query = query.where(Job.arguments[about.argument].as_string() == about.value)
    if about is not None and about.state is not None:
        query = query.where(Job.state == about.state)
    row = session.scalar(query.order_by(Job.id.desc()).limit(1))
    return None if row is None else _status(row)


def beat(session: Session, state: str, now: datetime) -> None:
    """Say that the worker lives and what it does."""
    row = session.get(Worker, _THE_WORKER)
    if row is None:
        session.add(Worker(id=_THE_WORKER, state=state, heartbeat_at=now))
    else:
        row.state, row.heartbeat_at = state, now


def worker_state(session: Session, now: datetime) -> str | None:
    """What the worker does; None when it has not been heard of lately."""
    row = session.get(Worker, _THE_WORKER)
    if row is None or row.heartbeat_at < now - WORKER_LOST:
        return None
    return row.state


def _waiting(now: datetime) -> ColumnElement[bool]:
    return or_(
        Job.state == JobState.QUEUED,
        and_(Job.state == JobState.RUNNING, Job.heartbeat_at < now - HEARTBEAT_LOST),
    )


def _status(row: Job) -> JobStatus:
    return JobStatus(
        row.id,
        row.kind,
        JobState(row.state),
        row.progress,
        row.message,
        row.arguments,
        row.result,
        row.created_at,
    )
