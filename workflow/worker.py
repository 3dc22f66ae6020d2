"""The process beside the server: keeps posteriors up to date and does the long jobs.

Run as `python -m workflow.worker`; `DATABASE_URL` names the database, which has one worker, by
lock. It looks for new labels several times a second. Until NUTS is compiled, in a thread, the
exact engine answers; a job runs in a thread of its own, so that it never delays a posterior.
"""

import logging
import os
import time
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import Engine as Database
from sqlalchemy.exc import OperationalError

from db import jobs, studies
from db.engine import reading, transaction
from db.locks import worker_lock
from workflow import fitting
from workflow.database import connect, database_url
from workflow.errors import EXPECTED
from workflow.fitting import Engine
from workflow.working import JOBS, run_job

POLL_SECONDS = 0.15
BEAT_SECONDS = 2.0
LOCK_SECONDS = 1.0
NICENESS = 10  # a click goes before a fit
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

    @property
    def engine(self) -> Engine:
        """NUTS once it is compiled, the exact engine until then."""
        return Engine.NUTS if _is_good(self.compiling) else Engine.EXACT


def main() -> None:
    """Work until the parent process is gone."""
    parent = os.getppid()
    os.nice(NICENESS)
    database = connect(database_url())
    while os.getppid() == parent:
        with worker_lock(database) as is_mine:
            if is_mine:
                _work(database, parent)
        time.sleep(LOCK_SECONDS)


def cache_folder() -> Path:
    """Where compiled programs are kept between starts."""
    base = os.environ.get("RATCHET_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME")
    return Path(base or Path.home() / ".cache") / "ratchet" / "jax"


def compile_nuts() -> None:
    """Make NUTS ready: seconds with a warm cache, a good while without."""
    from model.rat.nuts import use_compilation_cache, warm_up

    folder = cache_folder()
    folder.mkdir(parents=True, exist_ok=True)
    use_compilation_cache(str(folder))
    warm_up()


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
    if time.monotonic() - shift.last_beat > BEAT_SECONDS:
        with transaction(shift.database) as session:
            jobs.beat(session, READY if engine == Engine.NUTS else COMPILING, _now())
        shift.last_beat = time.monotonic()


def _work(database: Database, parent: int) -> None:
    with ThreadPoolExecutor(2) as pool:
        shift = Shift(database, pool.submit(compile_nuts))
        while os.getppid() == parent:
            try:
                look(shift)
            except OperationalError as error:
                log.warning("The database does not answer: %s", error.orig)
                time.sleep(BEAT_SECONDS)
            time.sleep(POLL_SECONDS)
        os._exit(0)  # threads in a compilation cannot be stopped otherwise


def _refresh(shift: Shift, name: str, engine: Engine) -> None:
    try:
        fitting.refresh(shift.database, name, engine, _now())
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


if __name__ == "__main__":
    logging.basicConfig(format="%(name)s: %(message)s")
    main()
