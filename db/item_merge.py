"""Bringing staged items into a study: what is new, what is there, what would change.

Set statements only, so the lock is held for as long as the database needs and no row travels
through Python. `inspect_items` writes nothing but staging tables; `merge_items` follows it, and
`log_overrides` that. A person's word on abstention that differs from the one there is a change.
"""

from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import (
    ColumnElement,
    Connection,
    and_,
    exists,
    func,
    insert,
    literal,
    or_,
    select,
    update,
)
from sqlalchemy.orm import aliased

from db.errors import StoreError
from db.staging import STAGED_ITEM
from db.tables import AbstentionOverride, Context, Item, System

LISTED = 20
_S = STAGED_ITEM.c


class ItemFindings(NamedTuple):
    """What staged items are to a study; `changed` lists the first ids whose texts differ."""

    new: int
    unchanged: int
    num_changed: int
    changed: tuple[str, ...]


def inspect_items(connection: Connection, study_id: int) -> ItemFindings:
    """Compare staged items with the study.

    Raises:
        StoreError: two rows have one id, or share a context but not its text.
    """
    _refuse_repeated_ids(connection)
    _refuse_unequal_contexts(connection)
    _find_items(connection, study_id)
    _find_contexts(connection, study_id)
    _mark_changed(connection)
    total, found, num_changed = connection.execute(
        select(func.count(), func.count(_S.item_id), func.count(_S.is_changed))
    ).one()
    changed = connection.scalars(
        select(_S.item_key).where(_S.is_changed == 1).order_by(_S.row_number).limit(LISTED)
    ).all()
    new_changed = connection.scalar(
        select(func.count()).where(_S.is_changed == 1, _S.item_id.is_(None))
    )
    unchanged = found - (num_changed - (new_changed or 0))
    return ItemFindings(total - found, unchanged, num_changed, tuple(changed))


def merge_items(connection: Connection, study_id: int, replaces: bool) -> None:
    """Insert the new items with their systems and contexts; replace changed ones if wished."""
    _add_systems(connection, study_id)
    _add_contexts(connection, study_id)
    _find_contexts(connection, study_id)
    if replaces:
        _replace_contexts(connection)
        _replace_items(connection, study_id)
    _add_items(connection, study_id)


def log_overrides(connection: Connection, person_id: int, now: datetime) -> None:
    """Add the words on abstention that came with the rows to the log, but for those in it."""
    word, later = aliased(AbstentionOverride), aliased(AbstentionOverride)
    is_known = exists().where(
        word.item_id == _S.item_id,
        word.value == _S.abstained_override,
        ~exists().where(later.item_id == word.item_id, later.id > word.id),
    )
    rows = (
        select(
            _S.item_id,
            literal(person_id),
            _S.abstained_override,
            literal(now, AbstentionOverride.created_at.type),
        )
        .where(_S.abstained_override.is_not(None), ~is_known)
        .order_by(_S.row_number)
    )
    names = ["item_id", "person_id", "value", "created_at"]
    connection.execute(insert(AbstentionOverride).from_select(names, rows))


def _refuse_repeated_ids(connection: Connection) -> None:
    row = connection.execute(
        select(_S.item_key, func.min(_S.row_number), func.max(_S.row_number))
        .group_by(_S.item_key)
        .having(func.count() > 1)
        .order_by(func.min(_S.row_number))
        .limit(1)
    ).first()
    if row is not None:
        raise StoreError(
            f"Rows {row[1]} and {row[2]} both have the item_id {row[0]!r}; ids are unique within a"
            " study. Correct one of them, or leave the column out to have ids made."
        )


def _refuse_unequal_contexts(connection: Connection) -> None:
    texts = func.count(func.distinct(func.coalesce(_S.contexts, "")))
    queries = func.count(func.distinct(_S.query))
    row = connection.execute(
        select(_S.context_key, func.min(_S.row_number), func.max(_S.row_number), queries)
        .group_by(_S.query_key, _S.context_key)
        .having(or_(texts > 1, queries > 1))
        .order_by(func.min(_S.row_number))
        .limit(1)
    ).first()
    if row is not None:
        what = "query" if row[3] > 1 else "contexts"
        raise StoreError(
            f"Rows {row[1]} to {row[2]} share the context_id {row[0]!r}, but not the same {what};"
            " rows that share it share the retrieval label. Give different contexts different"
            " context_ids."
        )


