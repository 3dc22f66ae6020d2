"""The count table of a file, without a database: the same counts an import would give.

Column by column, so that a million rows take seconds. Rows that share a query and context share
the retrieval label; several annotators of one context are resolved by majority.
"""

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from db.formats.batches import RowBatch
from db.formats.columns import ColumnPlan, FileKind, ItemColumns, plan_columns
from db.formats.flags import read_flags
from db.formats.overrides import OverrideColumns, read_overrides
from db.formats.reading import open_table
from db.item_rows import DEFAULT_SYSTEM
from model.abstention.rules import DEFAULT_RULES, score_answers
from workflow.errors import RatchetError

MISSING = -1
Codes = NDArray[np.int8]
Keys = NDArray[np.uint64]


class AbstentionFrom(StrEnum):
    """Where A comes from: the column and, where blank, the rules; or the column alone."""

    RULES = "rules"
    COLUMN = "column"


class _Part(NamedTuple):
    """What counts of a batch: one entry a row, -1 where missing; keys are hashes."""

    system: pa.Array
    item: Keys
    context: Keys
    annotator: Keys
    abstained: Codes
    retrieval: Codes
    task: Codes


def count_file(path: Path, mapping: Mapping[str, str], abstention: AbstentionFrom) -> pd.DataFrame:
    """Rows of system, abstained, retrieval, task (0, 1 or missing, Int8) and count (int).

    Raises:
        StoreError: the file or a row of it is no good.
        RatchetError: two rows have one id, or contradict each other.
    """
    source = open_table(path)
    plan = plan_columns(source.columns, mapping)
    if plan.kind == FileKind.LABELS:
        raise RatchetError(
            f"{path.name} is a file of labels; a file of items, one row per answer, is expected."
            " Import it into the study of its items, and fit the study."
        )
    parts = [_read(batch, plan, abstention) for batch in source.batches()]
    return _tabulate(parts)


def _read(batch: RowBatch, plan: ColumnPlan, abstention: AbstentionFrom) -> _Part:
    columns = plan.items
    retrieval = _flags(batch, columns.retrieval_label, "retrieval_label")
    task = _flags(batch, columns.task_label, "task_label")
    by_person = _by_person(batch, plan.overrides)
    abstained = np.where(by_person == MISSING, _abstained(batch, columns, abstention), by_person)
    is_certain = (by_person == 1) | _is_certain(batch, columns)
    said_twice = np.flatnonzero((task != MISSING) & (abstained == 1) & is_certain)
    if said_twice.size:
        row = batch.first_row + int(said_twice[0])
        raise RatchetError(
            f"Row {row}: column 'task_label' is {task[said_twice[0]]}, but the row is an"
            " abstention, whose task is undefined. Leave the label blank, or correct 'abstained'."
        )
    abstained[task != MISSING] = 0
    return _Part(
        _system(batch, columns.system),
        _item_keys(batch, columns),
        _context_keys(batch, columns),
        _hashes(_column(batch, columns.annotator)),
        abstained,
        retrieval,
        task,
    )


def _abstained(batch: RowBatch, columns: ItemColumns, abstention: AbstentionFrom) -> Codes:
    abstained = _flags(batch, columns.abstained, "abstained")
    if abstention == AbstentionFrom.COLUMN or columns.answer is None:
        return abstained
    blank = np.flatnonzero(abstained == MISSING)
    answers = pc.fill_null(_column(batch, columns.answer), "").take(pa.array(blank)).to_pylist()
    verdicts = [verdict.abstained for verdict in score_answers(answers, DEFAULT_RULES)]
    abstained[blank] = np.array(verdicts, dtype=np.int8)
    return abstained


def _by_person(batch: RowBatch, columns: OverrideColumns | None) -> Codes:
    overrides = read_overrides(batch, columns)
    codes: Codes = pc.fill_null(overrides.cast(pa.int8()), MISSING).to_numpy(zero_copy_only=False)
    return codes


def _is_certain(batch: RowBatch, columns: ItemColumns) -> NDArray[np.bool_]:
    """The column says so, or there is no answer; a rule may be mistaken, a label knows better."""
    certain: NDArray[np.bool_] = _flags(batch, columns.abstained, "abstained") == 1
    if columns.answer is None:
        return certain
    answers = pc.utf8_trim_whitespace(pc.fill_null(_column(batch, columns.answer), ""))
    is_blank: NDArray[np.bool_] = pc.equal(answers, "").to_numpy(zero_copy_only=False)
    return certain | is_blank


def _tabulate(parts: list[_Part]) -> pd.DataFrame:
    frame = pd.DataFrame(
        {
            "system": pa.chunked_array([part.system for part in parts]).to_pandas(),
            "item": np.concatenate([part.item for part in parts]),
            "context": np.concatenate([part.context for part in parts]),
            "annotator": np.concatenate([part.annotator for part in parts]),
            "abstained": np.concatenate([part.abstained for part in parts]),
            "retrieval": np.concatenate([part.retrieval for part in parts]),
            "task": np.concatenate([part.task for part in parts]),
        }
    )
    _refuse_repeated_ids(frame)
    frame["retrieval"] = _shared_retrieval(frame)
    counts = frame.groupby(["system", "abstained", "retrieval", "task"], observed=True).size()
    found = counts.reset_index(name="count")
    for name in ("abstained", "retrieval", "task"):
        known = found[name].astype("Int8")
        found[name] = known.mask(known == MISSING)
    found["system"] = found["system"].astype(str)
    return found


