"""A cell that answers yes or no: labels, abstained, verdicts. Blank is missing, never 0.

NaN and its kin are what a table library writes for a missing number, so here they are missing
too; anything else is an error that names row, column and value.
"""

import pyarrow as pa
import pyarrow.compute as pc

from db.errors import FileError

FLAG_WORDS: dict[str, bool | None] = {
    **dict.fromkeys(("1", "1.0", "true", "yes"), True),
    **dict.fromkeys(("0", "0.0", "false", "no"), False),
    **dict.fromkeys(("", "nan", "none", "null", "na", "n/a", "<na>"), None),
}
MAX_SHOWN = 40


def parse_flag(cell: str | None, column: str) -> bool | None:
    """Return the answer of one cell; None when it is missing.

    Args:
        cell: text in any case, blanks around it allowed.
        column: its name, for the error.

    Raises:
        FileError: the cell is another value.
    """
    word = (cell or "").strip().lower()
    if word not in FLAG_WORDS:
        raise FileError(f"column {_refusal(cell or '', column)}")
    return FLAG_WORDS[word]


def read_flags(cells: pa.StringArray, column: str, first_row: int = 1) -> pa.BooleanArray:
    """Return the answers of a column of cells; null where one is missing.

    Args:
        cells: text, of any length.
        column: its name, for the error.
        first_row: row number of the first cell, for the error.

    Raises:
        FileError: the first cell that is another value, with its row.
    """
    # A column of flags has a handful of distinct cells, so each is judged once.
    coded = pc.dictionary_encode(cells)
    words = [word.strip().lower() for word in coded.dictionary.to_pylist()]
    unknown = pc.is_in(coded.indices, pa.array(_unknown(words), pa.int32()))
    row = pc.index(unknown, True).as_py()
    if row >= 0:
        raise FileError(f"Row {first_row + row}: column {_refusal(cells[row].as_py(), column)}")
    meanings = pa.array([FLAG_WORDS[word] for word in words], pa.bool_())
    return meanings.take(coded.indices)


def _unknown(words: list[str]) -> list[int]:
    """Positions of the words that answer nothing."""
    return [code for code, word in enumerate(words) if word not in FLAG_WORDS]


def _refusal(cell: str, column: str) -> str:
    """What is wrong with a cell and what to do."""
    shown = cell if len(cell) <= MAX_SHOWN else f"{cell[:MAX_SHOWN]}…"
    return (
        f"{column!r} is {shown}; 0, 1 or blank is accepted. Correct the row or map another column."
    )
