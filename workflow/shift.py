"""What the worker does, look after look: fit what moved, start a job that waits, say it lives.

Until NUTS is compiled the exact engine answers; a job runs in a thread of its own, so that it
never delays a posterior.
"""

import logging
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime

from sqlalchemy import Engine as Database
from sqlalchemy.exc import OperationalError

from db import jobs, studies
from db.engine import reading, transaction
from db.locks import worker_lock
from workflow import advising, fitting
from workflow.database import connect, database_url
from workflow.errors import EXPECTED
from workflow.fitting import Engine
from workflow.working import JOBS, run_job

POLL_SECONDS = 0.15
BEAT_SECONDS = 2.0
LOCK_SECONDS = 1.0
COMPILING, READY = "compiling", "ready"

log = logging.getLogger("ratchet.worker")


@dataclass
class Shift:
    """What the worker remembers between two looks at the database."""

    database: Database
    compiling: "Future[None]"
    fitted: dict[str, tuple[int, Engine]] = field(default_factory=dict)
    job: "Future[None] | None" = None
    last_beat: float = 0.0
    last_state: str = ""

    @property
    def engine(self) -> Engine:
        """NUTS once it is compiled, the exact engine until then."""
        return Engine.NUTS if _is_good(self.compiling) else Engine.EXACT


def work(compiling: "Future[None]", is_wanted: Callable[[], bool]) -> None:
    """Work as the one worker of the database, as soon as no other is, for as long as wanted."""
    database = connect(database_url())
    while is_wanted():
        with worker_lock(database) as is_mine:
            if is_mine:
                _take_over(database)
                _look_again_and_again(Shift(database, compiling), is_wanted)
        time.sleep(LOCK_SECONDS)


def look(shift: Shift) -> None:
    """One look at the database: fit what moved, start a job that waits, say that we live."""
    engine = shift.engine
    with reading(shift.database) as session:
        revisions = studies.list_revisions(session)
        has_job = jobs.is_any_waiting(session, _now())
    for name, revision in revisions:
        if shift.fitted.get(name) != (revision, engine):
            _refresh(shift, name, engine)
            shift.fitted[name] = (revision, engine)
    if has_job:
        _start_job(shift)
    _beat(shift, READY if engine == Engine.NUTS else COMPILING)


def _take_over(database: Database) -> None:
    """No other worker lives, so a job that looks as if it ran was left by one that died."""
    with transaction(database) as session:
        jobs.requeue_running(session)


def _look_again_and_again(shift: Shift, is_wanted: Callable[[], bool]) -> None:
    while is_wanted():
        try:
            look(shift)
        except OperationalError as error:
            log.warning("The database does not answer: %s", error.orig)
            time.sleep(BEAT_SECONDS)
        time.sleep(POLL_SECONDS)


def _beat(shift: Shift, state: str) -> None:
    if state == shift.last_state and time.monotonic() - shift.last_beat < BEAT_SECONDS:
        return
    with transaction(shift.database) as session:
        jobs.beat(session, state, _now())
    shift.last_state, shift.last_beat = state, time.monotonic()


def _refresh(shift: Shift, name: str, engine: Engine) -> None:
    try:
        fitting.refresh(shift.database, name, engine, _now())
        advising.advise(shift.database, name, _now())
    except EXPECTED as error:
        log.warning("Study %r has no new posterior: %s", name, error)


def _start_job(shift: Shift) -> None:
    if shift.job is not None and not shift.job.done():
        return
    if shift.job is not None:
        shift.job.result()
    with transaction(shift.database) as session:
        job = jobs.claim(session, tuple(JOBS), _now())
    if job is not None:
        pool = ThreadPoolExecutor(1)
        shift.job = pool.submit(run_job, shift.database, job)
        pool.shutdown(wait=False)


def _is_good(compiling: "Future[None]") -> bool:
    if not compiling.done():
        return False
    compiling.result()
    return True


def _now() -> datetime:
    return datetime.now(UTC)
