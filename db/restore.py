"""A backup back into a database, all of it or nothing; of any age, into SQLite or PostgreSQL.

The file itself stays as it is: a copy is checked, brought to this version's schema and cleared of
sessions, then takes the place of what is in the database, in one transaction.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import quote

import psycopg
from sqlalchemy import Connection, Engine, Table, func, select, text

from db import migrate
from db.backup import find_fault
from db.engine import BUSY_TIMEOUT_MS, make_engine, reading, sqlite_path, update_statistics
from db.errors import StoreError
from db.portable_rows import BATCH_ROWS, PASSING, kept_tables, plain_rows
from db.tables import Account, Base, Person, Study

# Sets the next id of a table behind its last one; a table that counts no ids has no sequence.
NEXT_ID = (
    "SELECT setval(pg_get_serial_sequence('{0}', 'id'), coalesce(max(id), 1), max(id) IS NOT NULL)"
    " FROM {0}"
)


@contextmanager
def opened_backup(path: Path) -> Iterator[Engine]:
    """A copy of a backup, checked and brought to this version's schema; gone afterwards.

    Raises:
        StoreError: the file is missing, damaged, no backup, or made by a newer version.
    """
    if not path.is_file():
        raise StoreError(f"There is no file {str(path)!r}; a backup of Ratchet is expected.")
    with TemporaryDirectory(prefix="ratchet-restore-") as folder:
        copy = Path(folder) / "backup.db"
        _copy_checked(path, copy)
        engine = make_engine(f"sqlite:///{copy}")
        try:
            _bring_up_to_date(engine, path)
            yield engine
        finally:
            engine.dispose()


def is_empty(connection: Connection) -> bool:
    """Whether a database holds no study and knows nobody."""
    return not any(
        connection.scalar(select(func.count()).select_from(table))
        for table in (Study, Person, Account)
    )


def fill(backup: Engine, target: Engine, replaces: bool) -> None:
    """Put what a backup holds into a database instead of what is there.

    Raises:
        StoreError: there is something and `replaces` is False, or the database refuses a row.
    """
    path = sqlite_path(target)
    if path is not None:
        with target.connect() as connection:
            _require_place(connection, replaces)
        _overwrite(backup, path)
        return
    with target.begin() as connection:
        names = ", ".join(table.name for table in Base.metadata.sorted_tables)
        connection.execute(text(f"LOCK TABLE {names} IN ACCESS EXCLUSIVE MODE"))
        _require_place(connection, replaces)
        connection.execute(text(f"TRUNCATE {names}"))
        with reading(backup) as session:
            for table in kept_tables():
                rows = session.execute(
                    plain_rows(table), execution_options={"yield_per": BATCH_ROWS}
                )
                _copy_in(connection, table, rows)
        update_statistics(connection)


def _copy_checked(path: Path, copy: Path) -> None:
    try:
        with (
            closing(sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True)) as source,
            closing(sqlite3.connect(copy)) as target,
        ):
            source.backup(target)
            fault = find_fault(target)
    except sqlite3.Error as error:
        fault = str(error)
    if fault:
        raise StoreError(
            f"{str(path)!r} is damaged or no backup of Ratchet: {fault}. Nothing was changed; use"
            " another backup."
        )


def _bring_up_to_date(engine: Engine, path: Path) -> None:
    """Check its schema, upgrade an older one, drop what passes."""
    if migrate.current_revision(engine) is None:
        raise StoreError(
            f"{str(path)!r} holds no database of Ratchet. Name a file that `ratchet db backup`"
            " wrote, or a SQLite database of Ratchet."
        )
    if migrate.is_known(engine):
        migrate.upgrade(engine)
    migrate.require_current(engine)
    with engine.begin() as connection:
        for name in PASSING:
            connection.execute(text(f"DELETE FROM {name}"))


def _require_place(connection: Connection, replaces: bool) -> None:
    if not replaces and not is_empty(connection):
        studies = connection.scalar(select(func.count()).select_from(Study))
        raise StoreError(
            f"The database is not empty: it holds {studies} studies. Nothing was changed. Restore"
            " into an empty one, or add --replace to lose what is in it."
        )


def _overwrite(backup: Engine, path: Path) -> None:
    """Page by page in one transaction of SQLite, which a crash undoes."""
    source = sqlite_path(backup)
    assert source is not None
    with (
        closing(sqlite3.connect(source)) as pages,
        closing(sqlite3.connect(path, timeout=BUSY_TIMEOUT_MS / 1000)) as target,
    ):
        target.execute("PRAGMA synchronous=FULL")
        pages.backup(target)


def _copy_in(connection: Connection, table: Table, rows: Any) -> None:
    names = ", ".join(f'"{column.name}"' for column in table.columns)
    cursor: Any = connection.connection.cursor()
    try:
        with cursor.copy(f"COPY {table.name} ({names}) FROM STDIN") as copy:
            for row in rows:
                copy.write_row(row)
    except psycopg.Error as error:
        reason = " ".join(str(error).split())
        raise StoreError(
            f"PostgreSQL refused a row of {table.name}: {reason}. Nothing was changed."
        ) from error
    finally:
        cursor.close()
    if "id" in table.columns:
        connection.execute(text(NEXT_ID.format(table.name)))
