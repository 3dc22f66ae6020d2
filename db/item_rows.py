"""Rows of an item file, checked and completed: ids where the file has none, cells as they came.

query_id defaults to a hash of the query, context_id to a hash of query and contexts, item_id to a
hash of system, query, contexts and answer. A row that says nothing of its contexts shares its
retrieval label with no other row.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from db.errors import FileError
from db.formats.batches import RowBatch
from db.formats.columns import ColumnPlan
from db.formats.flags import read_flags
from db.formats.overrides import read_overrides
from db.labels import IMPORTED
from db.staging import ItemToStage, LabelToStage
from db.tables import LabelType, Value

DEFAULT_SYSTEM = "default"
MAX_ID = 500
GATE_COLUMNS = ("retrieval_score", "rerank_score", "citations", "nli")
ScoreAnswers = Callable[[Sequence[str | None]], Sequence[bool | None]]


class Reading(NamedTuple):
    """How rows are read: which column is which, the abstention rules, the moment of import."""

    plan: ColumnPlan
    score_answers: ScoreAnswers
    now: datetime


class Staged(NamedTuple):
    """A batch of rows, ready for the staging tables."""

    items: list[ItemToStage]
    labels: list[LabelToStage]


class _Row(NamedTuple):
    """The standard cells of a row."""

    number: int
    item_id: str | None
    system: str | None
    query: str | None
    query_id: str | None
    contexts: str | None
    context_id: str | None
    answer: str | None
    reference: str | None
    annotator: str | None
    labelled_at: str | None


class _Flags(NamedTuple):
    """The answers of a row's yes-no cells; `override` is a person's word on its abstention."""

    abstained: bool | None
    retrieval: bool | None
    task: bool | None
    override: bool | None


def read_rows(batches: Iterator[RowBatch], reading: Reading) -> Iterator[Staged]:
    """Yield checked rows batch by batch.

    Raises:
        FileError: the first row that is no good: its number, what it holds, what is accepted.
    """
    if reading.plan.items.query is None:
        raise FileError(
            "The file has no column for the query, which every item needs. Name it 'query', or"
            " map it: --map query=COLUMN."
        )
    made_ids: Counter[str] = Counter()
    labels_before = 0
    for batch in batches:
        staged = _read_batch(batch, reading, made_ids, labels_before)
        labels_before += len(staged.labels)
        yield staged


def stored_columns(plan: ColumnPlan) -> tuple[str, ...]:
    """The columns of a file that its study keeps, in the order of the plan.

    Labels, and whose they are, are kept as labels.
    """
    standard = [
        name
        for name, column in plan.items._asdict().items()
        if column is not None and name not in _LABEL_COLUMNS
    ]
    judges = [name for name, _ in _judge_cells(plan)]
    return (*standard, *judges, *plan.metadata)


_LABEL_COLUMNS = ("retrieval_label", "task_label", "annotator", "labelled_at")


def _read_batch(
    batch: RowBatch, reading: Reading, made_ids: Counter[str], labels_before: int
) -> Staged:
    flags = _read_flags(batch, reading.plan)
    rows = _standard_rows(batch, reading.plan)
    answers = [row.answer for row in rows]
    by_rules = reading.score_answers(answers)
    others = _other_cells(batch, reading.plan)
    items: list[ItemToStage] = []
    labels: list[LabelToStage] = []
    for row, flag, rule, cells in zip(rows, flags, by_rules, others, strict=True):
        item = _item(row, flag, rule, cells, made_ids)
        items.append(item)
        for label_type, value in (
            (LabelType.RETRIEVAL, flag.retrieval),
            (LabelType.TASK, flag.task),
        ):
            if value is not None:
                number = labels_before + len(labels)
                labels.append(_label(number, row, item.item_key, (label_type, value), reading.now))
    return Staged(items, labels)


def _item(
    row: _Row, flags: _Flags, by_rules: bool | None, cells: dict[str, Any], made_ids: Counter[str]
) -> ItemToStage:
    query = row.query
    if query is None or not query.strip():
        raise FileError(
            f"Row {row.number}: the query is empty; a text is expected. Fill it in or remove the"
            " row."
        )
    system = row.system or DEFAULT_SYSTEM
    item_key = row.item_id or _made_id(row, system, made_ids)
    query_key = row.query_id or f"q-{_digest(query)}"
    context_key = row.context_id or _made_context_id(row, item_key)
    for name, value in (
        ("item_id", item_key),
        ("system", system),
        ("query_id", query_key),
        ("context_id", context_key),
    ):
        if len(value) > MAX_ID:
            raise FileError(
                f"Row {row.number}: {name} has {len(value)} characters; at most {MAX_ID} are"
                " accepted. Shorten it or map another column."
            )
    parts = (system, query_key, context_key, query, row.contexts or "", row.answer or "")
    return ItemToStage(
        row_number=row.number,
        item_key=item_key,
        system=system,
        query_key=query_key,
        context_key=context_key,
        query=query,
        contexts=row.contexts,
        answer=row.answer,
        reference=row.reference,
        cells=cells,
        content_hash=_digest(*parts, repr(row.reference), repr(sorted(cells.items()))),
        abstained_column=_abstained(row, flags),
        abstained_rules=_code(by_rules),
        abstained_override=_code(flags.override),
    )


def _abstained(row: _Row, flags: _Flags) -> int | None:
    """A task label says that there was an answer, whatever the rules would say."""
    if flags.task is None or flags.override is False:
        return _code(flags.abstained)
    if flags.override or flags.abstained or (row.answer is not None and not row.answer.strip()):
        raise FileError(
            f"Row {row.number}: column 'task_label' is {int(flags.task)}, but the row is an"
            " abstention, whose task is undefined. Leave the label blank, or correct 'abstained'."
        )
    return 0


def _code(flag: bool | None) -> int | None:
    return None if flag is None else int(flag)


def _label(
    number: int, row: _Row, item_key: str, said: tuple[LabelType, bool], now: datetime
) -> LabelToStage:
    label_type, value = said
    return LabelToStage(
        id=number,
        row_number=row.number,
        item_key=item_key,
        label_type=label_type,
        value=Value.YES if value else Value.NO,
        person=row.annotator or IMPORTED,
        is_named=int(bool(row.annotator)),
        created_at=parse_moment(row.labelled_at, row.number) or now,
    )


def parse_moment(cell: str | None, row_number: int) -> datetime | None:
    """An ISO 8601 moment, in UTC where it names no zone; None for a blank cell."""
    if cell is None or not cell.strip():
        return None
    try:
        moment = datetime.fromisoformat(cell.strip())
    except ValueError as error:
        raise FileError(
            f"Row {row_number}: column 'labelled_at' is {cell[:40]!r}; a moment like"
            " 2026-05-01T12:00:00Z or blank is accepted. Correct the row or map another column."
        ) from error
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def _made_id(row: _Row, system: str, made_ids: Counter[str]) -> str:
    """Equal rows are numbered, so that a file without ids keeps each of its rows."""
    made = f"i-{_digest(system, row.query or '', row.contexts or '', row.answer or '')}"
    made_ids[made] += 1
    return made if made_ids[made] == 1 else f"{made}-{made_ids[made]}"


def _made_context_id(row: _Row, item_key: str) -> str:
    if row.contexts is None:
        return f"c-{_digest('item', item_key)}"
    return f"c-{_digest('texts', row.query or '', row.contexts)}"


def _digest(*parts: str) -> str:
    text = "".join(f"{len(part)}:{part}" for part in parts)
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=10).hexdigest()


def _standard_rows(batch: RowBatch, plan: ColumnPlan) -> list[_Row]:
    columns = plan.items
    size = batch.table.num_rows
    numbers = range(batch.first_row, batch.first_row + size)
    answers = _cells(batch, columns.answer)
    if columns.answer is not None:
        # Where the file has the column, an empty cell is an empty answer.
        answers = [answer or "" for answer in answers]
    cells = (
        numbers,
        _cells(batch, columns.item_id),
        _cells(batch, columns.system),
        _cells(batch, columns.query),
        _cells(batch, columns.query_id),
        _cells(batch, columns.contexts),
        _cells(batch, columns.context_id),
        answers,
        _cells(batch, columns.reference),
        _cells(batch, columns.annotator),
        _cells(batch, columns.labelled_at),
    )
    return [_Row(*row) for row in zip(*cells, strict=True)]


def _read_flags(batch: RowBatch, plan: ColumnPlan) -> list[_Flags]:
    columns = plan.items
    named = (
        ("abstained", columns.abstained),
        ("retrieval_label", columns.retrieval_label),
        ("task_label", columns.task_label),
    )
    answers = [_flag_column(batch, name, column) for name, column in named]
    answers.append(read_overrides(batch, plan.overrides).to_pylist())
    for judge in plan.judges:
        _flag_column(batch, judge.verdict, judge.verdict)
    return [_Flags(*row) for row in zip(*answers, strict=True)]


def _flag_column(batch: RowBatch, name: str, column: str | None) -> list[bool | None]:
    if column is None:
        return [None] * batch.table.num_rows
    flags: list[bool | None] = read_flags(
        batch.table.column(column), name, batch.first_row
    ).to_pylist()
    return flags


def _other_cells(batch: RowBatch, plan: ColumnPlan) -> list[dict[str, Any]]:
    """Metadata, judges, gate inputs and the abstained cell as they came; nulls are left out."""
    gates = [(name, getattr(plan.items, name)) for name in (*GATE_COLUMNS, "abstained")]
    named = [
        *((name, column) for name, column in gates if column is not None),
        *_judge_cells(plan),
        *((column, column) for column in plan.metadata),
    ]
    columns = [(name, _cells(batch, column)) for name, column in named]
    return [
        {name: cells[index] for name, cells in columns if cells[index] is not None}
        for index in range(batch.table.num_rows)
    ]


def _judge_cells(plan: ColumnPlan) -> Iterator[tuple[str, str]]:
    for judge in plan.judges:
        name = f"judge:{judge.judge}:{judge.label_type}"
        yield name, judge.verdict
        if judge.score is not None:
            yield f"{name}:score", judge.score


def _cells(batch: RowBatch, column: str | None) -> list[str | None]:
    if column is None:
        return [None] * batch.table.num_rows
    cells: list[str | None] = batch.table.column(column).to_pylist()
    return cells
