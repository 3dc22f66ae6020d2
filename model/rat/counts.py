"""How many items show each pattern of labels? The table that every fit starts from.

Items with the same observed (A, R, T) and the same verdicts have the same likelihood, so a
system's data is this table and no posterior ever sees an item. T is undefined where A=1.
"""

import hashlib
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from model.errors import ModelError
from model.rat.cells import UNOBSERVED as UNOBSERVED
from model.rat.cells import Array

LABEL_COLUMNS = ("abstained", "retrieval", "task")
COUNT_COLUMN = "count"


class CountTable(NamedTuple):
    """Distinct patterns in canonical order, each with the number of items that show it.

    cells: int8[n_cells, 3 + n_judges], columns abstained, retrieval, task, then one verdict per
    judge; -1 is unobserved. counts: float64[n_cells], whole numbers above 0.
    """

    cells: NDArray[np.int8]
    counts: Array
    judges: tuple[str, ...] = ()


class LabelTally(NamedTuple):
    """What has been seen of the items of a table, as numbers of items."""

    items: int
    abstained_known: int
    abstained: int
    retrieval: int
    task: int


def tabulate(frame: pd.DataFrame, judges: tuple[str, ...] = ()) -> CountTable:
    """Return the count table of a frame with one row per item.

    Args:
        frame: columns abstained, retrieval, task and each judge's verdict: 0, 1 or missing, of
            any (nullable) type; optional column `count`: the number of items a row stands for.
        judges: names of the verdict columns to keep, in this order.

    Raises:
        ModelError: a column is absent, a value is not 0, 1 or missing, a count is not a whole
            number of 0 or more, or an abstained row carries a task label.
    """
    columns = [_read_column(frame, name) for name in (*LABEL_COLUMNS, *judges)]
    cells = np.stack(columns, axis=1)
    return from_cells(cells, _read_counts(frame), judges)


def from_cells(cells: NDArray[np.int8], counts: Array, judges: tuple[str, ...] = ()) -> CountTable:
    """Return the canonical table of patterns and counts: ordered, merged, without empty cells.

    Args:
        cells: int8[n, 3 + n_judges] as in CountTable, in any order, repeats allowed.
        counts: float64[n], whole numbers of 0 or more.
        judges: names of the verdict columns.

    Raises:
        ModelError: wrong shape or value, or a task label where A=1.
    """
    cells = np.asarray(cells, dtype=np.int8).reshape(-1, len(LABEL_COLUMNS) + len(judges))
    counts = np.asarray(counts, dtype=np.float64)
    _check_cells(cells)
    _check_counts(counts, len(cells))
    kept = counts > 0
    patterns, position = np.unique(cells[kept], axis=0, return_inverse=True)
    merged = np.bincount(position.ravel(), weights=counts[kept], minlength=len(patterns))
    return CountTable(patterns, merged.astype(np.float64), tuple(judges))


def merge(*tables: CountTable) -> CountTable:
    """Return one table of all items of several tables.

    Raises:
        ModelError: the tables carry verdicts of different judges, or there is no table.
    """
    if not tables:
        raise ModelError("No count table was given; at least one was expected. Add a table.")
    judges = tables[0].judges
    for table in tables:
        if table.judges != judges:
            raise ModelError(
                f"Count tables with judges {judges} and {table.judges} cannot be merged; the "
                "same judges were expected. Drop the judges with without_judges first."
            )
    cells = np.concatenate([table.cells for table in tables])
    return from_cells(cells, np.concatenate([table.counts for table in tables]), judges)


def without_judges(table: CountTable) -> CountTable:
    """Return the table of the human labels and A alone, verdict columns summed out."""
    if not table.judges:
        return table
    return from_cells(table.cells[:, : len(LABEL_COLUMNS)], table.counts)


