"""Cells that a spreadsheet would run as a formula, made harmless by a leading ' and made back.

A text that begins with = + - @ tab or CR gets the ', a number never does (-5 stays -5). Texts
that already begin with '= get one more, so that taking one off restores every cell exactly. A
last column says that a file was written so.
"""

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

MARKER = "ratchet:spreadsheet_safe"
MARKED = "1"
# RE2 syntax: $ would also match before a final line break, \z does not.
ESCAPED = r"^('*[=+\-@\t\r])"
ONE_MORE_ESCAPE = r"^'('*[=+\-@\t\r])"
NUMBER = r"^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\z"


def escape_cells(cells: pa.StringArray) -> pa.StringArray:
    """Return the cells with ' before each text that a spreadsheet could run."""
    is_number = pc.match_substring_regex(cells, NUMBER)
    return pc.if_else(is_number, cells, pc.replace_substring_regex(cells, ESCAPED, r"'\1"))


def unescape_cells(cells: pa.StringArray) -> pa.StringArray:
    """Return the cells with one ' taken off where `escape_cells` puts one."""
    return pc.replace_substring_regex(cells, ONE_MORE_ESCAPE, r"\1")


def escape_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return header cells made harmless."""
    return tuple(escape_cells(pa.array(names, pa.string())).to_pylist())


def unescape_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return header cells as they were, where the marker is among them."""
    if MARKER not in names:
        return tuple(names)
    return tuple(unescape_cells(pa.array(names, pa.string())).to_pylist())


def unescape_table(table: pa.RecordBatch) -> pa.RecordBatch:
    """Return the rows as they were; rows added by hand carry no mark and stay as they are."""
    if MARKER not in table.schema.names:
        return table
    is_marked = pc.fill_null(pc.equal(table.column(MARKER), MARKED), False)
    cells = [pc.if_else(is_marked, unescape_cells(column), column) for column in table.columns]
    return pa.RecordBatch.from_arrays(cells, schema=table.schema)
