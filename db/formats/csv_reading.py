"""CSV and TSV files: delimiter and header from the first records, then whole records to pyarrow.

An unquoted empty cell is null and a quoted one is ""; every other cell stays the text it is
("NA", 007). What a broken record is belongs to csv_records.
"""

from collections.abc import Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.csv

from db.errors import FileError
from db.formats.batches import (
    BATCH_BYTES,
    MAX_CELL_BYTES,
    TableSource,
    check_header,
    no_rows,
    oversized_cell,
    string_schema,
)
from db.formats.csv_records import (
    DELIMITER_NAMES,
    CsvShape,
    Delimiter,
    Record,
    RecordEnd,
    broken_record,
    cell_text,
    read_record,
    records_pattern,
)
from db.formats.encoding import ENCODING_NAMES, SNIFF_BYTES, Encoding, read_text
from db.formats.spreadsheet import unescape_names, unescape_table

# Enough records to see whether a delimiter cuts them all alike.
SNIFF_RECORDS = 50


class CsvFile(NamedTuple):
    """A delimited file whose header was read; the rows begin after `header_bytes` of its text."""

    path: Path
    encoding: Encoding
    shape: CsvShape
    header_bytes: int


class DelimiterFit(NamedTuple):
    """How well a delimiter explains the first records; greater is better."""

    cuts_header: bool
    share_alike: float
    num_cells: int


def open_csv(path: Path, encoding: Encoding) -> TableSource:
    """Return the rows of a CSV or TSV file.

    Raises:
        FileError: a header that names no columns, or no rows below it.
    """
    sample = _sample(_blocks(path, encoding))
    delimiter = sniff_delimiter(sample)
    header = read_record(sample, 0, delimiter)
    if header.end is not RecordEnd.WHOLE:
        raise FileError(
            f"Cell {len(header.cells)} of the header: {header.end}. Expected column names; close "
            "each quote, and write a quote inside a quoted name as two quotes."
        )
    columns = check_header(unescape_names([cell_text(cell) for cell in header.cells]))
    header_bytes = header.stop + (2 if sample[header.stop :].startswith(b"\r\n") else 1)
    file = CsvFile(path, encoding, CsvShape(delimiter, columns), header_bytes)
    if not any(_body(file)):
        raise no_rows(len(columns))
    kind = "TSV" if delimiter is Delimiter.TAB else "CSV"
    named = f"{kind}, {ENCODING_NAMES[encoding]}, {DELIMITER_NAMES[delimiter]}"
    return TableSource(columns, named, partial(_read_tables, file))


def sniff_delimiter(sample: bytes) -> Delimiter:
    """Return the delimiter that cuts the first records most alike, then into most cells."""
    return max(Delimiter, key=partial(_delimiter_fit, sample))


def _delimiter_fit(sample: bytes, delimiter: Delimiter) -> DelimiterFit:
    """One cell fits any text alike, so it only wins when nothing cuts the header."""
    header = read_record(sample, 0, delimiter)
    records = islice(_records(sample, delimiter), 1, SNIFF_RECORDS)
    alike = [
        record.end is RecordEnd.WHOLE and len(record.cells) == len(header.cells)
        for record in records
    ]
    num_cells = len(header.cells)
    return DelimiterFit(num_cells > 1, sum(alike) / max(1, len(alike)), num_cells)


def _records(sample: bytes, delimiter: Delimiter) -> Iterator[Record]:
    """Records of the sample up to the one that it cuts; blank lines are none."""
    position = 0
    while position < len(sample):
        record = read_record(sample, position, delimiter)
        if record.end is RecordEnd.CUT:
            return
        if record.cells != (b"",):
            yield record
        position = max(record.stop, position) + 1


def _read_tables(file: CsvFile) -> Iterator[pa.RecordBatch]:
    """Hand whole records on, keep the cut one for the next round."""
    records = records_pattern(file.shape)
    body = _body(file)
    rest, row = b"", 1
    while True:
        more = _take(body, max(BATCH_BYTES, len(rest)))
        text = rest + more
        match = records.match(text)
        # The expression matches no records at all as well.
        assert match is not None
        for table in _parse(text[: match.end()], file.shape):
            yield table
            row += table.num_rows
        rest = text[match.end() :]
        if rest:
            _check_rest(rest, row, file.shape, is_last=not more)
        if not more:
            return


def _take(blocks: Iterator[bytes], num_bytes: int) -> bytes:
    """Text of at least this size, less only at the end of the file."""
    taken: list[bytes] = []
    size = 0
    while size < num_bytes and (block := next(blocks, b"")):
        taken.append(block)
        size += len(block)
    return b"".join(taken)


def _parse(text: bytes, shape: CsvShape) -> Iterator[pa.RecordBatch]:
    """Whole records as one table of text."""
    is_one_column = len(shape.columns) == 1
    if not text or not (is_one_column or text.strip(b"\r\n")):
        return
    table = pyarrow.csv.read_csv(
        pa.BufferReader(text),
        # One block: pyarrow refuses a record that crosses two.
        pyarrow.csv.ReadOptions(
            column_names=shape.columns, use_threads=False, block_size=len(text) + 1
        ),
        pyarrow.csv.ParseOptions(
            delimiter=shape.delimiter, newlines_in_values=True, ignore_empty_lines=not is_one_column
        ),
        pyarrow.csv.ConvertOptions(
            column_types=string_schema(shape.columns),
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
            null_values=[""],
            check_utf8=False,
        ),
    )
    yield from map(unescape_table, table.combine_chunks().to_batches())


def _check_rest(rest: bytes, row: int, shape: CsvShape, is_last: bool) -> None:
    """Raise unless the record at the head of the rest may still become whole."""
    record = read_record(rest, 0, shape.delimiter)
    is_cut = record.end in (RecordEnd.CUT, RecordEnd.UNCLOSED_QUOTE)
    if is_last or not is_cut:
        raise broken_record(record, row, shape)
    if max(len(rest) - record.stop, len(record.cells[-1])) > MAX_CELL_BYTES:
        raise oversized_cell(row, f"cell {len(record.cells)}")


def _body(file: CsvFile) -> Iterator[bytes]:
    """Text below the header."""
    blocks = _blocks(file.path, file.encoding)
    first = _sample(blocks)[file.header_bytes :]
    if len(file.shape.columns) > 1:
        first = first.lstrip(b"\r\n")
    if first:
        yield first
    yield from blocks


def _sample(blocks: Iterator[bytes]) -> bytes:
    """The text that the header and the delimiter are read from."""
    return _take(blocks, SNIFF_BYTES)


def _blocks(path: Path, encoding: Encoding) -> Iterator[bytes]:
    """UTF-8 text from the header on, its last line ended, no CR LF in two blocks."""
    line_ends = ""
    has_begun = False
    for text in read_text(path, encoding):
        text = line_ends + text if has_begun else text.lstrip("\r\n")
        block = text.rstrip("\r\n")
        line_ends = text[len(block) :]
        if block:
            has_begun = True
            yield block.encode()
    if has_begun:
        yield line_ends.encode() or b"\n"
