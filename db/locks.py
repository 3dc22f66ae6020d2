"""Who must wait for whom: one worker a database, one import a study, one claim at a time.

The worker's lock dies with its process, also after a kill: an advisory lock on a file beside a
SQLite database, one of the session on PostgreSQL. The others end with their transaction, and only
PostgreSQL needs them, since a write transaction of SQLite is alone anyway.
"""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection, Engine, text
from sqlalchemy.orm import Session

from db.engine import sqlite_path

# Any constants that nothing else in this database uses.
_WORKER_KEY = 7_270_002
_ANSWERS_KEY = 7_270_003
_CLAIMS_KEY = 7_270_004


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


def share_answers(session: Session, study_id: int) -> None:
    """Change answers of a study beside others who do, but not during an import.

    An import counts the votes of all its subjects in one statement, which would not see an answer
    that is being written.
    """
    _lock_study(session.connection(), "pg_advisory_xact_lock_shared", _ANSWERS_KEY, study_id)


def own_answers(connection: Connection, study_id: int) -> None:
    """Be alone in changing the answers and items of a study until the transaction ends."""
    _lock_study(connection, "pg_advisory_xact_lock", _ANSWERS_KEY, study_id)


def own_claims(session: Session, study_id: int) -> None:
    """Be alone in handing out questions of a study until the transaction ends."""
    _lock_study(session.connection(), "pg_advisory_xact_lock", _CLAIMS_KEY, study_id)


def _lock_study(connection: Connection, function: str, key: int, study_id: int) -> None:
    if connection.dialect.name == "postgresql":
        statement = text(f"SELECT {function}(:key, CAST(:study_id AS integer))")
        connection.execute(statement, {"key": key, "study_id": study_id})


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
