"""Backup and restore as a script asks for them, each on the record.

A restore wants the database to itself: it takes the worker's lock, which a running server holds.
"""

from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import Engine

from db import audit, backup, restore
from db.backup import Contents
from db.engine import sqlite_path, transaction
from db.locks import worker_lock
from workflow import database
from workflow.errors import RatchetError

PERSON = "command line"


def back_up(engine: Engine, path: Path | None, now: datetime) -> str:
    """Write a backup while people work; returns where it is and what it holds.

    Raises:
        StoreError: the file cannot be written, or is there already.
    """
    path = path or Path(file_name(now))
    contents = backup.write_backup(engine, path)
    _record(engine, "backup", path, contents, now)
    return f"{path}: {describe(contents)}."


def restore_from(url: str, path: Path, replaces: bool, now: datetime) -> str:
    """Put a backup into a database; everybody signs in again. Returns what it holds now.

    Raises:
        StoreError: the backup is no good, or the database is not empty; nothing was changed.
        RatchetError: a server runs on the database.
    """
    with restore.opened_backup(path) as copy:
        file = sqlite_path(copy)
        assert file is not None
        contents = backup.read_contents(file)
        _record(copy, "restore", path, contents, now)
        target = database.connect(url)
        try:
            _fill_alone(copy, target, replaces)
        finally:
            target.dispose()
    return f"Restored {describe(contents)}. Everybody signs in again."


def describe(contents: Contents) -> str:
    """What a backup holds, in words."""
    return (
        f"{contents.studies} studies, {contents.items} items, {contents.label_events} label"
        f" events, {contents.people} people"
    )


def file_name(now: datetime) -> str:
    """The name of a backup of this moment; names sort by time."""
    return f"ratchet-{now.astimezone(UTC):%Y%m%d-%H%M%SZ}.backup"


def _fill_alone(copy: Engine, target: Engine, replaces: bool) -> None:
    with worker_lock(target) as is_mine:
        if not is_mine:
            raise RatchetError(
                "A server runs on this database, and a restore wants it alone. Nothing was"
                " changed. Stop every `ratchet serve` on it, then restore again."
            )
        restore.fill(copy, target, replaces)


def _record(engine: Engine, action: str, path: Path, contents: Contents, now: datetime) -> None:
    detail = {"file": path.name, **contents._asdict()}
    with transaction(engine) as session:
        audit.write(session, audit.Deed(PERSON, action, detail), now)
