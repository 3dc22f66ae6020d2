"""A backup taken while people label is whole; restored anywhere, it is the same database."""

import itertools
import sqlite3
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from alembic import command
from sqlalchemy import URL, Engine, text

from db import audit, migrate
from db.engine import make_engine, reading, transaction
from db.errors import StoreError
from db.locks import worker_lock
from db.portable_rows import kept_tables
from db.portable_rows import plain_rows as select_rows
from tests.conftest import make_database, migrated, remove_rows, render
from tests.small_studies import (
    ANNA,
    BEN,
    STUDY,
    answer_next,
    export_bytes,
    make_study,
    moment,
    plain_rows,
    want_votes,
)
from workflow import backup, fitting, labelling
from workflow.errors import RatchetError
from workflow.exporting import Kind
from workflow.labelling import Annotator, Answered, Value

PEOPLE = [Annotator(STUDY, f"person {number}") for number in range(4)]
NUMBERS = itertools.count(1)
NOW = moment(1_000)
ODD = 'tab\t, "quotes", line\r\nbreak, backslash \\N, emoji 🙂, e\u0301, \u202eשלום'
RECOUNT = """
    SELECT count(*) FROM context c WHERE retrieval_votes <> (
        SELECT count(*) FROM answer a WHERE a.context_id = c.id AND a.label_type = 'retrieval'
        AND a.value <> 'skip' AND a.is_extra = {false})
"""


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def other_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of a second database, with nothing in it."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'other.db'}"
    server: URL = request.getfixturevalue("postgres_server")
    name = f"other_{next(NUMBERS)}"
    make_database(server, name)
    return render(server.set(database=name))


@pytest.fixture
def labelled(engine: Engine, tmp_path: Path) -> Engine:
    """A study with labels, notes, an undo, a skip, a held question, and posteriors."""
    rows = plain_rows(6)
    make_study(engine, tmp_path, [rows[0]._replace(query=ODD, answer=ODD), *rows[1:]])
    want_votes(engine, 2)
    for number, value in enumerate((Value.YES, Value.NO, Value.SKIP, Value.CANT_TELL)):
        answer_next(engine, ANNA, value, seconds=number)
        answer_next(engine, BEN, Value.YES, seconds=number)
    last = labelling.open_desk(engine, BEN, moment(10)).recent[0]
    labelling.undo(engine, BEN, last.event_id, moment(11))
    fitting.refresh(engine, STUDY, fitting.Engine.EXACT, moment(12))
    return engine


def test_restored_database_exports_the_same_bytes(
    labelled: Engine, other_url: str, tmp_path: Path
) -> None:
    path = tmp_path / "one.backup"
    backup.back_up(labelled, path, NOW)
    before = path.read_bytes()

    backup.restore_from(other_url, path, False, NOW)

    other = make_engine(other_url)
    for kind in Kind:
        for every in (False, True):
            expected = export_bytes(labelled, kind, every=every)
            assert export_bytes(other, kind, every=every) == expected
    assert ODD.encode() in export_bytes(other, Kind.ITEMS).replace(b'""', b'"')
    assert stored(other) == stored(labelled)
    assert path.read_bytes() == before
    backup.back_up(other, tmp_path / "two.backup", NOW)
    assert file_rows(tmp_path / "two.backup") == file_rows(path)
    # New rows get ids of their own: nobody meets a number that is taken.
    answer_next(other, BEN, seconds=20)
    answer_next(other, PEOPLE[0], seconds=20)
    other.dispose()


