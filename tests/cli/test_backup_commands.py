"""`ratchet db backup` and `ratchet db restore`, as a person or cron runs them."""

from pathlib import Path

import pytest

from tests.cli.conftest import Run, one_line_of_error


def test_a_study_goes_into_a_file_and_into_another_database(
    ratchet: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert ratchet("import", "One", "rows.csv").code == 0
    labels = ratchet("export", "One", "labels").out
    said = ratchet("db", "backup", "-o", "one.backup")
    assert said.out == "one.backup: 1 studies, 80 items, 160 label events, 1 people.\n"
    assert one_line_of_error(ratchet("db", "restore", "one.backup")).startswith(
        "ratchet: The database is not empty"
    )
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{tmp_path / 'other.db'}")
    assert ratchet("db", "restore", "one.backup").out.startswith("Restored 1 studies, 80 items")
    assert ratchet("export", "One", "labels").out == labels


def test_a_backup_without_a_name_is_named_by_its_moment(ratchet: Run, tmp_path: Path) -> None:
    ratchet("import", "One", "rows.csv")
    assert ratchet("db", "backup").code == 0
    (found,) = tmp_path.glob("*.backup")
    assert found.name.startswith("ratchet-20")


def test_without_a_database_there_is_nothing_to_back_up(ratchet: Run) -> None:
    assert "There is no database" in one_line_of_error(ratchet("db", "backup"))
