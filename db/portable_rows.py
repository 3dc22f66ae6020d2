"""Rows of all tables as plain values that SQLite and PostgreSQL both take, a stream a table.

JSON travels as the text that is stored, so that it arrives as it left; moments, truths and numbers
travel as Python's own. Tables come in an order in which no row points at one that is not there yet.
"""

from collections.abc import Iterator

from sqlalchemy import JSON, Column, MetaData, Select, Table, Text, cast, select

from db.tables import Base

# Who is signed in, who mistyped, and a sign of life: true of one running server only.
PASSING = ("login_session", "sign_in_failure", "worker")
BATCH_ROWS = 2_000


def kept_tables() -> Iterator[Table]:
    """The tables that a backup holds, those that others point at first."""
    return (table for table in Base.metadata.sorted_tables if table.name not in PASSING)


def plain_rows(table: Table) -> Select[tuple[object, ...]]:
    """All rows of a table, oldest first: an undo comes after what it undoes."""
    columns = [
        cast(column, Text).label(column.name) if isinstance(column.type, JSON) else column
        for column in table.columns
    ]
    return select(*columns).order_by(*table.primary_key.columns)


def plain_table(table: Table) -> Table:
    """The same table to write into, its JSON as text."""
    columns = (
        Column(column.name, Text if isinstance(column.type, JSON) else column.type)
        for column in table.columns
    )
    return Table(table.name, MetaData(), *columns)