def _refuse_repeated_ids(frame: pd.DataFrame) -> None:
    repeated = frame["item"].duplicated(keep=False).to_numpy().nonzero()[0]
    if repeated.size:
        first = repeated[0]
        same = (frame["item"] == frame["item"][first]).to_numpy().nonzero()[0]
        raise RatchetError(
            f"Rows {same[0] + 1} and {same[1] + 1} have the same item_id; ids are unique within a"
            " file. Correct one of them, or leave the column out."
        )


def _shared_retrieval(frame: pd.DataFrame) -> Any:
    """The majority of the labels that a context got, one an annotator, for all its rows."""
    labelled = frame.loc[frame["retrieval"] != MISSING, ["context", "annotator", "retrieval"]]
    votes = labelled.drop_duplicates()
    twice = votes.duplicated(["context", "annotator"], keep=False)
    if twice.any():
        key = votes.loc[twice, "context"].iloc[0]
        rows = labelled.index[labelled["context"] == key]
        raise RatchetError(
            f"Rows {rows[0] + 1} and {rows[-1] + 1} share a context, but their retrieval labels"
            " differ; one is expected. Correct one of them, or name the annotators."
        )
    balance = (2 * votes["retrieval"].astype(int) - 1).groupby(votes["context"]).sum()
    majority = balance.map(lambda votes: MISSING if votes == 0 else int(votes > 0))
    return frame["context"].map(majority).fillna(MISSING).astype(np.int8)


def _flags(batch: RowBatch, column: str | None, name: str) -> Codes:
    if column is None:
        return np.full(batch.table.num_rows, MISSING, dtype=np.int8)
    flags = read_flags(batch.table.column(column), name, batch.first_row)
    codes: Codes = pc.fill_null(flags.cast(pa.int8()), MISSING).to_numpy().copy()
    return codes


def _system(batch: RowBatch, column: str | None) -> pa.Array:
    cells = pc.fill_null(_column(batch, column), "")
    named = pc.if_else(pc.equal(cells, ""), DEFAULT_SYSTEM, cells)
    return named.dictionary_encode()


def _item_keys(batch: RowBatch, columns: ItemColumns) -> Keys:
    """A hash of the id; a row without one is like no other."""
    numbers = np.arange(batch.first_row, batch.first_row + batch.table.num_rows, dtype=np.uint64)
    if columns.item_id is None:
        return numbers
    cells = _column(batch, columns.item_id)
    keys = _hashes(cells)
    has_none = pc.equal(pc.fill_null(cells, ""), "").to_numpy(zero_copy_only=False)
    return np.where(has_none, numbers, keys)


def _context_keys(batch: RowBatch, columns: ItemColumns) -> Keys:
    """A hash of (query, context); a row that says nothing of its contexts shares with no other."""
    alone = np.arange(batch.first_row, batch.first_row + batch.table.num_rows, dtype=np.uint64)
    if columns.context_id is None and columns.contexts is None:
        return alone
    context_ids = pc.fill_null(_column(batch, columns.context_id), "")
    contexts = _column(batch, columns.contexts)
    is_named = pc.not_equal(context_ids, "").to_numpy(zero_copy_only=False)
    is_given = is_named | pc.is_valid(contexts).to_numpy(zero_copy_only=False)
    queries = _hashes(_column(batch, columns.query)) + np.uint64(1)
    # The id that an import makes for contexts is of the query and the contexts.
    made = _paired(queries, _hashes(contexts) + np.uint64(1))
    context = np.where(is_named, _hashes(context_ids), made)
    query_ids = pc.fill_null(_column(batch, columns.query_id), "")
    has_id = pc.not_equal(query_ids, "").to_numpy(zero_copy_only=False)
    query = np.where(has_id, _hashes(query_ids), queries)
    return np.where(is_given, _paired(query, context), alone)


def _paired(first: Keys, second: Keys) -> Keys:
    """One hash of two; sums, since XOR would cancel a query that is in both."""
    odd = np.uint64(0x9E3779B97F4A7C15)
    return (first * odd + second) * odd


def _hashes(cells: pa.Array) -> Keys:
    """A 64-bit hash of each text; of equal texts the same, null and "" alike."""
    coded = pc.fill_null(cells, "").dictionary_encode()
    words = np.array(coded.dictionary.to_pylist(), dtype=object)
    if not words.size:
        return np.zeros(len(cells), dtype=np.uint64)
    hashed: Keys = pd.util.hash_array(words, categorize=False)[coded.indices.to_numpy()]
    return hashed


def _column(batch: RowBatch, column: str | None) -> pa.Array:
    if column is None:
        return pa.nulls(batch.table.num_rows, pa.string())
    return batch.table.column(column)