def test_backup_taken_while_people_label_is_whole(engine: Engine, tmp_path: Path) -> None:
    make_study(engine, tmp_path, plain_rows(200))
    done = threading.Event()
    said: dict[str, list[int]] = {annotator.person: [] for annotator in PEOPLE}

    def label_on(annotator: Annotator) -> None:
        while not done.is_set():
            desk = labelling.open_desk(engine, annotator, datetime.now(UTC))
            if desk.question is None:
                return
            answer = Answered(desk.question.lease_id, Value.YES)
            saved = labelling.submit(engine, annotator, answer, datetime.now(UTC))
            said[annotator.person].append(saved.event_id)

    with ThreadPoolExecutor(len(PEOPLE)) as pool:
        running = [pool.submit(label_on, annotator) for annotator in PEOPLE]
        while min(map(len, said.values())) < 3:
            assert not any(one.done() for one in running)
            time.sleep(0.01)
        known = {person: list(ids) for person, ids in said.items()}
        backup.back_up(engine, tmp_path / "busy.backup", NOW)
        goes_on = any(len(said[person]) > len(known[person]) for person in said)
        done.set()
        for one in running:
            one.result()
    assert goes_on, "the backup held everybody up until it was done"

    backup.restore_from(f"sqlite:///{tmp_path / 'copy.db'}", tmp_path / "busy.backup", False, NOW)
    copy = make_engine(f"sqlite:///{tmp_path / 'copy.db'}")
    with copy.connect() as connection:
        rows = connection.execute(
            text(
                "SELECT p.name, e.id, a.id, l.closed_at FROM label_event e"
                " JOIN person p ON p.id = e.person_id"
                " JOIN lease l ON l.id = e.lease_id"
                " LEFT JOIN answer a ON a.event_id = e.id ORDER BY e.id"
            )
        ).all()
        assert connection.scalar(text(RECOUNT.format(false=0))) == 0
    for person, ids in said.items():
        held = [event for name, event, _, _ in rows if name == person]
        assert held == ids[: len(held)], "what a person saved later is there, earlier is not"
        assert len(held) >= len(known[person]), "a label saved before the backup is not in it"
    assert all(answer is not None and closed for _, _, answer, closed in rows)
    assert len(rows) == len(export_bytes(copy, Kind.LABELS).splitlines()) - 1
    (table,) = fitting.read_due(copy, STUDY).tables.values()
    counted = sum(table.counts[table.cells[:, column] >= 0].sum() for column in (1, 2))
    assert counted == len(rows)
    copy.dispose()


def test_restore_refuses_a_database_with_something_in_it(
    labelled: Engine, database_url: str, tmp_path: Path
) -> None:
    backup.back_up(labelled, tmp_path / "one.backup", NOW)
    answer_next(labelled, ANNA, seconds=20)
    later = export_bytes(labelled, Kind.LABELS)
    with pytest.raises(StoreError, match="not empty: it holds 1 studies"):
        backup.restore_from(database_url, tmp_path / "one.backup", False, NOW)
    assert export_bytes(labelled, Kind.LABELS) == later

    backup.restore_from(database_url, tmp_path / "one.backup", True, NOW)
    assert len(export_bytes(labelled, Kind.LABELS)) < len(later)
    with reading(labelled) as session:
        actions = [row.action for row in session.execute(text("SELECT action FROM audit"))]
    assert actions[-1] == "restore"


def test_restore_that_fails_half_way_changes_nothing(
    labelled: Engine, database_url: str, tmp_path: Path
) -> None:
    path = tmp_path / "one.backup"
    backup.back_up(labelled, path, NOW)
    before = stored(labelled)
    with closing(sqlite3.connect(path)) as connection:  # an answer without its event
        connection.execute("DELETE FROM label_event WHERE id = (SELECT event_id FROM answer)")
        connection.commit()
    with pytest.raises(StoreError, match="points at a row of label_event that is not there"):
        backup.restore_from(database_url, path, True, NOW)
    assert stored(labelled) == before


@pytest.mark.postgres
def test_a_row_that_postgresql_refuses_leaves_all_as_it_was(
    postgres_with_schema: Engine, tmp_path: Path
) -> None:
    target = postgres_with_schema
    remove_rows(target)
    path = tmp_path / "one.backup"
    with transaction(target) as session:
        audit.write(session, audit.Deed("anna", "was here", {}), NOW)
    backup.back_up(target, path, NOW)
    with closing(sqlite3.connect(path)) as connection:  # SQLite keeps what PostgreSQL cannot
        connection.execute("INSERT INTO person (name, created_at) VALUES (?, ?)", ("a\0b", NOW))
        connection.commit()
    before = stored(target)
    with pytest.raises(StoreError, match="PostgreSQL refused a row of person"):
        backup.restore_from(render(target.url), path, True, NOW)
    assert stored(target) == before


