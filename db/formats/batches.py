"""What every reader hands over: a header, a description, and batches of text in file order.

Checks that hold for all formats live here: the header, the size of a cell, the 0x00 byte.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from db.errors import FileError

MAX_CELL_BYTES = 64 * 2**20
# A header of more cells is data read as a header (or ids used as JSON keys).
MAX_COLUMNS = 2_000
# Text held at once; a batch is larger only when one row is.
BATCH_BYTES = 4 * 2**20
BATCH_ROWS = 16_384


class RowBatch(NamedTuple):
    """Rows in file order.

    Attributes:
        first_row: number of the first row, counted from 1 over data rows (header and blank
            lines excluded).
        table: every column of type string; null and "" are distinct.
    """

    first_row: int
    table: pa.RecordBatch


class TableSource(NamedTuple):
    """A file that was recognised and whose header was read.

    Attributes:
        columns: header cells as in the file.
        description: what was recognised, for example "CSV, UTF-8, semicolon".
        read_tables: starts at the first row again at each call.
    """

    columns: tuple[str, ...]
    description: str
    read_tables: Callable[[], Iterable[pa.RecordBatch]]

    def batches(self) -> Iterator[RowBatch]:
        """Yield the rows in file order; memory does not grow with their number.

        Raises:
            FileError: a row is broken, or a cell is over 64 MB or holds a 0x00 byte.
        """
        first_row = 1
        for table in self.read_tables():
            check_cells(table, first_row)
            yield RowBatch(first_row, table)
            first_row += table.num_rows


def check_header(columns: Sequence[str]) -> tuple[str, ...]:
    """Return the header when each cell is a name and no name occurs twice in any case.

    Raises:
        FileError: a blank name, a repeated name, or more than 2,000 columns.
    """
    if len(columns) > MAX_COLUMNS:
        raise FileError(
            f"The header has {len(columns)} columns; at most {MAX_COLUMNS} are accepted. "
            "Check that the first row holds names and not data."
        )
    seen: dict[str, str] = {}
    for number, column in enumerate(columns, start=1):
        folded = column.strip().casefold()
        if not folded:
            raise FileError(
                f"Column {number} has no name in the header; every column needs one. "
                "Name it, or remove it (pandas: to_csv(index=False))."
            )
        if folded in seen:
            raise FileError(
                f"Column {column!r} occurs twice in the header (as {seen[folded]!r} before); "
                "names must differ by more than upper and lower case. Rename one of them."
            )
        seen[folded] = column
    return tuple(columns)


def check_cells(table: pa.RecordBatch, first_row: int) -> None:
    """Raise when a cell is too large or holds a 0x00 byte, with its row and column."""
    for name, column in zip(table.schema.names, table.columns, strict=True):
        too_large = _first_true(pc.greater(pc.binary_length(column), MAX_CELL_BYTES))
        if too_large is not None:
            raise oversized_cell(first_row + too_large, f"column {name!r}")
        zero_byte = _first_true(pc.match_substring(column, "\0"))
        if zero_byte is not None:
            raise FileError(
                f"Row {first_row + zero_byte}: column {name!r} holds a 0x00 byte, which text "
                "never does. Remove it and read the file again."
            )


def _first_true(mask: pa.BooleanArray) -> int | None:
    """Position of the first true, None without one."""
    position: int = pc.index(mask, True).as_py()
    return None if position < 0 else position


def oversized_cell(row: int, place: str) -> FileError:
    """Return the error for a cell over the limit."""
    return FileError(
        f"Row {row}: {place} is over {MAX_CELL_BYTES // 2**20} MB, which is the most a cell may "
        "hold. Shorten it, or check for a quote that is never closed."
    )


def no_rows(num_columns: int) -> FileError:
    """Return the error for a file that is a header alone."""
    columns = "1 column" if num_columns == 1 else f"{num_columns} columns"
    return FileError(
        f"The file names {columns} and has no rows; at least one row is expected. "
        "Check the export that made it."
    )


def string_table(columns: Sequence[str], cells: Sequence[pa.Array]) -> pa.RecordBatch:
    """Return text columns under their file names."""
    return pa.RecordBatch.from_arrays(list(cells), schema=string_schema(columns))


def string_schema(columns: Sequence[str]) -> pa.Schema:
    """Return the schema of text columns with these names."""
    return pa.schema([pa.field(name, pa.string()) for name in columns])
