"""The migrated schema is the one the tables describe, and each way to get there is safe."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Engine, inspect, text

from db import migrate
from db.engine import make_engine
from db.errors import StoreError
from db.tables import Base


@pytest.fixture
def own_engine(empty_url: str) -> Iterator[Engine]:
    """A migrated database whose schema a test may change."""
    made = make_engine(empty_url)
    migrate.upgrade(made)
    yield made
    made.dispose()


def differences(engine: Engine) -> list[object]:
    with engine.connect() as connection:
        context = MigrationContext.configure(
            connection, opts={"compare_type": True, "compare_server_default": True}
        )
        return list(compare_metadata(context, Base.metadata))


def downgrade(engine: Engine) -> None:
    config = migrate._config()
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.downgrade(config, "base")


def test_migrated_schema_is_the_schema_of_the_tables(engine: Engine) -> None:
    assert differences(engine) == []


def test_a_column_too_many_shows_as_a_difference(own_engine: Engine) -> None:
    with own_engine.begin() as connection:
        connection.execute(text("ALTER TABLE study ADD COLUMN mood TEXT"))
    assert len(differences(own_engine)) == 1


def test_partial_indexes_carry_their_condition(engine: Engine) -> None:
    # Alembic compares no conditions, and without them one person could hold one question ever.
    for table, name in (
        ("lease", "uq_lease_open"),
        ("answer", "uq_answer_retrieval"),
        ("answer", "uq_answer_task"),
    ):
        found = {index["name"]: index for index in inspect(engine).get_indexes(table)}[name]
        options = found["dialect_options"]
        assert found["unique"]
        assert str(options[f"{engine.dialect.name}_where"])


def test_upgrade_of_a_current_database_changes_nothing(engine: Engine) -> None:
    before = migrate.current_revision(engine)
    migrate.upgrade(engine)
    assert migrate.current_revision(engine) == before == migrate.newest_revision()


def test_downgrade_leaves_no_table_and_upgrade_brings_all_back(own_engine: Engine) -> None:
    downgrade(own_engine)
    assert inspect(own_engine).get_table_names() == ["alembic_version"]
    migrate.upgrade(own_engine)
    assert differences(own_engine) == []


def test_an_empty_database_is_refused_with_the_command_to_run(empty_url: str) -> None:
    engine = make_engine(empty_url)
    with pytest.raises(StoreError, match="ratchet db upgrade"):
        migrate.require_current(engine)
    engine.dispose()


def test_a_newer_database_is_refused_and_not_called_old(own_engine: Engine) -> None:
    with own_engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(StoreError, match=r"9999.*newer Ratchet"):
        migrate.require_current(own_engine)


def test_a_current_database_is_accepted(engine: Engine) -> None:
    migrate.require_current(engine)


def test_servers_that_create_the_schema_at_once_make_it_once(empty_url: str) -> None:
    together = threading.Barrier(4)

    def create(_: int) -> str | None:
        engine = make_engine(empty_url)
        together.wait()
        migrate.upgrade(engine)
        found = migrate.current_revision(engine)
        engine.dispose()
        return found

    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(create, range(4))) == {migrate.newest_revision()}


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("no url", "sqlite:///file.db"),
        ("mysql://root@localhost/x", "mysql"),
        ("sqlite:////no/such/folder/x.db", "/no/such/folder"),
    ],
)
def test_an_address_that_cannot_be_used_says_what_is_expected(url: str, words: str) -> None:
    with pytest.raises(StoreError, match=words):
        make_engine(url)


def test_a_file_that_is_no_database_is_one_clear_line(tmp_path: Path) -> None:
    path = tmp_path / "notes.db"
    path.write_text("These are my notes, and no database at all.\n" * 100)
    with pytest.raises(StoreError, match=r"notes\.db"):
        migrate.current_revision(make_engine(f"sqlite:///{path}"))


def test_a_server_that_is_not_there_is_one_clear_line(tmp_path: Path) -> None:
    url = f"postgresql://somebody@/ratchet?host={tmp_path}"
    with pytest.raises(StoreError, match="cannot be reached"):
        migrate.current_revision(make_engine(url))
