"""Is this server fit to work? For monitoring, and for tests that ask the running server."""

from datetime import datetime
from typing import NamedTuple

from sqlalchemy import Engine

from db import jobs, studies
from db.engine import reading


class Health(NamedTuple):
    """`worker` is what the worker does, None when it was not heard of lately."""

    status: str
    database: str
    studies: int
    worker: str | None


def read_health(engine: Engine, now: datetime) -> Health:
    """The state of the database and its worker."""
    with reading(engine) as session:
        count = len(studies.list_revisions(session))
        return Health("ok", engine.dialect.name, count, jobs.worker_state(session, now))
