"""Count tables: what is read, what is refused, and that order and splitting change nothing."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from model.errors import ModelError
from model.rat.counts import (
    CountTable,
    LabelTally,
    canonical_bytes,
    fingerprint,
    from_cells,
    merge,
    tabulate,
    tally_labels,
    without_judges,
)
from tests.model.rat.rat_oracles import table_of

POSSIBLE = [
    (abstained, retrieval, task)
    for abstained in (-1, 0, 1)
    for retrieval in (-1, 0, 1)
    for task in (-1, 0, 1)
    if abstained != 1 or task == -1
]
ROWS = st.lists(st.tuples(st.sampled_from(POSSIBLE), st.integers(0, 9)), max_size=30)


def _frame(rows: list[tuple[tuple[int, int, int], int]]) -> pd.DataFrame:
    cells = [[None if value == -1 else value for value in cell] for cell, _ in rows]
    frame = pd.DataFrame(cells, columns=["abstained", "retrieval", "task"], dtype="Int64")
    return frame.assign(count=[count for _, count in rows])


def test_there_are_21_possible_patterns() -> None:
    assert len(POSSIBLE) == 21


@given(rows=ROWS, seed=st.integers(0, 2**32 - 1))
@settings(max_examples=40, deadline=None)
def test_order_of_rows_changes_nothing(
    rows: list[tuple[tuple[int, int, int], int]], seed: int
) -> None:
    shuffled = [rows[i] for i in np.random.default_rng(seed).permutation(len(rows))]
    assert canonical_bytes(tabulate(_frame(rows))) == canonical_bytes(tabulate(_frame(shuffled)))


@given(rows=ROWS, cut=st.integers(0, 30))
@settings(max_examples=40, deadline=None)
def test_splitting_rows_and_merging_tables_changes_nothing(
    rows: list[tuple[tuple[int, int, int], int]], cut: int
) -> None:
    whole = tabulate(_frame(rows))
    parts = merge(tabulate(_frame(rows[:cut])), tabulate(_frame(rows[cut:])))
    one_row_an_item = [(cell, 1) for cell, count in rows for _ in range(count)]
    assert canonical_bytes(whole) == canonical_bytes(parts)
    assert canonical_bytes(whole) == canonical_bytes(tabulate(_frame(one_row_an_item)))


def test_another_item_or_judge_changes_the_fingerprint() -> None:
    cells = np.array([[1, 0, -1, 1]], dtype=np.int8)
    prints = {
        fingerprint(table_of(a1_r0=3)),
        fingerprint(table_of(a1_r0=4)),
        fingerprint(table_of(a1_r1=3)),
        fingerprint(from_cells(cells, np.array([3.0]), ("first",))),
        fingerprint(from_cells(cells, np.array([3.0]), ("second",))),
    }
    assert len(prints) == 5


def test_a_table_out_of_order_has_the_fingerprint_of_its_canonical_form() -> None:
    table = table_of(a1_r0=3, a0_t1=2)
    turned = CountTable(table.cells[::-1], table.counts[::-1])
    assert fingerprint(turned) == fingerprint(table)


@pytest.mark.parametrize(
    "column",
    [
        pd.Series([1, None, 0], dtype="Int64"),
        pd.Series([True, None, False], dtype="boolean"),
        pd.Series([True, None, False], dtype=object),
        pd.Series([1.0, np.nan, 0.0]),
        pd.Series([1, pd.NA, 0], dtype="Int8"),
        pd.Series(["1", pd.NA, "0"], dtype="string"),
        pd.Series(pd.Categorical([1.0, np.nan, 0.0])),
    ],
    ids=lambda column: str(column.dtype),
)
def test_missing_is_read_as_unobserved_in_every_type(column: "pd.Series[int]") -> None:
    frame = pd.DataFrame({"abstained": column, "retrieval": column, "task": [None] * 3})
    table = tabulate(frame)
    assert table.cells.tolist() == [[-1, -1, -1], [0, 0, -1], [1, 1, -1]]
    assert table.counts.tolist() == [1, 1, 1]


def test_tally_counts_labels_of_each_kind() -> None:
    table = table_of(a1_r0=3, a1=2, a0_r1_t1=4, a0_t0=5, r0=1, ax=6)
    assert tally_labels(table) == LabelTally(
        items=21, abstained_known=14, abstained=5, retrieval=8, task=9
    )


def test_judges_are_kept_and_can_be_summed_out() -> None:
    frame = _frame([((1, 0, -1), 1), ((1, 0, -1), 1)]).assign(verdict=[1.0, np.nan])
    table = tabulate(frame, judges=("verdict",))
    assert table.cells.tolist() == [[1, 0, -1, -1], [1, 0, -1, 1]]
    assert canonical_bytes(without_judges(table)) == canonical_bytes(table_of(a1_r0=2))


def test_an_empty_frame_gives_an_empty_table() -> None:
    table = tabulate(_frame([]))
    assert table.cells.shape == (0, 3)
    assert tally_labels(table).items == 0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"task": [0, 7]}, "Row 2: column 'task' is 7; 0, 1 or missing"),
        ({"retrieval": [0.5, 1]}, "Row 1: column 'retrieval' is 0.5"),
        ({"task": ["yes", None]}, "Column 'task' holds something that is no number"),
        ({"abstained": [0, 1], "task": [1, 1]}, "Row 2: the answer abstained and has a task"),
        ({"count": [1, 2.5]}, "Row 2: count is 2.5; a whole number"),
        ({"count": [-1, 2]}, "Row 1: count is -1"),
        ({"count": [None, 2]}, "Row 1: count is nan"),
    ],
)
def test_what_cannot_be_counted_is_refused(change: dict[str, list[object]], message: str) -> None:
    columns: dict[str, list[object]] = {"abstained": [0, 0], "retrieval": [1, 0], "task": [1, 0]}
    with pytest.raises(ModelError, match=message):
        tabulate(pd.DataFrame(columns | change))


def test_an_absent_column_is_named() -> None:
    with pytest.raises(ModelError, match="Column 'task' is absent"):
        tabulate(pd.DataFrame({"abstained": [0], "retrieval": [1]}))


def test_tables_of_different_judges_do_not_merge() -> None:
    cells = np.array([[1, 0, -1, 1]], dtype=np.int8)
    with_judge = from_cells(cells, np.array([1.0]), ("judge",))
    with pytest.raises(ModelError, match="cannot be merged"):
        merge(with_judge, table_of(a1=1))
    with pytest.raises(ModelError, match="No count table"):
        merge()


def test_hand_made_cells_are_checked() -> None:
    with pytest.raises(ModelError, match="another value than"):
        from_cells(np.array([[0, 3, 0]], dtype=np.int8), np.array([1.0]))
    with pytest.raises(ModelError, match="Counts have shape"):
        from_cells(np.array([[0, 1, 0]], dtype=np.int8), np.array([1.0, 2.0]))
