"""Do rows come out whole wherever a block of the file ends? Blocks of a few bytes show it."""

import csv
import io
import json
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from db.formats import csv_reading, encoding, json_reading
from db.formats.reading import open_table

CELLS = st.text(st.sampled_from('ab",\r\n é語\U0001f600'), max_size=8)
ROWS = st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=8)


@pytest.fixture(scope="module", params=[1, 3])
def block_bytes(request: pytest.FixtureRequest) -> int:
    size: int = request.param
    return size


def read_rows(content: bytes, suffix: str, block_bytes: int) -> list[tuple[str | None, ...]]:
    """Rows of a file that is read a few bytes at a time."""
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(encoding, "BLOCK_BYTES", block_bytes)
        patch.setattr(csv_reading, "BATCH_BYTES", block_bytes)
        patch.setattr(json_reading, "BATCH_BYTES", block_bytes)
        path = Path(folder) / f"rows{suffix}"
        path.write_bytes(content)
        tables = [batch.table for batch in open_table(path).batches()]
    return [row for table in tables for row in zip(*table.to_pydict().values(), strict=True)]


def csv_text(rows: Sequence[Sequence[str]], line_end: str) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator=line_end, quoting=csv.QUOTE_ALL).writerows(rows)
    return text.getvalue()


@pytest.mark.parametrize("codec", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
@given(rows=ROWS)
@settings(max_examples=8, deadline=None)
def test_csv_rows_are_whole_in_any_blocks(
    codec: str, line_end: str, block_bytes: int, rows: list[tuple[str, str]]
) -> None:
    content = csv_text([("x", "y"), *rows], line_end).encode(codec)
    assert read_rows(content, ".csv", block_bytes) == rows


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
@given(rows=st.lists(st.tuples(CELLS), min_size=1, max_size=8))
@settings(max_examples=8, deadline=None)
def test_single_column_rows_are_whole_in_any_blocks(
    line_end: str, block_bytes: int, rows: list[tuple[str]]
) -> None:
    content = csv_text([("x",), *rows], line_end).encode()
    assert read_rows(content, ".csv", block_bytes) == rows


@pytest.mark.parametrize("indent", [None, 1])
@given(rows=ROWS)
@settings(max_examples=8, deadline=None)
def test_json_rows_are_whole_in_any_blocks(
    indent: int | None, block_bytes: int, rows: list[tuple[str, str]]
) -> None:
    values = [dict(zip("xy", row, strict=True)) for row in rows]
    as_list = json.dumps(values, indent=indent, ensure_ascii=False).encode()
    as_lines = "\r\n".join(json.dumps(value, ensure_ascii=False) for value in values).encode()
    assert read_rows(as_list, ".json", block_bytes) == rows
    assert read_rows(as_lines, ".jsonl", block_bytes) == rows
