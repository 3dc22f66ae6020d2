"""Do yes, no and blank mean what people and table libraries write, and nothing else pass?"""

import time

import pyarrow as pa
import pytest

from db.errors import FileError
from db.formats.flags import parse_flag, read_flags

YES = ("1", "1.0", "true", "TRUE", "Yes", " 1 ")
NO = ("0", "0.0", "false", "False", "NO", "\t0")
MISSING = (None, "", "  ", "nan", "NaN", "None", "null", "NA", "n/a", "<NA>")
OTHER = ("7", "-1", "10", "01", "0.5", "y", "maybe", "1 0", "cant_tell", "⁠1")


def test_each_word_has_one_meaning() -> None:
    assert [parse_flag(cell, "abstained") for cell in YES] == [True] * len(YES)
    assert [parse_flag(cell, "abstained") for cell in NO] == [False] * len(NO)
    assert [parse_flag(cell, "abstained") for cell in MISSING] == [None] * len(MISSING)


@pytest.mark.parametrize("cell", OTHER)
def test_other_words_are_refused_with_row_column_and_value(cell: str) -> None:
    line = (
        f"column 'task_label' is {cell}; 0, 1 or blank is accepted. "
        "Correct the row or map another column."
    )
    with pytest.raises(FileError) as caught:
        parse_flag(cell, "task_label")
    assert str(caught.value) == line
    with pytest.raises(FileError) as caught:
        read_flags(pa.array(["1", None, cell, "8"]), "task_label", first_row=10)
    assert str(caught.value) == f"Row 12: {line}"


def test_column_of_cells_means_what_its_cells_mean() -> None:
    cells = [*YES, *MISSING, *NO] * 3
    flags = read_flags(pa.array(cells, pa.string()), "abstained")
    assert flags.to_pylist() == [parse_flag(cell, "abstained") for cell in cells]


def test_columns_without_values_are_missing() -> None:
    assert read_flags(pa.array([], pa.string()), "abstained").to_pylist() == []
    assert read_flags(pa.nulls(3, pa.string()), "abstained").to_pylist() == [None] * 3


def test_a_slice_of_a_column_reads_only_its_cells() -> None:
    cells = pa.array(["7", "1", None, "0", "x"]).slice(1, 3)
    assert read_flags(cells, "abstained").to_pylist() == [True, None, False]


def test_long_value_is_shown_short() -> None:
    with pytest.raises(FileError, match=r"is x{40}…; 0, 1 or blank"):
        parse_flag("x" * 10_000, "task_label")


def test_million_cells_take_well_under_a_second() -> None:
    cells = pa.array(["1", "0", None, ""] * 250_000)
    start = time.perf_counter()
    read_flags(cells, "abstained")
    assert time.perf_counter() - start < 1
