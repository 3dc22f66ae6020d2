"""Where the data lives: a SQLite file by default, PostgreSQL by URL.

SQLite runs in WAL mode with `synchronous=FULL` ("saved" means on disk) and explicit BEGIN: a write
transaction takes the write lock at once (BEGIN IMMEDIATE), because the driver's default (lock at
the first write) lets two sessions read the same free row and both take it, without an error.
"""

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError
from sqlalchemy.orm import Session

from db.errors import StoreError

BUSY_TIMEOUT_MS = 30_000
POOL_SIZE = 10
POOL_OVERFLOW = 40
READ_ONLY = "ratchet_read_only"
_TURNS: defaultdict[str, Lock] = defaultdict(Lock)  # by the address of the file


def make_engine(url: str) -> Engine:
    """The engine for a database URL.

    Args:
        url: `sqlite:///file.db`, or `postgresql://user:password@host/name`.

    Raises:
        StoreError: the URL is not readable, or names another kind of database.
    """
    parsed = parse_url(url)
    if parsed.get_backend_name() == "sqlite":
        return _sqlite_engine(parsed)
    return create_engine(
        parsed, pool_size=POOL_SIZE, max_overflow=POOL_OVERFLOW, pool_pre_ping=True
    )


def parse_url(url: str) -> URL:
    """The parsed URL, with psycopg 3 as the PostgreSQL driver."""
    try:
        parsed = make_url(url)
    except ArgumentError as error:
        raise StoreError(
            f"DATABASE_URL is {url!r}; sqlite:///file.db or postgresql://user@host/name is"
            " expected. Correct the variable."
        ) from error
    backend = parsed.get_backend_name()
    if backend not in {"sqlite", "postgresql"}:
        raise StoreError(
            f"DATABASE_URL names the database {backend!r}; sqlite and postgresql are supported."
        )
    if backend == "postgresql":
        return parsed.set(drivername="postgresql+psycopg")
    return parsed


def sqlite_path(engine: Engine) -> Path | None:
    """The file behind a SQLite engine; None for PostgreSQL."""
    if engine.dialect.name != "sqlite" or not engine.url.database:
        return None
    return Path(engine.url.database)


def missing_file(url: str) -> Path | None:
    """The SQLite file that a URL names and that is not there; None where there is nothing to miss.

    Raises:
        StoreError: the URL is not readable, or names another kind of database.
    """
    parsed = parse_url(url)
    if parsed.get_backend_name() != "sqlite" or not parsed.database:
        return None
    path = Path(parsed.database)
    return None if path.exists() else path


@contextmanager
def transaction(engine: Engine) -> Iterator[Session]:
    """A session that commits on leaving, and rolls back on an exception."""
    with _turn(engine), Session(engine, expire_on_commit=False) as session, session.begin():
        yield session


@contextmanager
def reading(engine: Engine) -> Iterator[Session]:
    """A session over one consistent snapshot that takes no write lock."""
    reader = engine.execution_options(**{READ_ONLY: True})
    if engine.dialect.name == "postgresql":
        reader = reader.execution_options(
            isolation_level="REPEATABLE READ", postgresql_readonly=True
        )
    with Session(reader) as session:
        yield session


def update_statistics(connection: Connection) -> None:
    """Tell PostgreSQL how many rows there are now.

    It looks by itself after a minute; until then it plans as if the tables were empty, and the next
    question of a study of 20,000 takes 65 ms instead of one.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(text("ANALYZE context, item, answer, label_event, lease"))


@contextmanager
def _turn(engine: Engine) -> Iterator[None]:
    """Wait for the other writers of this process.

    SQLite has one writer, and lets the others ask again and again, with longer and longer pauses:
    of many some wait seconds while others pass. A lock hands over at once.
    """
    if engine.dialect.name != "sqlite":
        yield
        return
    with _TURNS[str(engine.url)]:
        yield


def _sqlite_engine(url: URL) -> Engine:
    folder = Path(url.database or "").parent
    if url.database and not folder.is_dir():
        raise StoreError(
            f"The folder {str(folder)!r} of the database file does not exist. Create it or"
            " change DATABASE_URL."
        )
    engine = create_engine(
        url,
        connect_args={"timeout": BUSY_TIMEOUT_MS / 1000, "check_same_thread": False},
        pool_size=POOL_SIZE,
        max_overflow=POOL_OVERFLOW,
    )
    event.listen(engine, "connect", _set_pragmas)
    event.listen(engine, "begin", _begin)
    return engine


def _set_pragmas(connection: Any, _record: Any) -> None:
    connection.isolation_level = None  # BEGIN is ours, see `_begin`
    cursor = connection.cursor()
    for pragma in (
        "journal_mode=WAL",
        "synchronous=FULL",
        "foreign_keys=ON",
        f"busy_timeout={BUSY_TIMEOUT_MS}",
        "temp_store=FILE",
        "cache_size=-65536",
    ):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin(connection: Connection) -> None:
    reads_only = connection.get_execution_options().get(READ_ONLY, False)
    connection.exec_driver_sql("BEGIN" if reads_only else "BEGIN IMMEDIATE")
