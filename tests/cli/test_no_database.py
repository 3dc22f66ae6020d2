"""Commands about studies where there is no database: one line, and nothing is made."""

from pathlib import Path

import pytest

from tests.cli.conftest import Run, one_line_of_error

ON_A_STUDY = [
    ("export", "S", "items"),
    ("export", "S", "labels", "-o", "out.csv"),
    ("fit", "S", "--engine", "exact"),
    ("check", "S", "--min", "policy_adherence=0.5"),
    ("label", "S", "g0", "retrieval", "1", "--annotator", "anna"),
    ("plan", "S", "--budget", "10"),
    ("next", "S"),
]


@pytest.mark.parametrize("arguments", ON_A_STUDY)
def test_without_a_database_a_command_says_so_and_makes_nothing(
    ratchet: Run, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    error = one_line_of_error(ratchet(*arguments))
    assert "There is no database at 'ratchet.db'" in error
    assert "ratchet import" in error
    assert [path.name for path in tmp_path.iterdir()] == ["rows.csv"]


def test_asking_for_the_schema_makes_no_database(ratchet: Run, tmp_path: Path) -> None:
    assert "at schema none" in ratchet("db", "current").out
    assert [path.name for path in tmp_path.iterdir()] == ["rows.csv"]


def test_an_empty_file_is_no_database_either(ratchet: Run, tmp_path: Path) -> None:
    (tmp_path / "ratchet.db").touch()
    assert "The database is empty" in one_line_of_error(ratchet("export", "S", "items"))


def test_the_twin_import_makes_the_database_and_the_command_works(
    ratchet: Run, tmp_path: Path
) -> None:
    assert ratchet("import", "S", "rows.csv").code == 0
    assert (tmp_path / "ratchet.db").exists()
    assert ratchet("export", "S", "items").code == 0
