"""Rows out: labels and items of a study, streamed, so that memory does not grow with rows.

One consistent snapshot; the fields are the contract of the label and item files.
"""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, case, func, or_, select
from sqlalchemy.orm import Session

from db.formats.overrides import BY_PERSON, SOURCE, USED
from db.studies import Study
from db.tables import Answer, Context, EventKind, Item, LabelEvent, Person, System, Value
from db.votes import counting, holds

BATCH = 2_000
LABEL_COLUMNS = (
    "study",
    "item_id",
    "query_id",
    "context_id",
    "system",
    "label_type",
    "value",
    "annotator",
    "labelled_at",
    "seconds",
    "reason_asked",
    "selection_probability",
    "fit_id",
    "note",
)
STATUS = "status"  # beside them when every event is exported
_KEY_COLUMNS = ("item_id", "system", "query", "query_id", "context_id")
COMPUTED_COLUMNS = (
    USED,
    SOURCE,
    "retrieval_label",
    "task_label",
    "retrieval_votes",
    "task_votes",
    "policy_adherence",
    "p_retrieval",
    "p_task",
    "p_policy_adherence",
)
Cell = str | None


class Labelled(StrEnum):
    """Which items by their labels."""

    ALL = "all"
    SOME = "labelled"
    NONE = "unlabelled"


class Filter(NamedTuple):
    """Which rows to export; the same on screen and in the file."""

    system: str | None = None
    labelled: Labelled = Labelled.ALL


class Pattern(NamedTuple):
    """What is known of an item: 0, 1 or None each."""

    system: str
    abstained: int | None
    retrieval: int | None
    task: int | None


class Belief(NamedTuple):
    """What follows from a pattern: adherence where it is settled, probabilities where not."""

    policy_adherence: float | None = None
    p_retrieval: float | None = None
    p_task: float | None = None
    p_policy_adherence: float | None = None


Believe = Callable[[Pattern], Belief]


def label_rows(session: Session, study: Study, every: bool) -> Iterator[tuple[Cell, ...]]:
    """The labels that count, in the order they were given; `every`: all events, with a status."""
    query = _label_query(study)
    if not every:
        query = query.where(counting())
    for row in session.execute(query, execution_options={"yield_per": BATCH}):
        cells = (study.name, *(_text(value) for value in row[:-1]))
        yield (*cells, row[-1]) if every else cells


def item_columns(study: Study) -> tuple[str, ...]:
    """The columns of the item file: what was imported, then what is computed."""
    kept = [name for name in study.columns if name not in _KEY_COLUMNS]
    # A metadata column that bears the name of a computed one keeps its place among the imported.
    computed = [name for name in COMPUTED_COLUMNS if name not in kept]
    return (*_KEY_COLUMNS, *kept, *computed)


def item_rows(
    session: Session, study: Study, chosen: Filter, believe: Believe
) -> Iterator[tuple[Cell, ...]]:
    """The items in study order, with the columns of `item_columns`."""
    columns = item_columns(study)
    query = _item_query(study, chosen)
    for row in session.execute(query, execution_options={"yield_per": BATCH}):
        cells = _item_cells(row, believe)
        yield tuple(cells.get(name) for name in columns)


def count_items(session: Session, study: Study, chosen: Filter) -> int:
    """How many rows `item_rows` yields."""
    query = _item_query(study, chosen).with_only_columns(func.count(Item.id)).order_by(None)
    return session.scalar(query) or 0


def _label_query(study: Study) -> Any:
    status = case(
        (~holds(), "undone"),
        (Answer.event_id.is_(None), "superseded"),
        (Answer.value == Value.SKIP, "skipped"),
        (Answer.is_extra.is_(True), "extra"),
        else_="current",
    )
    return (
        select(
            Item.item_key,
            Context.query_key,
            Context.context_key,
            System.name,
            LabelEvent.label_type,
            LabelEvent.value,
            Person.name,
            LabelEvent.created_at,
            LabelEvent.seconds,
            LabelEvent.reason_asked,
            LabelEvent.selection_probability,
            LabelEvent.fit_id,
            LabelEvent.note,
            status,
        )
        .join(Item, Item.id == LabelEvent.item_id)
        .join(Context, Context.id == LabelEvent.context_id)
        .join(System, System.id == Item.system_id)
        .join(Person, Person.id == LabelEvent.person_id)
        .outerjoin(Answer, Answer.event_id == LabelEvent.id)
        .where(LabelEvent.study_id == study.id, LabelEvent.kind == EventKind.LABEL)
        .order_by(LabelEvent.id)
    )


# Columns and not rows of the mapper: an object a row would take more time than all the rest.
_ITEM_FIELDS = (
    Item.item_key,
    Item.answer,
    Item.reference,
    Item.cells,
    Item.abstained,
    Item.abstained_override,
    Item.abstained_column,
    Item.abstained_rules,
    Item.task,
    Item.task_votes,
)
_CONTEXT_FIELDS = (
    Context.query,
    Context.query_key,
    Context.context_key,
    Context.contexts,
    Context.retrieval,
    Context.retrieval_votes,
)


def _item_query(study: Study, chosen: Filter) -> Any:
    query = (
        select(*_ITEM_FIELDS, *_CONTEXT_FIELDS, System.name.label("system"))
        .join(Context, Context.id == Item.context_id)
        .join(System, System.id == Item.system_id)
        .where(Item.study_id == study.id)
        .order_by(Item.position)
    )
    if chosen.system is not None:
        query = query.where(System.name == chosen.system)
    condition = _labelled(chosen.labelled)
    return query if condition is None else query.where(condition)


def _labelled(labelled: Labelled) -> ColumnElement[bool] | None:
    has_any = or_(Context.retrieval_votes > 0, Item.task_votes > 0)
    choices = {Labelled.ALL: None, Labelled.SOME: has_any, Labelled.NONE: ~has_any}
    return choices[labelled]


def _item_cells(row: Any, believe: Believe) -> dict[str, Cell]:
    # The task of a refusal is undefined, whatever was said before it was found to be one.
    task = None if row.abstained == 1 else row.task
    belief = believe(Pattern(row.system, row.abstained, row.retrieval, task))
    return {
        **row.cells,
        "item_id": row.item_key,
        "system": row.system,
        "query": row.query,
        "query_id": row.query_key,
        "context_id": row.context_key,
        "contexts": row.contexts,
        "answer": row.answer,
        "reference": row.reference,
        USED: _text(row.abstained),
        SOURCE: _source(row),
        "retrieval_label": _text(row.retrieval),
        "task_label": _text(task),
        "retrieval_votes": _text(row.retrieval_votes),
        "task_votes": _text(row.task_votes),
        "policy_adherence": _text(belief.policy_adherence),
        "p_retrieval": _text(belief.p_retrieval),
        "p_task": _text(belief.p_task),
        "p_policy_adherence": _text(belief.p_policy_adherence),
    }


def _source(row: Any) -> Cell:
    """Where the abstention of an item comes from."""
    if row.abstained_override is not None:
        return BY_PERSON
    if row.abstained_column is not None:
        return "column"
    return None if row.abstained_rules is None else "rules"


def _text(value: Any) -> Cell:
    if value is None:
        return None
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else repr(value)
    return str(value)
