"""Whatever file is given, the answer is one clear line, exit 2, and nothing written."""

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.cli.conftest import HEADER, ROWS, Run, one_line_of_error
from tests.small_studies import csv_text


def good(folder: Path) -> bytes:
    return csv_text(HEADER, ROWS[:3]).encode()


def truncated_parquet(folder: Path) -> bytes:
    path = folder / "whole.parquet"
    pq.write_table(pa.table({"query": ["Q"] * 999, "answer": ["A"] * 999}), path)
    return path.read_bytes()[:-50]


BAD: dict[str, tuple[Callable[[Path], bytes], str]] = {
    "empty.csv": (lambda _: b"", "is empty"),
    "header.csv": (lambda _: b"item_id,query,answer\n", "no rows"),
    "twice.csv": (lambda _: b"query,answer,Query\nq,a,q\n", "occurs twice"),
    "zero.csv": (lambda _: b"query,answer\nq,a\x00b\n", "0x00"),
    "image.csv": (lambda _: b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 40, ""),
    "book.csv": (lambda _: b"PK\x03\x04" + b"x" * 99, "Excel"),
    "no_query.csv": (lambda _: b"answer\na\n", "query"),
    "ragged.csv": (lambda _: b"query,answer\nq,a,b,c\n", "cells"),
    "open_quote.csv": (lambda _: b'query,answer\nq,"a\n', ""),
    "half.json": (lambda _: b'[{"query": "q"', ""),
    "numbers.json": (lambda _: b"[1, 2, 3]", ""),
    "half.parquet": (truncated_parquet, "cut short"),
    "refusal.csv": (lambda _: b"query,answer,abstained,task_label\nq,a,1,1\n", "abstention"),
    "flag.csv": (lambda _: b"query,answer,retrieval_label\nq,a,7\n", "Row 1"),
    "moment.csv": (
        lambda _: b"query,answer,retrieval_label,labelled_at\nq,a,1,yesterday\n",
        "2026-05-01T12:00:00Z",
    ),
    "stray.csv": (lambda _: b"item_id,label_type,value\nnowhere,task,1\n", "no study"),
}


ONLY_IMPORTED = {"moment.csv", "no_query.csv"}  # a fit has no use for moments and texts


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_is_one_line_and_writes_nothing(ratchet: Run, tmp_path: Path, name: str) -> None:
    make, words = BAD[name]
    (tmp_path / name).write_bytes(make(tmp_path))
    assert words in one_line_of_error(ratchet("import", "New", name))
    assert "no study 'New'; studies here: none yet" in ratchet("export", "New", "items").err


@pytest.mark.parametrize("name", sorted(BAD.keys() - ONLY_IMPORTED))
def test_fit_refuses_the_same_files(ratchet: Run, tmp_path: Path, name: str) -> None:
    make, _ = BAD[name]
    (tmp_path / name).write_bytes(make(tmp_path))
    one_line_of_error(ratchet("fit", name, "--engine", "exact", "--json"))


def test_the_good_twin_is_taken(ratchet: Run, tmp_path: Path) -> None:
    (tmp_path / "good.csv").write_bytes(good(tmp_path))
    assert ratchet("import", "New", "good.csv").code == 0


@pytest.mark.parametrize("command", [("import", "New"), ("fit",)])
def test_a_directory_and_a_file_that_is_not_there_are_named(
    ratchet: Run, tmp_path: Path, command: tuple[str, ...]
) -> None:
    (tmp_path / "folder").mkdir()
    options = () if command[0] == "import" else ("--engine", "exact")
    assert "is a directory" in one_line_of_error(ratchet(*command, "folder", *options))
    assert "no file 'gone.csv'" in one_line_of_error(ratchet(*command, "gone.csv", *options))


def test_200_mb_of_garbage_is_refused_quickly(ratchet: Run, tmp_path: Path) -> None:
    with (tmp_path / "garbage.csv").open("wb") as file:
        file.write(b"query,answer\n")
        file.truncate(200 * 2**20)
    one_line_of_error(ratchet("import", "New", "garbage.csv"))


def test_a_label_for_an_unknown_item_leaves_the_good_ones_of_its_file_out(
    ratchet: Run, tmp_path: Path
) -> None:
    ratchet("import", "S", "rows.csv")
    before = ratchet("export", "S", "labels", "--all").out
    (tmp_path / "labels.csv").write_text(
        "item_id,label_type,value,annotator\ng0,retrieval,1,anna\nnowhere,retrieval,1,anna\n"
    )
    assert "Row 2: there is no item 'nowhere'" in one_line_of_error(
        ratchet("import", "S", "labels.csv")
    )
    assert ratchet("export", "S", "labels", "--all").out == before
