"""Rows of a label file, checked; the file is the export of labels or one like it.

Only labels that hold are read: rows whose `status` says superseded, undone or skipped are the
history of another study, not labels of this one.
"""

from collections.abc import Iterator
from datetime import datetime

from db.errors import FileError
from db.formats.batches import RowBatch
from db.formats.columns import ColumnPlan, LabelColumns
from db.item_rows import parse_moment
from db.labels import IMPORTED
from db.staging import LabelToStage
from db.tables import LabelType, Value

STATUS = "status"
HOLDS = frozenset({"", "current"})
_NEEDED = (
    "item_id",
    "label_type",
    "value",
    "annotator",
    "labelled_at",
    "note",
    "seconds",
    "reason_asked",
    "selection_probability",
)
_VALUES = frozenset({Value.YES, Value.NO, Value.CANT_TELL})


def read_labels(
    batches: Iterator[RowBatch], plan: ColumnPlan, now: datetime
) -> Iterator[list[LabelToStage]]:
    """Yield checked labels batch by batch.

    Raises:
        FileError: the first row that is no good: its number, what it holds, what is accepted.
    """
    before = 0
    for batch in batches:
        labels = _read_batch(batch, plan, now, before)
        before += len(labels)
        yield labels


def _read_batch(
    batch: RowBatch, plan: ColumnPlan, now: datetime, before: int
) -> list[LabelToStage]:
    statuses = _column(batch, STATUS if STATUS in plan.metadata else None)
    columns = [_column(batch, getattr(plan.labels, name)) for name in _NEEDED]
    labels: list[LabelToStage] = []
    rows = zip(statuses, *columns, strict=True)
    for row_number, (status, *cells) in enumerate(rows, start=batch.first_row):
        if (status or "").strip().lower() not in HOLDS:
            continue
        row = LabelColumns(**dict(zip(_NEEDED, cells, strict=True)))
        labels.append(_label(row, row_number, before + len(labels), now))
    return labels


def _label(row: LabelColumns, row_number: int, number: int, now: datetime) -> LabelToStage:
    return LabelToStage(
        id=number,
        row_number=row_number,
        item_key=row.item_id or "",
        label_type=_one_of(row.label_type, "label_type", tuple(LabelType), row_number),
        value=_one_of(row.value, "value", tuple(sorted(_VALUES)), row_number),
        person=row.annotator or IMPORTED,
        is_named=int(bool(row.annotator)),
        created_at=parse_moment(row.labelled_at, row_number) or now,
        note=row.note,
        seconds=_number(row.seconds, "seconds", row_number),
        reason_asked=row.reason_asked or None,
        selection_probability=_number(
            row.selection_probability, "selection_probability", row_number
        ),
    )


def _one_of(cell: str | None, name: str, accepted: tuple[str, ...], row_number: int) -> str:
    word = (cell or "").strip().lower()
    if word not in accepted:
        raise FileError(
            f"Row {row_number}: column {name!r} is {(cell or '')[:40]!r};"
            f" {', '.join(accepted)} is accepted. Correct the row or map another column."
        )
    return word


def _number(cell: str | None, name: str, row_number: int) -> float | None:
    if cell is None or not cell.strip():
        return None
    try:
        return float(cell)
    except ValueError as error:
        raise FileError(
            f"Row {row_number}: column {name!r} is {cell[:40]!r}; a number or blank is accepted."
            " Correct the row or map another column."
        ) from error


def _column(batch: RowBatch, column: str | None) -> list[str | None]:
    if column is None:
        return [None] * batch.table.num_rows
    cells: list[str | None] = batch.table.column(column).to_pylist()
    return cells
