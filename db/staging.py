"""Rows of a file on their way in: temporary tables that only this connection sees.

Filling them takes no lock on the study's data, so an import of any size blocks nobody until its
last step, a handful of set statements in one transaction.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import (
    JSON,
    BigInteger,
    Column,
    Connection,
    Engine,
    Float,
    Index,
    Integer,
    MetaData,
    SmallInteger,
    Table,
    Text,
    insert,
)

from db.engine import READ_ONLY, update_statistics
from db.tables import UtcDateTime

_METADATA = MetaData()

STAGED_ITEM = Table(
    "staged_item",
    _METADATA,
    Column("row_number", Integer, primary_key=True, autoincrement=False),
    Column("item_key", Text),
    Column("system", Text),
    Column("query_key", Text),
    Column("context_key", Text),
    Column("query", Text),
    Column("contexts", Text),
    Column("answer", Text),
    Column("reference", Text),
    Column("cells", JSON),
    Column("content_hash", Text),
    Column("abstained_column", SmallInteger),
    Column("abstained_rules", SmallInteger),
    Column("abstained_override", SmallInteger),
    # Filled by the merge.
    Column("item_id", BigInteger),
    Column("context_id", BigInteger),
    Column("is_changed", SmallInteger),
    prefixes=["TEMPORARY"],
)

STAGED_LABEL = Table(
    "staged_label",
    _METADATA,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("row_number", Integer),
    Column("item_key", Text),
    Column("label_type", Text),
    Column("value", Text),
    Column("person", Text),
    Column("note", Text),
    Column("seconds", Float),
    Column("reason_asked", Text),
    Column("selection_probability", Float),
    Column("created_at", UtcDateTime),
    # Filled by the merge.
    Column("item_id", BigInteger),
    Column("context_id", BigInteger),
    Column("person_id", BigInteger),
    Column("event_id", BigInteger),
    Column("is_named", SmallInteger),
    Column("fate", Text),
    prefixes=["TEMPORARY"],
)

_INDEXES = (
    Index("ix_staged_item_key", STAGED_ITEM.c.item_key),
    Index("ix_staged_item_context", STAGED_ITEM.c.query_key, STAGED_ITEM.c.context_key),
    Index("ix_staged_label_key", STAGED_LABEL.c.item_key),
)


class ItemToStage(NamedTuple):
    """An item of a file, checked; `contexts` is the cell as it came."""

    row_number: int
    item_key: str
    system: str
    query_key: str
    context_key: str
    query: str
    contexts: str | None
    answer: str | None
    reference: str | None
    cells: dict[str, Any]
    content_hash: str
    abstained_column: int | None
    abstained_rules: int | None
    abstained_override: int | None


class LabelToStage(NamedTuple):
    """A label of a file, checked; `is_named` is 0 when the file does not say whose it is."""

    id: int
    row_number: int
    item_key: str
    label_type: str
    value: str
    person: str
    is_named: int
    created_at: datetime
    note: str | None = None
    seconds: float | None = None
    reason_asked: str | None = None
    selection_probability: float | None = None


@contextmanager
def staging(engine: Engine) -> Iterator[Connection]:
    """A connection with empty staging tables; they are gone when it is closed."""
    with engine.connect() as connection:
        connection.execution_options(**{READ_ONLY: True})
        _METADATA.drop_all(connection)
        for table in _METADATA.sorted_tables:
            table.create(connection)
        connection.commit()
        try:
            yield connection
        finally:
            connection.rollback()
            for table in _METADATA.sorted_tables:
                table.drop(connection)
            connection.commit()


def stage(
    connection: Connection, items: Sequence[ItemToStage], labels: Sequence[LabelToStage]
) -> None:
    """Put checked rows into the staging tables, without a lock on anything else."""
    if items:
        connection.execute(insert(STAGED_ITEM), [item._asdict() for item in items])
    if labels:
        connection.execute(insert(STAGED_LABEL), [label._asdict() for label in labels])
    connection.commit()


@contextmanager
def merging(connection: Connection) -> Iterator[Connection]:
    """The one write transaction that brings staged rows in; all of them or none."""
    connection.execution_options(**{READ_ONLY: False})
    try:
        with connection.begin():
            yield connection
        update_statistics(connection)
        connection.commit()
    finally:
        connection.execution_options(**{READ_ONLY: True})
