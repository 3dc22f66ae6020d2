"""Commands run as `main` runs them, in an empty folder with a file of rows."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import cli
from tests.small_studies import csv_text

HEADER = (
    "item_id",
    "system",
    "query",
    "contexts",
    "answer",
    "retrieval_label",
    "task_label",
    "annotator",
)
ROWS = [
    *((f"g{n}", "good", f"Q{n}", f"P{n}", "A", "1", "1", "") for n in range(40)),
    *((f"b{n}", "bad", f"R{n}", f"P{n}", "A", "0", "0", "") for n in range(40)),
]


class Ended(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """The one JSON document on stdout."""
        return json.loads(self.out)


Run = Callable[..., Ended]


@pytest.fixture
def ratchet(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Run:
    """Run a command in an empty folder, where the database is made by need."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DATABASE_URL", raising=False)

    def run(*arguments: str) -> Ended:
        monkeypatch.setattr(sys, "argv", ["ratchet", *arguments])
        capsys.readouterr()
        try:
            cli.main()
        except SystemExit as end:
            code = 0 if end.code is None else int(end.code)
        else:
            code = 0
        out, err = capsys.readouterr()
        return Ended(code, out, err)

    (tmp_path / "rows.csv").write_bytes(csv_text(HEADER, ROWS).encode())
    return run


def one_line_of_error(ended: Ended) -> str:
    """The error, which is one line on stderr and leaves stdout empty."""
    assert ended.code == 2
    assert ended.out == ""
    assert ended.err.count("\n") == 1
    assert "Traceback" not in ended.err
    return ended.err
