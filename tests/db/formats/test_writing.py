"""Does what is written come back cell for cell, and can others read it?"""

import csv
import io
import json
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from db.formats.batches import string_schema
from db.formats.reading import open_table
from db.formats.spreadsheet import MARKER
from db.formats.writing import FileFormat, row_batches, write_rows

Row = tuple[str | None, ...]

# Any character but halves of pairs (no text) and NUL (refused); the odd ones more often.
CELLS = st.none() | st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0")
    | st.sampled_from("'=+-@\t\r\n\",;\ufeff\u2028\x85\u200f")
)
ODD_ROWS: list[Row] = [
    (None, "", '"'),
    ("\r", "\n", "\r\n"),
    ("NA", "null", "007"),
    ("\U0001f600\u200d\U0001f469", "e\u0301", "\u05e9\u05dc\u05d5\u05dd"),
    ('a "b", c', "''", '""'),
    ("'=1", "=1", "''=1"),
    ("-5", "'-5", "-5\n"),
    ("-x", "+3.2e1", "@a"),
    ("\t=", "\r=", "' ="),
    ("\ufeff", "\ufeffa", " "),
    ("ratchet:spreadsheet_safe", "1", None),
    ("x" * 2**20, "\n" * 2**20, '"' * 2**20),
]
COLUMNS = ("a", "=b", "c d")


def write_and_read(
    rows: Sequence[Row], file_format: FileFormat, spreadsheet_safe: bool
) -> list[Row]:
    """Rows after a turn through a file; the mark of spreadsheet safety is left out."""
    schema = string_schema(COLUMNS[: len(rows[0])])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"rows.{file_format}"
        batches = row_batches(rows, schema)
        path.write_bytes(b"".join(write_rows(batches, schema, file_format, spreadsheet_safe)))
        source = open_table(path)
        names = [name for name in source.columns if name != MARKER]
        assert names == schema.names
        tables = [batch.table.select(names) for batch in source.batches()]
    return [row for table in tables for row in zip(*table.to_pydict().values(), strict=True)]


@pytest.mark.parametrize(
    ("file_format", "spreadsheet_safe"),
    [
        (FileFormat.CSV, False),
        (FileFormat.CSV, True),
        (FileFormat.JSONL, False),
        (FileFormat.PARQUET, False),
    ],
)
@given(rows=st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=1, max_size=5))
@example(rows=ODD_ROWS)
@settings(max_examples=80, deadline=None)
def test_reading_gives_back_what_was_written(
    file_format: FileFormat, spreadsheet_safe: bool, rows: list[Row]
) -> None:
    assert write_and_read(rows, file_format, spreadsheet_safe) == rows


@given(rows=st.lists(st.tuples(CELLS), min_size=1, max_size=5))
@settings(max_examples=50, deadline=None)
def test_a_single_column_comes_back_too(rows: list[Row]) -> None:
    assert write_and_read(rows, FileFormat.CSV, False) == rows


def test_csv_is_what_the_standard_library_reads() -> None:
    schema = string_schema(COLUMNS)
    text = b"".join(write_rows(row_batches(ODD_ROWS, schema), schema, FileFormat.CSV)).decode()
    csv.field_size_limit(2**21)
    read = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    assert read == [list(COLUMNS), *([cell or "" for cell in row] for row in ODD_ROWS)]


def test_csv_quotes_only_what_needs_it() -> None:
    schema = string_schema(("a", "b,c"))
    rows: list[Row] = [("1", None), ("", 'x "y"'), ("two\nlines", "'=1")]
    written = b"".join(write_rows(row_batches(rows, schema), schema, FileFormat.CSV))
    assert written == b'a,"b,c"\n1,\n"","x ""y"""\n"two\nlines",\'=1\n'


def test_spreadsheet_safe_marks_text_and_never_numbers() -> None:
    schema = string_schema(("=a", "b"))
    rows: list[Row] = [
        ("=SUM(A1)", "-5"),
        ("-x", "+1.5e3"),
        ("@x", "-.5"),
        ("\tx", "1-1"),
        ("-", None),
    ]
    written = b"".join(write_rows(row_batches(rows, schema), schema, FileFormat.CSV, True))
    assert written.decode() == (
        "'=a,b,ratchet:spreadsheet_safe\n"
        "'=SUM(A1),-5,1\n'-x,+1.5e3,1\n'@x,-.5,1\n'\tx,1-1,1\n'-,,1\n"
    )


def test_rows_that_were_added_by_hand_to_a_safe_file_stay_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f"a,{MARKER}\n'=1,1\n'=1,\n")
    assert [
        row["a"] for batch in open_table(path).batches() for row in batch.table.to_pylist()
    ] == [
        "=1",
        "'=1",
    ]


def test_apostrophes_stay_in_files_without_the_mark(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("a,b\n'=1,1\n")
    assert next(open_table(path).batches()).table.to_pylist() == [{"a": "'=1", "b": "1"}]


TYPED = pa.record_batch(
    {
        "name": pa.array(["x", None]),
        "count": pa.array([1, None]),
        "share": pa.array([0.25, float("nan")]),
        "flag": pa.array([True, None]),
    }
)


def test_json_lines_keep_numbers_and_have_no_nan() -> None:
    written = b"".join(write_rows([TYPED], TYPED.schema, FileFormat.JSONL))
    assert [json.loads(line) for line in written.splitlines()] == [
        {"name": "x", "count": 1, "share": 0.25, "flag": True},
        {"name": None, "count": None, "share": None, "flag": None},
    ]


def test_parquet_keeps_types() -> None:
    written = b"".join(write_rows([TYPED], TYPED.schema, FileFormat.PARQUET))
    table = pq.read_table(io.BytesIO(written))
    assert table.schema == TYPED.schema
    assert table.slice(0, 1).to_pylist() == TYPED.slice(0, 1).to_pylist()


@pytest.mark.parametrize("file_format", list(FileFormat))
def test_typed_rows_read_back_as_the_same_text(file_format: FileFormat, tmp_path: Path) -> None:
    path = tmp_path / "rows"
    path.write_bytes(b"".join(write_rows([TYPED], TYPED.schema, file_format)))
    rows = next(open_table(path).batches()).table.to_pylist()
    assert rows == [
        {"name": "x", "count": "1", "share": "0.25", "flag": "true"},
        {"name": None, "count": None, "share": None, "flag": None},
    ]


def test_without_rows_csv_and_parquet_hold_the_header() -> None:
    schema = string_schema(("a", "b"))
    assert b"".join(write_rows([], schema, FileFormat.CSV)) == b"a,b\n"
    parquet = b"".join(write_rows([], schema, FileFormat.PARQUET))
    assert pq.read_schema(io.BytesIO(parquet)).names == ["a", "b"]
    assert b"".join(write_rows([], schema, FileFormat.JSONL)) == b""


@pytest.mark.parametrize("file_format", list(FileFormat))
def test_bytes_come_before_the_rows_are_all_there(file_format: FileFormat) -> None:
    schema = string_schema(("a", "b"))
    asked = 0

    def rows() -> Iterator[Row]:
        nonlocal asked
        for asked in range(1, 1_000_001):
            yield (f"{asked}", "x" * 1_000)

    pieces = write_rows(row_batches(rows(), schema), schema, file_format)
    next(pieces)
    next(pieces)
    assert asked < 100_000
