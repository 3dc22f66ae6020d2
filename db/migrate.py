"""Brings a database to the schema this version needs, by Alembic; says so when it is another.

The scripts lie in `migrations/versions`, run in batch mode on SQLite (it cannot alter a column).
"""

import logging
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Engine
from sqlalchemy.exc import DatabaseError

from db.errors import StoreError

# Alembic tells of each step at INFO, which the server would print at every start.
logging.getLogger("alembic").setLevel(logging.WARNING)

_SCRIPTS = Path(__file__).parent / "migrations"
_CREATION_LOCK = 7_270_001  # any constant: two servers must not create the schema at once


def upgrade(engine: Engine) -> None:
    """Create or upgrade the schema; nothing happens when it is current."""
    if current_revision(engine) == newest_revision():
        return
    config = _config()
    with engine.begin() as connection:
        if engine.dialect.name == "postgresql":
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_CREATION_LOCK})")
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


def current_revision(engine: Engine) -> str | None:
    """The revision the database is at; None when it is empty.

    Raises:
        StoreError: the database cannot be reached, or the file is no database.
    """
    try:
        with engine.connect() as connection:
            return MigrationContext.configure(connection).get_current_revision()
    except DatabaseError as error:
        reason = " ".join(str(error.orig).split())
        raise StoreError(
            f"The database {engine.url.render_as_string()} cannot be reached: {reason}."
            " Check DATABASE_URL."
        ) from error


def newest_revision() -> str | None:
    """The revision this version of the code needs."""
    return ScriptDirectory.from_config(_config()).get_current_head()


def require_current(engine: Engine) -> None:
    """Refuse to work on a schema of another version.

    Raises:
        StoreError: the schema is missing, older, or newer than this code.
    """
    found, needed = current_revision(engine), newest_revision()
    if found == needed:
        return
    if found is None:
        raise StoreError(
            "The database is empty; a database made by Ratchet is expected. Run"
            " `ratchet db upgrade`, or check DATABASE_URL."
        )
    if is_known(engine):
        raise StoreError(
            f"The database is at schema {found}, this version needs {needed}. Run"
            " `ratchet db upgrade`."
        )
    raise StoreError(
        f"The database is at schema {found}, which this version ({needed}) does not know."
        " Install the newer Ratchet that made it."
    )


def is_known(engine: Engine) -> bool:
    """Whether this version knows the database's revision: it is its own or an older one."""
    scripts = ScriptDirectory.from_config(_config()).walk_revisions()
    return current_revision(engine) in {script.revision for script in scripts}


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(_SCRIPTS))
    config.set_main_option("path_separator", "os")
    return config
