"""The database of this process: which one, brought to the schema this version needs."""

import os

from sqlalchemy import Engine

from db import migrate
from db.engine import make_engine

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


def upgrade(url: str) -> str:
    """Bring a database to this version's schema; returns the revision it is at."""
    engine = make_engine(url)
    migrate.upgrade(engine)
    return migrate.current_revision(engine) or ""


def current(url: str) -> tuple[str | None, str | None]:
    """(found, needed) schema revisions."""
    return migrate.current_revision(make_engine(url)), migrate.newest_revision()
