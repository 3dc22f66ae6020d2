"""Where do the records of a delimited text end, and is each one whole? RFC 4180, checked.

pyarrow parses fast, yet takes an unclosed quote or text behind a closing quote as data and so
swallows rows in silence. One regular expression that knows the number of cells finds the end of
the last whole record; where it stops short, the record there is told apart cell by cell.
"""

import re
from enum import StrEnum
from typing import NamedTuple

from db.errors import FileError

# Possessive (++, *+): a cell is never cut differently, so matching stays linear.
QUOTED = rb'"[^"]*+(?:""[^"]*+)*+"'
LINE_END = rb"(?:\r\n|\n|\r)"


class Delimiter(StrEnum):
    """The character between cells."""

    COMMA = ","
    SEMICOLON = ";"
    TAB = "\t"


DELIMITER_NAMES = {
    Delimiter.COMMA: "comma",
    Delimiter.SEMICOLON: "semicolon",
    Delimiter.TAB: "tab",
}


class RecordEnd(StrEnum):
    """How the reading of one record ended."""

    WHOLE = "whole"
    CUT = "cut"
    UNCLOSED_QUOTE = "unclosed quote"
    TEXT_AFTER_QUOTE = "text after quote"


class Record(NamedTuple):
    """Cells of one record as written (quotes included), and where it stopped."""

    cells: tuple[bytes, ...]
    stop: int
    end: RecordEnd


class CsvShape(NamedTuple):
    """What every record of one file shares."""

    delimiter: Delimiter
    columns: tuple[str, ...]


def cell_pattern(delimiter: Delimiter) -> bytes:
    """Return the expression of one cell; a quote inside an unquoted cell is plain text."""
    stop = re.escape(delimiter.encode())
    return rb'(?>%b|[^"%b\r\n][^%b\r\n]*+|)' % (QUOTED, stop, stop)


def records_pattern(shape: CsvShape) -> re.Pattern[bytes]:
    """Return the expression of as many whole records as there are, blank lines between them.

    With one column a blank line is a record: an empty cell.
    """
    cell = cell_pattern(shape.delimiter)
    num_more = len(shape.columns) - 1
    more = rb"(?:%b%b){%d}+" % (re.escape(shape.delimiter.encode()), cell, num_more)
    blank = LINE_END + rb"|" if num_more else b""
    return re.compile(rb"(?:%b%b%b%b)*+" % (blank, cell, more, LINE_END))


def read_record(text: bytes, start: int, delimiter: Delimiter) -> Record:
    """Return the record that begins at a position of the text, broken or not."""
    cell = re.compile(cell_pattern(delimiter))
    cells: list[bytes] = []
    position = start
    while True:
        match = cell.match(text, position)
        # The expression has an empty alternative, so it always matches.
        assert match is not None
        cells.append(match.group())
        position = match.end()
        following = text[position : position + 1]
        if following == delimiter.encode():
            position += 1
            continue
        return Record(tuple(cells), position, _record_end(match.group(), following))


def _record_end(last_cell: bytes, following: bytes) -> RecordEnd:
    """A quote after nothing was opened and not closed; anything after a quoted cell is too much."""
    if following in (b"\r", b"\n"):
        return RecordEnd.WHOLE
    if not following:
        return RecordEnd.CUT
    return RecordEnd.TEXT_AFTER_QUOTE if last_cell else RecordEnd.UNCLOSED_QUOTE


def cell_text(cell: bytes) -> str:
    """Return the text of a cell as written: quotes taken off, doubled quotes halved."""
    if cell.startswith(b'"'):
        cell = cell[1:-1].replace(b'""', b'"')
    return cell.decode()


def broken_record(record: Record, row: int, shape: CsvShape) -> FileError:
    """Return the error for a record that is not whole or has the wrong number of cells."""
    number = len(record.cells)
    if record.end is RecordEnd.UNCLOSED_QUOTE:
        return FileError(
            f"Row {row}: the quote that opens cell {number} is never closed. "
            "Close it, or write a quote inside a cell as two quotes in a quoted cell."
        )
    if record.end is RecordEnd.TEXT_AFTER_QUOTE:
        return FileError(
            f"Row {row}: text follows the closing quote of cell {number}. "
            "Write a quote inside a quoted cell as two quotes."
        )
    name = DELIMITER_NAMES[shape.delimiter]
    return FileError(
        f"Row {row}: {number} cell{'s' if number > 1 else ''}, but the header has "
        f"{len(shape.columns)}. Quote cells that contain {name}s or line breaks."
    )
