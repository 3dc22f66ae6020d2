"""JSON lines, and one JSON list of objects: objects streamed one by one, keys as columns.

Keys may differ from row to row, so a first pass over the file collects them (and finds a broken
line before anything is stored); a key that a row lacks is null there.
"""

import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pyarrow as pa

from db.errors import FileError
from db.formats.batches import (
    BATCH_BYTES,
    BATCH_ROWS,
    MAX_COLUMNS,
    TableSource,
    check_header,
    no_rows,
    string_table,
)
from db.formats.cell_text import value_text
from db.formats.encoding import ENCODING_NAMES, Encoding, read_text
from db.formats.json_cursor import (
    BLANKS,
    MAX_OBJECT_CHARACTERS,
    JsonCursor,
    JsonRow,
    as_row,
    broken_json,
    oversized_object,
)

ReadRows = Callable[[], Iterator[JsonRow]]


def open_json_lines(path: Path, encoding: Encoding) -> TableSource:
    """Return the rows of a file with one JSON object a line.

    Raises:
        FileError: a line that is no object, with its number.
    """
    named = f"JSON lines, {ENCODING_NAMES[encoding]}"
    return _open(named, partial(_read_lines, path, encoding))


def open_json_list(path: Path, encoding: Encoding) -> TableSource:
    """Return the rows of a file that is one JSON list of objects.

    Raises:
        FileError: anything but a list of objects, with its line.
    """
    named = f"JSON list, {ENCODING_NAMES[encoding]}"
    return _open(named, partial(_read_list, path, encoding))


def _open(description: str, read_rows: ReadRows) -> TableSource:
    """One pass for the keys; the rows are read again when asked for."""
    keys: dict[str, None] = {}
    for row in read_rows():
        if not row.values.keys() <= keys.keys():
            keys.update(dict.fromkeys(row.values))
        if len(keys) > MAX_COLUMNS:
            break
    if not keys:
        raise no_rows(0)
    columns = check_header(list(keys))
    return TableSource(columns, description, partial(_read_tables, columns, read_rows))


def _read_tables(columns: tuple[str, ...], read_rows: ReadRows) -> Iterator[pa.RecordBatch]:
    """Rows gathered until they make a batch."""
    rows: list[JsonRow] = []
    size = 0
    for row in read_rows():
        rows.append(row)
        size += row.size
        if size >= BATCH_BYTES or len(rows) >= BATCH_ROWS:
            yield _table(columns, rows)
            rows, size = [], 0
    if rows:
        yield _table(columns, rows)


def _table(columns: tuple[str, ...], rows: list[JsonRow]) -> pa.RecordBatch:
    """Columns of text; what cannot be UTF-8 names its line."""
    try:
        cells = [
            pa.array([value_text(row.values.get(name)) for row in rows], pa.string())
            for name in columns
        ]
    except UnicodeEncodeError as error:
        raise _half_character(rows) from error
    return string_table(columns, cells)


def _half_character(rows: list[JsonRow]) -> FileError:
    r"""The error for a \ud800 without its partner, which no encoding can write."""
    line = next(row.line for row in rows if _is_half(json.dumps(row.values, ensure_ascii=False)))
    return FileError(
        f"Line {line}: an escape like \\ud83d stands without its second half, so it is no "
        "character. Write the file again with whole characters."
    )


def _is_half(text: str) -> bool:
    """Whether a surrogate stands alone."""
    return any("\ud800" <= character <= "\udfff" for character in text)


def _read_lines(path: Path, encoding: Encoding) -> Iterator[JsonRow]:
    """One object a line; blank lines are skipped."""
    for number, line in enumerate(_lines(path, encoding), start=1):
        if not line.strip(BLANKS):
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise broken_json(number, error) from error
        yield as_row(value, number, len(line))


def _lines(path: Path, encoding: Encoding) -> Iterator[str]:
    """Lines by LF alone: JSON text may hold the other line ends of Unicode."""
    pieces: list[str] = []
    size, number = 0, 1
    for text in read_text(path, encoding):
        head, *more = text.split("\n")
        pieces.append(head)
        size += len(head)
        if more:
            yield "".join(pieces)
            yield from more[:-1]
            pieces, size = [more[-1]], len(more[-1])
            number += len(more)
        if size > MAX_OBJECT_CHARACTERS:
            raise oversized_object(number)
    yield "".join(pieces)


def _read_list(path: Path, encoding: Encoding) -> Iterator[JsonRow]:
    """Objects between [ and ], separated by commas."""
    cursor = JsonCursor(read_text(path, encoding))
    cursor.take("[")
    if cursor.peek() == "]":
        cursor.take("]")
    else:
        yield cursor.take_object()
        while cursor.take(",]") == ",":
            yield cursor.take_object()
    if cursor.peek():
        raise FileError(
            f"Line {cursor.line}: {cursor.peek()!r} follows the end of the JSON list. "
            "Expected one list of objects and nothing after it."
        )
