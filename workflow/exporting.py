"""Files out: labels or items of a study as a stream of bytes, in one consistent snapshot."""

import math
from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple

import pyarrow as pa
from sqlalchemy import Engine as Database

from db import export, studies
from db.engine import reading
from db.export import Belief, Believe, Pattern
from db.export import Filter as Filter
from db.export import Labelled as Labelled
from db.formats.writing import FileFormat as FileFormat
from db.formats.writing import row_batches, write_rows
from model.rat.beliefs import ItemBelief, item_beliefs
from model.rat.cells import UNOBSERVED
from workflow import fitting
from workflow.fitting import Engine

DIGITS = 6


class Kind(StrEnum):
    """What is exported: a row a label, or a row an answer."""

    LABELS = "labels"
    ITEMS = "items"


class Wish(NamedTuple):
    """Which file; `every` adds superseded, undone, skipped and extra labels, with a status."""

    study: str
    kind: Kind
    file_format: FileFormat = FileFormat.CSV
    is_spreadsheet_safe: bool = False
    every: bool = False
    chosen: Filter = Filter()


MEDIA_TYPES = {
    FileFormat.CSV: "text/csv; charset=utf-8",
    FileFormat.JSONL: "application/jsonl; charset=utf-8",
    FileFormat.PARQUET: "application/vnd.apache.parquet",
}
# What is a number in JSON and Parquet; everything else is text, as it came.
NUMBERS = {
    "seconds": pa.float64(),
    "selection_probability": pa.float64(),
    "fit_id": pa.int64(),
    "retrieval_votes": pa.int64(),
    "task_votes": pa.int64(),
    "policy_adherence": pa.float64(),
    "p_retrieval": pa.float64(),
    "p_task": pa.float64(),
    "p_policy_adherence": pa.float64(),
}


def stream(database: Database, wish: Wish) -> Iterator[bytes]:
    """The bytes of a file; memory does not grow with its rows.

    Raises:
        StoreError: there is no such study.
    """
    believe = _believe(database, wish.study) if wish.kind == Kind.ITEMS else None
    with reading(database) as session:
        study = studies.get_study(session, wish.study)
        if believe is None:
            columns = (*export.LABEL_COLUMNS, *([export.STATUS] if wish.every else []))
            rows = export.label_rows(session, study, wish.every)
        else:
            columns = export.item_columns(study)
            rows = export.item_rows(session, study, wish.chosen, believe)
        computed = NUMBERS.keys() - set(study.columns)
        schema = pa.schema(
            [(name, NUMBERS[name] if name in computed else pa.string()) for name in columns]
        )
        batches = (batch.cast(schema) for batch in row_batches(rows, schema))
        yield from write_rows(batches, schema, wish.file_format, wish.is_spreadsheet_safe)


def file_name(wish: Wish) -> str:
    """A name for the file, of characters that every system accepts."""
    plain = "".join(letter if letter.isalnum() else "-" for letter in wish.study).strip("-")
    return f"{plain or 'study'}-{wish.kind}.{wish.file_format}"


def count_rows(database: Database, wish: Wish) -> int:
    """How many rows the file of a wish has."""
    with reading(database) as session:
        study = studies.get_study(session, wish.study)
        if wish.kind == Kind.ITEMS:
            return export.count_items(session, study, wish.chosen)
        return sum(1 for _ in export.label_rows(session, study, wish.every))


def _believe(database: Database, name: str) -> Believe:
    """What the exact posterior of the counts at this moment says of each pattern."""
    due = fitting.read_due(database, name)
    found: dict[Pattern, Belief] = {}
    for fit in fitting.fit_systems(due.tables, due.settings, Engine.EXACT):
        for row in item_beliefs(fit.posterior.rates, due.settings.policy):
            pattern = _pattern(fit.system, row)
            found[pattern] = _belief(pattern, row)
    nothing = Belief()
    return lambda pattern: found.get(pattern, nothing)


def _pattern(system: str, row: ItemBelief) -> Pattern:
    observed = (row.abstained, row.retrieval_label, row.task_label)
    return Pattern(system, *map(_known, observed))


def _belief(pattern: Pattern, row: ItemBelief) -> Belief:
    """Probabilities for what is open; adherence itself where it is settled."""
    worth = _shown(row.policy_adherence)
    return Belief(
        policy_adherence=worth if row.is_settled else None,
        p_retrieval=_shown(row.retrieval) if pattern.retrieval is None else None,
        p_task=_shown(row.task) if pattern.task is None else None,
        p_policy_adherence=None if row.is_settled else worth,
    )


def _known(state: int) -> int | None:
    return None if state == UNOBSERVED else state


def _shown(value: float) -> float | None:
    return None if math.isnan(value) else round(value, DIGITS)
