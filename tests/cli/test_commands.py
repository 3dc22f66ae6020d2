"""The command line, run as `main` runs it: what is printed where, and with which exit code."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import cli
from db import migrate
from tests.cli.conftest import HEADER, ROWS, Run, one_line_of_error
from tests.small_studies import csv_text

QUANTITIES = {
    "retrieval_success",
    "abstain_given_failed_retrieval",
    "abstain_given_retrieval",
    "correct_given_failed_retrieval",
    "correct_given_retrieval",
    "policy_adherence",
    "task_success",
    "abstention",
    "truthfulness",
    "answered_correct",
}


def test_import_export_import_adds_nothing(ratchet: Run, tmp_path: Path) -> None:
    first = ratchet("import", "S", "rows.csv")
    assert (first.code, first.err) == (0, "")
    assert "80 new items, 0 unchanged; 160 new labels, 0 unchanged." in first.out
    assert ratchet("export", "S", "items", "-o", "out.csv") == (0, "", "")
    assert "0 new items, 80 unchanged; 0 new labels" in ratchet("import", "S", "out.csv").out
    assert not list(tmp_path.glob("*.part"))


@pytest.mark.parametrize("kind", ["items", "labels"])
@pytest.mark.parametrize("file_format", ["csv", "jsonl"])
def test_export_to_stdout_is_the_same_file(
    ratchet: Run, tmp_path: Path, kind: str, file_format: str
) -> None:
    ratchet("import", "S", "rows.csv")
    ratchet("export", "S", kind, "--format", file_format, "-o", "out")
    found = ratchet("export", "S", kind, "--format", file_format)
    assert found.out == (tmp_path / "out").read_text(encoding="utf-8")
    assert found.err == ""


def test_export_takes_the_format_from_the_files_name(ratchet: Run, tmp_path: Path) -> None:
    ratchet("import", "S", "rows.csv")
    ratchet("export", "S", "items", "-o", "out.jsonl")
    with (tmp_path / "out.jsonl").open(encoding="utf-8") as file:
        assert len([json.loads(line)["item_id"] for line in file]) == 80
    ratchet("export", "S", "items", "-o", "out.jsonl", "--format", "csv")
    assert (tmp_path / "out.jsonl").read_text(encoding="utf-8").startswith("item_id,")


def test_a_dry_run_makes_no_database(ratchet: Run, tmp_path: Path) -> None:
    before = set(tmp_path.iterdir())
    assert "80 new items" in ratchet("import", "S", "rows.csv", "--dry-run").out
    assert set(tmp_path.iterdir()) == before


def test_a_dry_run_writes_nothing(ratchet: Run) -> None:
    ratchet("import", "other", "rows.csv")
    assert "Dry run: nothing was written." in ratchet("import", "S", "rows.csv", "--dry-run").out
    assert "no study 'S'" in one_line_of_error(ratchet("export", "S", "items"))


def test_a_file_that_differs_ends_with_1_until_it_is_confirmed(
    ratchet: Run, tmp_path: Path
) -> None:
    ratchet("import", "S", "rows.csv")
    changed = [("g0", "good", "Q0", "P0", "Another answer", "1", "1", ""), *ROWS[1:]]
    (tmp_path / "rows.csv").write_bytes(csv_text(HEADER, changed).encode())
    asked = ratchet("import", "S", "rows.csv")
    assert asked.code == 1
    assert "1 items have another text" in asked.out
    assert "--replace" in asked.out
    assert ratchet("import", "S", "rows.csv", "--replace").code == 0
    assert ratchet("import", "S", "rows.csv").code == 0


def test_fit_prints_one_json_document_of_the_contract(ratchet: Run, tmp_path: Path) -> None:
    found = ratchet("fit", "rows.csv", "--engine", "exact", "--json")
    assert (found.code, found.err) == (0, "")
    document = found.document
    assert document.keys() >= {"interval", "engine", "prior", "systems"}
    assert (document["interval"], document["engine"], document["prior"]) == (
        0.95,
        "exact",
        "uniform",
    )
    good = document["systems"]["good"]
    assert (good["items"], good["abstained"]) == (40, 0)
    assert good["labels"] == {"retrieval": 40, "task": 40}
    assert good["estimates"].keys() >= QUANTITIES
    assert good["diagnostics"]["ok"] is True
    # Beta(41, 1): the mean of retrieval success after 40 of 40 under a uniform prior.
    assert good["estimates"]["retrieval_success"]["mean"] == pytest.approx(41 / 42, abs=0.001)
    assert good["estimates"]["correct_given_failed_retrieval"]["prior_only"] is True
    assert not (tmp_path / "ratchet.db").exists()  # a file needs no database


def test_fit_of_a_study_is_the_fit_of_its_file(ratchet: Run) -> None:
    ratchet("import", "S", "rows.csv")
    by_study = ratchet("fit", "S", "--engine", "exact", "--json").document
    by_file = ratchet("fit", "rows.csv", "--engine", "exact", "--json").document
    assert by_study == by_file


def test_options_win_over_what_the_study_has_set(ratchet: Run, tmp_path: Path) -> None:
    ratchet("import", "S", "rows.csv")
    (tmp_path / "all.json").write_text(
        json.dumps(
            dict.fromkeys(
                (
                    "failed_abstained",
                    "found_abstained",
                    "failed_wrong",
                    "failed_right",
                    "found_wrong",
                    "found_right",
                ),
                1,
            )
        )
    )
    found = ratchet(
        "fit", "S", "--engine", "exact", "--prior", "jeffreys", "--policy", "all.json",
        "--interval", "0.5", "--system", "bad", "--json",
    ).document  # fmt: skip
    assert (found["prior"], found["interval"], found["policy"]) == ("jeffreys", 0.5, "custom")
    assert list(found["systems"]) == ["bad"]
    assert found["systems"]["bad"]["estimates"]["policy_adherence"]["mean"] == 1


def test_fit_as_text_names_every_quantity(ratchet: Run) -> None:
    found = ratchet("fit", "rows.csv", "--engine", "exact")
    assert found.code == 0
    for name in QUANTITIES:
        assert name in found.out


@pytest.mark.parametrize(
    ("bound", "system", "code"),
    [
        ("policy_adherence=0.8", "good", 0),
        ("policy_adherence=0.8", "bad", 1),
        ("retrieval_success=0.99", "good", 1),  # P(Beta(41, 1) >= .99) = 1 - .99^41 = .338
    ],
)
def test_check_passes_or_fails_by_its_exit_code(
    ratchet: Run, bound: str, system: str, code: int
) -> None:
    found = ratchet(
        "check", "rows.csv", "--min", bound, "--system", system, "--engine", "exact", "--json"
    )
    assert (found.code, found.err) == (code, "")
    assert found.document["ok"] is (code == 0)


def test_check_says_the_probability_of_the_posterior(ratchet: Run) -> None:
    found = ratchet(
        "check", "rows.csv", "--min", "retrieval_success=0.99", "--system", "good",
        "--engine", "exact", "--json",
    ).document  # fmt: skip
    assert found["checks"][0]["probability"] == pytest.approx(1 - 0.99**41, abs=0.01)


def test_check_of_all_systems_fails_when_one_does(ratchet: Run) -> None:
    found = ratchet("check", "rows.csv", "--min", "policy_adherence=0.8", "--engine", "exact")
    assert found.code == 1
    assert "pass  good" in found.out
    assert "FAIL  bad" in found.out


def test_label_saves_one_label(ratchet: Run, tmp_path: Path) -> None:
    (tmp_path / "one.csv").write_text("item_id,query,answer\ng0,Q?,A\n")
    ratchet("import", "S", "one.csv")
    saved = ratchet("label", "S", "g0", "task", "0", "--annotator", "anna", "--note", "odd")
    assert (saved.code, saved.out) == (0, "Saved: g0 task 0 by anna.\n")
    (line,) = ratchet("export", "S", "labels").out.splitlines()[1:]
    assert line.startswith("S,g0,")
    assert ",task,0,anna," in line
    assert line.endswith(",script,,,odd")


def test_db_upgrade_makes_the_schema_and_current_says_so(ratchet: Run) -> None:
    needed = migrate.newest_revision()
    assert ratchet("db", "current").out == (
        f"The database is at schema none; this version needs {needed}.\n"
    )
    assert ratchet("db", "upgrade").out == f"The database is at schema {needed}.\n"
    assert ratchet("db", "upgrade").code == 0
    assert f"at schema {needed};" in ratchet("db", "current").out


@pytest.mark.parametrize(
    "host",
    ["0.0.0.0", "::", "192.168.1.5", "example.com", "localhost.example.com", "127.example.com"],
)
def test_serve_refuses_a_host_where_others_could_come_in(
    ratchet: Run, host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Serving replaces this process, so a failure here would end the tests.
    monkeypatch.delattr("os.execv")
    assert "only this machine" in one_line_of_error(ratchet("serve", "--host", host))


def test_a_spreadsheet_safe_file_is_marked_and_comes_back_as_it_was(
    ratchet: Run, tmp_path: Path
) -> None:
    row = ("x", "s", "=1+1", "P", "A", "", "", "")
    (tmp_path / "formula.csv").write_bytes(csv_text(HEADER, [row]).encode())
    ratchet("import", "S", "formula.csv")
    ratchet("export", "S", "items", "--spreadsheet-safe", "-o", "safe.csv")
    assert "'=1+1" in (tmp_path / "safe.csv").read_text(encoding="utf-8")
    assert "0 new items, 1 unchanged" in ratchet("import", "S", "safe.csv").out


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("nonsense",),
        ("export", "S", "everything"),
        ("label", "S", "g0", "task", "2", "--annotator", "a"),
        ("label", "S", "g0", "task", "skip", "--annotator", "a"),
        ("fit",),
        ("check", "rows.csv"),
        ("fit", "rows.csv", "--engine", "magic"),
    ],
)
def test_misuse_ends_with_2(ratchet: Run, arguments: tuple[str, ...]) -> None:
    found = ratchet(*arguments)
    assert found.code == 2
    assert "Traceback" not in found.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("label", "S", "nowhere", "task", "1", "--annotator", "a"), "no item 'nowhere'"),
        (("label", "None", "g0", "task", "1", "--annotator", "a"), "no study 'None'"),
        (("label", "S", "g0", "task", "1", "--annotator", " "), "name"),
        (("export", "None", "items"), "studies here: 'S'"),
        (("export", "S", "items", "-o", "no/such/folder/x.csv"), "cannot be written"),
        (("fit", "rows.csv", "--engine", "exact", "--system", "x"), "there are 'bad', 'good'"),
        (("fit", "rows.csv", "--engine", "exact", "--prior", "x"), "jeffreys"),
        (("fit", "rows.csv", "--engine", "exact", "--policy", "x"), "cautious"),
        (("fit", "rows.csv", "--engine", "exact", "--interval", "1.5"), "1.5"),
        (("check", "rows.csv", "--engine", "exact", "--min", "x=1"), "policy_adherence"),
        (("check", "rows.csv", "--engine", "exact", "--min", "task_success=nan"), "nan"),
        (
            (
                "check",
                "rows.csv",
                "--engine",
                "exact",
                "--min",
                "task_success=1",
                "--probability",
                "2",
            ),
            "between 0 and 1",
        ),
        (("import", "S", "rows.csv", "--map", "answer"), "NAME=COLUMN"),
        (("import", "S", "rows.csv", "--map", "answer=nothing"), "no column 'nothing'"),
        (("import", " ", "rows.csv"), "study name"),
    ],
)
def test_an_expected_error_is_one_line_and_ends_with_2(
    ratchet: Run, arguments: tuple[str, ...], words: str
) -> None:
    ratchet("import", "S", "rows.csv")
    assert words in one_line_of_error(ratchet(*arguments))


def test_a_label_beyond_those_wanted_is_said_to_be_extra(ratchet: Run) -> None:
    ratchet("import", "S", "rows.csv")
    given = ("label", "S", "g0", "retrieval", "0", "--annotator", "anna")
    assert "Kept as an extra vote: the item already had the labels it needs" in ratchet(*given).out
    assert ratchet("export", "S", "labels", "--all").out.count(",extra") == 1


def test_an_old_or_newer_database_stops_with_what_to_do(ratchet: Run, tmp_path: Path) -> None:
    import sqlite3

    ratchet("import", "S", "rows.csv")
    connection = sqlite3.connect(tmp_path / "ratchet.db")
    connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.commit()
    connection.close()
    assert "newer Ratchet" in one_line_of_error(ratchet("export", "S", "items"))


def test_the_program_itself_runs_and_keeps_stdout_clean(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_bytes(csv_text(HEADER, ROWS).encode())
    command = [sys.executable, "-m", "cli", "fit", "rows.csv", "--engine", "exact", "--json"]
    done = subprocess.run(
        command,
        cwd=tmp_path,
        env={"PYTHONPATH": str(Path(cli.__file__).parent), "PATH": ""},
        capture_output=True,
        check=True,
    )
    assert set(json.loads(done.stdout)["systems"]) == {"good", "bad"}
