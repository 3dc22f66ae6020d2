"""Connections: what SQLite is set to, snapshots that take no lock, moments that keep their zone."""

import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime, timedelta, timezone

import pytest
from sqlalchemy import Engine, select, text
from sqlalchemy.exc import DBAPIError, OperationalError, StatementError

from db import people
from db.engine import make_engine, reading, transaction
from db.tables import Person
from tests.small_studies import START


def names(engine: Engine) -> list[str]:
    with reading(engine) as session:
        return list(session.scalars(select(Person.name)))


@pytest.mark.parametrize(
    ("pragma", "value"),
    [("journal_mode", "wal"), ("synchronous", 2), ("foreign_keys", 1), ("busy_timeout", 30000)],
)
def test_sqlite_connections_are_set_for_safety(
    sqlite_engine: Engine, pragma: str, value: object
) -> None:
    with sqlite_engine.connect() as connection:
        assert connection.scalar(text(f"PRAGMA {pragma}")) == value


def test_an_exception_rolls_everything_back(engine: Engine) -> None:
    with suppress(ZeroDivisionError), transaction(engine) as session:
        people.ensure_person(session, "anna", START)
        raise ZeroDivisionError
    assert names(engine) == []


def test_a_reader_neither_waits_for_a_writer_nor_sees_half_of_its_work(engine: Engine) -> None:
    with transaction(engine) as session:
        people.ensure_person(session, "anna", START)
        session.flush()
        start = time.monotonic()
        assert names(engine) == []
        assert time.monotonic() - start < 5
    assert names(engine) == ["anna"]


def test_a_reading_session_sees_one_moment(engine: Engine) -> None:
    with reading(engine) as session:
        assert session.scalar(select(Person.name)) is None
        with transaction(engine) as other:
            people.ensure_person(other, "anna", START)
        assert session.scalar(select(Person.name)) is None


def test_a_reading_session_on_postgres_cannot_write(engine: Engine) -> None:
    if engine.dialect.name == "sqlite":
        pytest.skip("SQLite has no read-only transactions")
    with pytest.raises(DBAPIError, match="read-only"), reading(engine) as session:
        people.ensure_person(session, "anna", START)


def test_a_second_writer_on_sqlite_waits_at_begin_and_not_at_its_first_write(
    sqlite_engine: Engine,
) -> None:
    # The twin: were BEGIN not IMMEDIATE, both would read first and one would lose silently.
    impatient = make_engine(str(sqlite_engine.url))
    with transaction(sqlite_engine) as session:
        session.execute(select(Person.id))
        with impatient.connect() as connection:
            connection.rollback()
            raw = connection.connection.driver_connection
            assert raw is not None
            raw.execute("PRAGMA busy_timeout=10")
            with pytest.raises(OperationalError, match="locked"):
                connection.execute(select(Person.id))
    impatient.dispose()


def test_a_moment_comes_back_in_utc_to_the_microsecond(engine: Engine) -> None:
    east = timezone(timedelta(hours=5, minutes=30))
    there = datetime(2026, 3, 1, 14, 30, 0, 123456, tzinfo=east)
    with transaction(engine) as session:
        people.ensure_person(session, "anna", there)
    with reading(engine) as session:
        found = session.scalars(select(Person.created_at)).one()
    assert found == there
    assert found.tzinfo == UTC


def test_a_moment_without_zone_is_refused(engine: Engine) -> None:
    with (
        pytest.raises(StatementError, match="without time zone"),
        transaction(engine) as session,
    ):
        people.ensure_person(session, "anna", datetime(2026, 3, 1))


def test_two_who_meet_a_new_name_at_once_make_one_person(engine: Engine) -> None:
    def ensure(_: int) -> int:
        with transaction(engine) as session:
            return people.ensure_person(session, "anna", START)

    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(ensure, range(16)))) == 1
