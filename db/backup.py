"""A backup: all that is kept, at one moment, as one SQLite file, whatever the database.

SQLite copies itself (VACUUM INTO: one snapshot, no deleted rows in it); the rows of PostgreSQL
stream into a new file from one REPEATABLE READ snapshot. Nobody who labels waits for either. The
file is checked and on disk before it gets its name, so a name is always a whole backup.
"""

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import Engine, insert
from sqlalchemy.exc import OperationalError

from db import migrate
from db.engine import BUSY_TIMEOUT_MS, make_engine, reading, sqlite_path
from db.errors import StoreError
from db.portable_rows import BATCH_ROWS, PASSING, kept_tables, plain_rows, plain_table

ONLY_OWNER = 0o600  # hashes of passwords are in it


class Contents(NamedTuple):
    """How much a backup holds."""

    studies: int
    items: int
    label_events: int
    people: int


def write_backup(engine: Engine, path: Path) -> Contents:
    """Write all that is kept into a new file; returns what is in it.

    Raises:
        StoreError: the file is there already, its folder is not, or the disk is full.
    """
    if path.exists():
        raise StoreError(
            f"There is a file {str(path)!r} already; a backup overwrites nothing. Choose another"
            " name with -o."
        )
    with _told(path), _work_folder(path) as folder:
        draft = folder / "backup.db"
        source = sqlite_path(engine)
        if source is None:
            _copy_rows(engine, draft)
        else:
            _copy_file(source, draft)
        _finish(draft)
        draft.rename(path)
        _sync(path.parent)
    return read_contents(path)


def read_contents(path: Path) -> Contents:
    """What a backup holds."""
    tables = ("study", "item", "label_event", "person")
    with closing(sqlite3.connect(path)) as connection:
        return Contents(
            *(connection.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in tables)
        )


def _copy_file(source: Path, draft: Path) -> None:
    with closing(sqlite3.connect(source, timeout=BUSY_TIMEOUT_MS / 1000)) as connection:
        connection.execute("VACUUM INTO ?", (str(draft),))


def _copy_rows(engine: Engine, draft: Path) -> None:
    """All rows of one snapshot; memory holds a batch of them."""
    target = make_engine(f"sqlite:///{draft}")
    migrate.upgrade(target)
    with reading(engine) as session, target.begin() as connection:
        for table in kept_tables():
            rows = session.execute(
                plain_rows(table), execution_options={"yield_per": BATCH_ROWS}
            ).mappings()
            for batch in rows.partitions():
                connection.execute(insert(plain_table(table)), [dict(row) for row in batch])
    target.dispose()


def _finish(draft: Path) -> None:
    """Drop what passes, check the file, and wait until it is on disk."""
    draft.chmod(ONLY_OWNER)
    with closing(sqlite3.connect(draft)) as connection:
        connection.execute("PRAGMA secure_delete=ON")
        for name in PASSING:
            connection.execute(f"DELETE FROM {name}")
        connection.commit()
        connection.execute("PRAGMA journal_mode=DELETE")
        fault = find_fault(connection)
    if fault:
        raise StoreError(
            f"The copy of the database is not whole: {fault}. Check the database and the disk; no"
            " backup was written."
        )
    _sync(draft)


def find_fault(connection: sqlite3.Connection) -> str:
    """What is wrong with a SQLite file, in a few words; empty when it is whole."""
    (found,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
    if found != "ok":
        return str(found)
    stray = connection.execute("PRAGMA foreign_key_check").fetchone()
    return f"a row of {stray[0]} points at a row of {stray[2]} that is not there" if stray else ""


@contextmanager
def _work_folder(path: Path) -> Iterator[Path]:
    """A folder on the same disk as the file, so that it can be renamed into its place."""
    folder = Path(tempfile.mkdtemp(prefix=".ratchet-backup-", dir=path.absolute().parent))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Trouble with the disk, told as one line."""
    try:
        yield
    except (OSError, sqlite3.Error, OperationalError) as error:
        reason = " ".join(str(getattr(error, "orig", None) or error).split())
        raise StoreError(
            f"The backup {str(path)!r} cannot be written: {reason}. Choose a folder that is there,"
            " with enough free space and the right to write."
        ) from error


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
