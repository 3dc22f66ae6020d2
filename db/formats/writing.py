"""Write rows as CSV, JSON lines or Parquet, as a stream of bytes that never holds all of them.

CSV is RFC 4180 in UTF-8 with LF; a null is an unquoted empty cell, "" a quoted one, so that
reading gives back every cell. JSON lines and Parquet keep numbers and truths as such.
"""

import io
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from db.formats.batches import BATCH_BYTES, BATCH_ROWS, string_schema, string_table
from db.formats.cell_text import column_text
from db.formats.spreadsheet import MARKED, MARKER, escape_cells, escape_names

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

# A row group is worth its footer entry and its dictionaries from about this size.
ROW_GROUP_BYTES = 8 * BATCH_BYTES
# RFC 4180 quotes the first three; "" tells itself from null, and a byte order mark at the start
# of the file would be taken for one.
NEEDS_QUOTES = '["\\r\\n,]|^\\z|^\ufeff'


class FileFormat(StrEnum):
    """Formats of an export."""

    CSV = "csv"
    JSONL = "jsonl"
    PARQUET = "parquet"


def write_rows(
    rows: Iterable[pa.RecordBatch],
    schema: pa.Schema,
    file_format: FileFormat,
    spreadsheet_safe: bool = False,
) -> Iterator[bytes]:
    """Yield the bytes of a file, with the header first even where there are no rows.

    Args:
        rows: batches of this schema (`row_batches` makes them of tuples).
        schema: names and types (text, numbers or truths) in the order of the file.
        file_format: csv, jsonl or parquet.
        spreadsheet_safe: in CSV, put ' before text that a spreadsheet could run as a formula,
            and add a last column that says so; the other formats have no need of it.
    """
    if file_format is FileFormat.CSV and spreadsheet_safe:
        return _write_csv(map(_escape_row_batch, rows), _escaped_schema(schema))
    return WRITERS[file_format](rows, schema)


def row_batches(
    rows: Iterable[Sequence[str | None]], schema: pa.Schema
) -> Iterator[pa.RecordBatch]:
    """Yield rows of text gathered into batches of bounded size; None is null."""
    gathered: list[Sequence[str | None]] = []
    size = 0
    for row in rows:
        gathered.append(row)
        size += sum(len(cell) for cell in row if cell)
        if size >= BATCH_BYTES or len(gathered) >= BATCH_ROWS:
            yield _text_batch(gathered, schema)
            gathered, size = [], 0
    if gathered:
        yield _text_batch(gathered, schema)


def _text_batch(rows: Sequence[Sequence[str | None]], schema: pa.Schema) -> pa.RecordBatch:
    """Rows turned into columns."""
    cells = [pa.array(column, pa.string()) for column in zip(*rows, strict=True)]
    return string_table(schema.names, cells)


def _write_csv(rows: Iterable[pa.RecordBatch], schema: pa.Schema) -> Iterator[bytes]:
    """The header, then the lines of each batch."""
    yield _csv_lines([pa.array([name]) for name in schema.names])
    for batch in rows:
        if batch.num_rows:
            yield _csv_lines([column_text(column) for column in batch.columns])


def _csv_lines(columns: Sequence[pa.StringArray]) -> bytes:
    """Cells joined by commas, lines ended by LF; Arrow lays them out as the text of the file."""
    lines = pc.binary_join_element_wise(*map(_csv_cells, columns), ",")
    ended = pc.binary_join_element_wise(lines, "", "\n")
    text: bytes = ended.buffers()[2].to_pybytes()
    return text


def _csv_cells(cells: pa.StringArray) -> pa.StringArray:
    """Cells in quotes where they need them."""
    doubled = pc.replace_substring(cells, '"', '""')
    quoted = pc.binary_join_element_wise('"', doubled, '"', "")
    needs_quotes = pc.match_substring_regex(cells, NEEDS_QUOTES)
    return pc.fill_null(pc.if_else(needs_quotes, quoted, cells), "")


def _escape_row_batch(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Text made harmless, and the mark that says so."""
    cells = [escape_cells(column_text(column)) for column in batch.columns]
    marks = pa.array([MARKED] * batch.num_rows, pa.string())
    return string_table(_escaped_schema(batch.schema).names, [*cells, marks])


def _escaped_schema(schema: pa.Schema) -> pa.Schema:
    """Names made harmless, and the name of the mark."""
    return string_schema((*escape_names(schema.names), MARKER))


def _write_json_lines(rows: Iterable[pa.RecordBatch], schema: pa.Schema) -> Iterator[bytes]:
    """One object a row, each with every name."""
    for batch in rows:
        values = zip(*map(_json_values, batch.columns), strict=True)
        lines = [
            json.dumps(
                dict(zip(schema.names, row, strict=True)), ensure_ascii=False, allow_nan=False
            )
            for row in values
        ]
        yield "".join(f"{line}\n" for line in lines).encode()


def _json_values(column: pa.Array) -> list[str | float | bool | None]:
    """Values as JSON has them: it has no NaN, and a NaN is missing."""
    values: list[str | float | bool | None] = column.to_pylist()
    return [None if value != value else value for value in values]


def _write_parquet(rows: Iterable[pa.RecordBatch], schema: pa.Schema) -> Iterator[bytes]:
    """Row groups of some size, each handed on as it is complete."""
    sink = ByteSink()
    with pq.ParquetWriter(sink, schema) as writer:
        for group in _row_groups(rows):
            writer.write_table(pa.Table.from_batches(group, schema))
            yield sink.take()
    yield sink.take()


def _row_groups(rows: Iterable[pa.RecordBatch]) -> Iterator[list[pa.RecordBatch]]:
    """Batches that together make a row group."""
    group: list[pa.RecordBatch] = []
    for batch in rows:
        group.append(batch)
        if sum(batch.nbytes for batch in group) >= ROW_GROUP_BYTES:
            yield group
            group = []
    if group:
        yield group


class ByteSink(io.RawIOBase):
    """A file that only keeps what was not yet taken from it."""

    def __init__(self) -> None:
        super().__init__()
        self._pieces: list[bytes] = []

    def writable(self) -> bool:
        """Return True: bytes may be written."""
        return True

    def write(self, data: "ReadableBuffer", /) -> int:
        """Keep the bytes and return their number."""
        piece = bytes(data)
        self._pieces.append(piece)
        return len(piece)

    def take(self) -> bytes:
        """Return the bytes written since the last time."""
        taken = b"".join(self._pieces)
        self._pieces.clear()
        return taken


WRITERS: dict[FileFormat, Callable[[Iterable[pa.RecordBatch], pa.Schema], Iterator[bytes]]] = {
    FileFormat.CSV: _write_csv,
    FileFormat.JSONL: _write_json_lines,
    FileFormat.PARQUET: _write_parquet,
}