def tally_labels(table: CountTable) -> LabelTally:
    """Return how many items there are and how many carry each kind of label."""
    abstained, retrieval, task = (table.cells[:, column] for column in range(3))
    return LabelTally(
        items=_total(table, abstained == abstained),
        abstained_known=_total(table, abstained != UNOBSERVED),
        abstained=_total(table, abstained == 1),
        retrieval=_total(table, retrieval != UNOBSERVED),
        task=_total(table, task != UNOBSERVED),
    )


def canonical_bytes(table: CountTable) -> bytes:
    """Return bytes that are equal exactly when two tables hold the same items and judges."""
    ordered = from_cells(table.cells, table.counts, table.judges)
    names = "\x1f".join(ordered.judges).encode()
    counts = ordered.counts.astype("<f8").tobytes()
    return b"\x1e".join([names, ordered.cells.tobytes(), counts])


def fingerprint(table: CountTable) -> str:
    """Return the SHA-256 of the canonical bytes in hexadecimal: the key of a saved fit."""
    return hashlib.sha256(canonical_bytes(table)).hexdigest()


def _total(table: CountTable, chosen: NDArray[np.bool_]) -> int:
    """Σ counts of the chosen cells."""
    return int(table.counts[chosen].sum())


def _read_column(frame: pd.DataFrame, name: str) -> NDArray[np.int8]:
    """0, 1 and missing of any type as 0, 1 and -1."""
    numbers = _read_numbers(frame, name)
    wrong = ~(np.isnan(numbers) | (numbers == 0) | (numbers == 1))
    if wrong.any():
        row = int(np.argmax(wrong))
        raise ModelError(
            f"Row {row + 1}: column '{name}' is {numbers[row]:g}; 0, 1 or missing was expected. "
            "Correct the row."
        )
    return np.where(np.isnan(numbers), UNOBSERVED, numbers).astype(np.int8)


def _read_counts(frame: pd.DataFrame) -> Array:
    """The column `count`, or 1 for each row."""
    if COUNT_COLUMN not in frame.columns:
        return np.ones(len(frame))
    return _read_numbers(frame, COUNT_COLUMN)


def _read_numbers(frame: pd.DataFrame, name: str) -> Array:
    """A column as float64 with nan for missing."""
    if name not in frame.columns:
        raise ModelError(
            f"Column '{name}' is absent; the columns {', '.join(LABEL_COLUMNS)} were expected. "
            "Add it, with missing values where nothing was observed."
        )
    try:
        numbers = frame[name].astype("Float64").to_numpy(dtype=np.float64, na_value=np.nan)
    except (ValueError, TypeError) as error:
        raise ModelError(
            f"Column '{name}' holds something that is no number ({error}); 0, 1 or missing was "
            "expected. Correct the column."
        ) from error
    return np.asarray(numbers, dtype=np.float64)


def _check_cells(cells: NDArray[np.int8]) -> None:
    """Every value is -1, 0 or 1, and no row has both A=1 and a task label."""
    if ((cells < UNOBSERVED) | (cells > 1)).any():
        raise ModelError("A cell holds another value than -1, 0, 1. Correct the count table.")
    undefined = (cells[:, 0] == 1) & (cells[:, 2] != UNOBSERVED)
    if undefined.any():
        raise ModelError(
            f"Row {int(np.argmax(undefined)) + 1}: the answer abstained and has a task label; "
            "task is undefined where abstained is 1. Remove the label or correct abstained."
        )


def _check_counts(counts: Array, num_cells: int) -> None:
    """One whole number of 0 or more for each cell."""
    if counts.shape != (num_cells,):
        raise ModelError(
            f"Counts have shape {counts.shape}; ({num_cells},) was expected, one for each cell."
        )
    wrong = ~(np.isfinite(counts) & (counts >= 0) & (counts == np.floor(counts)))
    if wrong.any():
        row = int(np.argmax(wrong))
        raise ModelError(
            f"Row {row + 1}: count is {counts[row]:g}; a whole number of 0 or more was expected. "
            "Correct the row."
        )