def _find_items(connection: Connection, study_id: int) -> None:
    connection.execute(
        update(STAGED_ITEM).values(
            item_id=select(Item.id)
            .where(Item.study_id == study_id, Item.item_key == _S.item_key)
            .scalar_subquery(),
            is_changed=None,
        )
    )


def _find_contexts(connection: Connection, study_id: int) -> None:
    connection.execute(
        update(STAGED_ITEM).values(
            context_id=select(Context.id)
            .where(
                Context.study_id == study_id,
                Context.query_key == _S.query_key,
                Context.context_key == _S.context_key,
            )
            .scalar_subquery()
        )
    )


def _mark_changed(connection: Connection) -> None:
    other_row = exists().where(Item.id == _S.item_id, Item.content_hash != _S.content_hash)
    other_context = exists().where(Context.id == _S.context_id, _context_differs())
    other_word = exists().where(
        Item.id == _S.item_id,
        func.coalesce(Item.abstained_override, -1) != _S.abstained_override,
    )
    is_other = or_(other_row, other_context, other_word)
    connection.execute(update(STAGED_ITEM).where(is_other).values(is_changed=1))


def _context_differs() -> ColumnElement[bool]:
    stored, staged = func.coalesce(Context.contexts, ""), func.coalesce(_S.contexts, "")
    return or_(Context.query != _S.query, stored != staged)


def _add_systems(connection: Connection, study_id: int) -> None:
    known = exists().where(System.study_id == study_id, System.name == _S.system)
    names = (
        select(literal(study_id), _S.system)
        .where(~known)
        .group_by(_S.system)
        .order_by(func.min(_S.row_number))
    )
    connection.execute(insert(System).from_select(["study_id", "name"], names))


def _add_contexts(connection: Connection, study_id: int) -> None:
    first_rows = (
        select(func.min(_S.row_number))
        .where(_S.context_id.is_(None))
        .group_by(_S.query_key, _S.context_key)
    )
    rows = (
        select(literal(study_id), _S.query_key, _S.context_key, _S.query, _S.contexts, literal(0))
        .where(_S.row_number.in_(first_rows))
        .order_by(_S.row_number)
    )
    names = ["study_id", "query_key", "context_key", "query", "contexts", "retrieval_votes"]
    connection.execute(insert(Context).from_select(names, rows))


def _add_items(connection: Connection, study_id: int) -> None:
    start = connection.scalar(
        select(func.coalesce(func.max(Item.position), 0)).where(Item.study_id == study_id)
    )
    abstained = func.coalesce(_S.abstained_override, _S.abstained_column, _S.abstained_rules)
    rows = (
        select(
            literal(study_id),
            System.id,
            _S.context_id,
            _S.row_number + (start or 0),
            abstained,
            literal(0),
            *(_S[name] for name in _ITEM_COLUMNS),
        )
        .join(System, and_(System.study_id == study_id, System.name == _S.system))
        .where(_S.item_id.is_(None))
        .order_by(_S.row_number)
    )
    names = ["study_id", "system_id", "context_id", "position", "abstained", "task_votes"]
    connection.execute(insert(Item).from_select([*names, *_ITEM_COLUMNS], rows))
    _find_items(connection, study_id)


_ITEM_COLUMNS = (
    "item_key",
    "answer",
    "reference",
    "cells",
    "content_hash",
    "abstained_column",
    "abstained_rules",
    "abstained_override",
)


def _replace_contexts(connection: Connection) -> None:
    connection.execute(
        update(Context)
        .where(Context.id == _S.context_id, _S.is_changed == 1, _context_differs())
        .values(query=_S.query, contexts=_S.contexts)
    )


def _replace_items(connection: Connection, study_id: int) -> None:
    values: dict[str, Any] = {name: _S[name] for name in _ITEM_COLUMNS if name != "item_key"}
    override = func.coalesce(_S.abstained_override, Item.abstained_override)
    values["abstained_override"] = override
    values["abstained"] = func.coalesce(override, _S.abstained_column, _S.abstained_rules)
    values["context_id"] = _S.context_id
    values["system_id"] = System.id
    connection.execute(
        update(Item)
        .where(
            Item.id == _S.item_id,
            _S.is_changed == 1,
            System.study_id == study_id,
            System.name == _S.system,
        )
        .values(values)
    )
