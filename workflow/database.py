"""The database of this process: which one, brought to the schema this version needs."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Engine

from db import migrate
from db.engine import make_engine, missing_file
from workflow.errors import RatchetError

DEFAULT_URL = "sqlite:///ratchet.db"


def database_url() -> str:
    """The database that `DATABASE_URL` names, else a file in the working directory."""
    return os.environ.get("DATABASE_URL") or DEFAULT_URL


def connect(url: str) -> Engine:
    """An engine on a database of this version's schema; a new one is made.

    Raises:
        StoreError: the schema is another version's; the message names the command to run.
    """
    engine = make_engine(url)
    if migrate.current_revision(engine) is None:
        migrate.upgrade(engine)
    migrate.require_current(engine)
    return engine


@contextmanager
def for_import(url: str, is_dry_run: bool) -> Iterator[Engine]:
    """The database to import into; a dry run where there is none makes none."""
    if not is_dry_run or missing_file(url) is None:
        yield connect(url)
        return
    with tempfile.TemporaryDirectory() as folder:
        engine = connect(f"sqlite:///{Path(folder) / 'dry_run.db'}")
        yield engine
        engine.dispose()


def connect_existing(url: str) -> Engine:
    """An engine on a database that is there already; nothing is made.

    Raises:
        RatchetError: there is no database at that place.
        StoreError: it is empty, or its schema is another version's.
    """
    path = missing_file(url)
    if path is not None:
        raise RatchetError(
            f"There is no database at {str(path)!r}; one with studies is expected. Make it with"
            " `ratchet import STUDY FILE` or `ratchet serve`, or name another one by DATABASE_URL."
        )
    engine = make_engine(url)
    migrate.require_current(engine)
    return engine


def upgrade(url: str) -> str:
    """Bring a database to this version's schema; returns the revision it is at."""
    engine = make_engine(url)
    migrate.upgrade(engine)
    return migrate.current_revision(engine) or ""


def current(url: str) -> tuple[str | None, str | None]:
    """(found, needed) schema revisions; found is None where there is no database."""
    needed = migrate.newest_revision()
    if missing_file(url) is not None:
        return None, needed
    return migrate.current_revision(make_engine(url)), needed
