"""One worker a database: a lock that dies with its process, also after a kill.

SQLite: an advisory lock on a file beside the database. PostgreSQL: a session-level advisory lock.
"""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Engine, text

from db.engine import sqlite_path

_WORKER_KEY = 7_270_002  # any constant that nothing else in this database uses


@contextmanager
def worker_lock(engine: Engine) -> Iterator[bool]:
    """Hold the worker's lock while inside; False when another process holds it."""
    path = sqlite_path(engine)
    if path is None:
        with _advisory_lock(engine) as is_mine:
            yield is_mine
        return
    with path.with_name(path.name + ".worker.lock").open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        yield True


@contextmanager
def _advisory_lock(engine: Engine) -> Iterator[bool]:
    with engine.connect() as connection:
        query = text("SELECT pg_try_advisory_lock(:key)")
        is_mine = bool(connection.scalar(query, {"key": _WORKER_KEY}))
        connection.commit()
        try:
            yield is_mine
        finally:
            if is_mine:
                connection.execute(text("SELECT pg_advisory_unlock(:key)"), {"key": _WORKER_KEY})
                connection.commit()
