"""The long jobs a worker can do: what each needs, how it tells its progress, how it ends."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Engine

from db import jobs
from db.engine import transaction
from db.jobs import JobState, JobStatus, Outcome
from workflow import importing, plan_jobs, replay_jobs
from workflow.errors import EXPECTED, RatchetError

Job = Callable[[Engine, JobStatus, Callable[[float, str], None]], dict[str, Any]]


class CancelledError(RatchetError):
    """Somebody asked the job to stop; what it did was rolled back."""


def run_job(engine: Engine, job: JobStatus) -> None:
    """Do a claimed job and leave its outcome."""

    def tell(progress: float, message: str) -> None:
        with transaction(engine) as session:
            if not jobs.report(session, job.id, progress, message, _now()):
                raise CancelledError("Cancelled; nothing was changed.")

    # What nobody expected ends the worker too, but must not look as if the job were done.
    state, outcome = JobState.FAILED, Outcome("Stopped by an error of Ratchet; see its log.")
    try:
        state, outcome = JobState.DONE, Outcome("", JOBS[job.kind](engine, job, tell))
    except CancelledError as error:
        state, outcome = JobState.CANCELLED, Outcome(str(error))
    except EXPECTED as error:
        state, outcome = JobState.FAILED, Outcome(str(error))
    finally:
        with transaction(engine) as session:
            jobs.finish(session, job.id, state, outcome, _now())


def import_uploaded(
    engine: Engine, job: JobStatus, tell: Callable[[float, str], None]
) -> dict[str, Any]:
    """Import a file that was uploaded; the copy is removed when it is in."""
    arguments = job.arguments
    path = Path(arguments["path"])
    request = importing.Request(
        study=arguments["study"],
        path=path,
        person=arguments["person"],
        mapping=arguments["mapping"],
        replaces=arguments["replaces"],
    )
    size = max(1, int(arguments["rows"]))
    report = importing.import_file(
        engine,
        request,
        _now(),
        lambda rows: tell(min(0.9, rows / size), f"{rows} rows read"),
    )
    if report.is_written:
        path.unlink(missing_ok=True)
    return {
        "text": importing.describe(report),
        "needs_confirmation": report.needs_confirmation,
        "is_written": report.is_written,
    }


JOBS: dict[str, Job] = {
    "import": import_uploaded,
    plan_jobs.KIND: plan_jobs.run_plan,
    replay_jobs.KIND: replay_jobs.run_replay,
}


def _now() -> datetime:
    return datetime.now(UTC)