def test_a_running_server_keeps_a_restore_out(
    labelled: Engine, database_url: str, tmp_path: Path
) -> None:
    backup.back_up(labelled, tmp_path / "one.backup", NOW)
    with worker_lock(labelled) as is_mine:
        assert is_mine
        with pytest.raises(RatchetError, match="Stop every `ratchet serve`"):
            backup.restore_from(database_url, tmp_path / "one.backup", True, NOW)


def test_sessions_are_in_no_backup(engine: Engine, tmp_path: Path) -> None:
    secret = "hash-of-a-session-token"
    with engine.begin() as connection:
        for statement in (
            "INSERT INTO person (id, name, created_at) VALUES (1, 'anna', :now)",
            "INSERT INTO login_session (token_hash, person_id, agent, created_at, seen_at,"
            " expires_at) VALUES ('hash-of-a-session-token', 1, 'x', :now, :now, :now)",
        ):
            connection.execute(text(statement), {"now": str(NOW)})
    backup.back_up(engine, tmp_path / "one.backup", NOW)
    held = (tmp_path / "one.backup").read_bytes()
    assert b"anna" in held
    assert secret.encode() not in held
    assert (tmp_path / "one.backup").stat().st_mode & 0o077 == 0


def test_a_backup_overwrites_no_file(sqlite_engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine")
    with pytest.raises(StoreError, match="overwrites nothing"):
        backup.back_up(sqlite_engine, tmp_path / "mine", NOW)
    with pytest.raises(StoreError, match="cannot be written"):
        backup.back_up(sqlite_engine, tmp_path / "nowhere" / "mine", NOW)
    assert (tmp_path / "mine").read_text() == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine"]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (None, "There is no file"),
        (b"", "holds no database of Ratchet"),
        (b"item_id,query\n1,2\n" * 100, "damaged or no backup"),
    ],
)
def test_what_is_no_backup_is_refused(content: bytes | None, expected: str, tmp_path: Path) -> None:
    if content is not None:
        (tmp_path / "file").write_bytes(content)
    with pytest.raises(StoreError, match=expected):
        backup.restore_from(f"sqlite:///{tmp_path / 'new.db'}", tmp_path / "file", False, NOW)
    assert not (tmp_path / "new.db").exists()


def test_a_damaged_backup_is_refused(sqlite_engine: Engine, tmp_path: Path) -> None:
    make_study(sqlite_engine, tmp_path, plain_rows(50))
    path = tmp_path / "one.backup"
    backup.back_up(sqlite_engine, path, NOW)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(StoreError, match="damaged or no backup"):
        backup.restore_from(f"sqlite:///{tmp_path / 'new.db'}", path, False, NOW)


def test_an_older_backup_is_upgraded_on_its_way(other_url: str, tmp_path: Path) -> None:
    path = tmp_path / "old.backup"
    old = make_engine(f"sqlite:///{path}")
    config = migrate._config()
    with old.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0001")
        connection.execute(
            text("INSERT INTO person (id, name, created_at) VALUES (7, 'anna', :now)"),
            {"now": "2026-03-01 09:00:00.000000"},
        )
    old.dispose()
    backup.restore_from(other_url, path, False, NOW)
    other = make_engine(other_url)
    migrate.require_current(other)
    with other.connect() as connection:
        assert connection.execute(text("SELECT id, name FROM person")).all() == [(7, "anna")]
    other.dispose()


def test_a_newer_backup_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "file.db"
    for made in migrated(f"sqlite:///{path}"):
        with made.begin() as connection:
            connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(StoreError, match="Install the newer Ratchet"):
        backup.restore_from(f"sqlite:///{tmp_path / 'new.db'}", path, False, NOW)


def stored(engine: Engine) -> dict[str, list[tuple[object, ...]]]:
    """All rows but the record, as text, so that both databases compare."""
    with reading(engine) as session:
        return {
            table.name: [tuple(row) for row in session.execute(select_rows(table))]
            for table in kept_tables()
            if table.name != "audit"
        }


def file_rows(path: Path) -> dict[str, list[tuple[object, ...]]]:
    """All rows of a backup as SQLite holds them."""
    with closing(sqlite3.connect(path)) as connection:
        names = [
            name
            for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type='table'")
        ]
        return {
            name: connection.execute(f"SELECT * FROM {name} ORDER BY 1").fetchall()
            for name in names
            if name != "audit"
        }
