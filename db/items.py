"""Items: what an annotator reads, and what is known about an answer's abstention.

`abstained` is resolved from three sources, the strongest first: a person's override, the column
of the imported file, the study's rules.
"""

from collections.abc import Iterator
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from db.errors import StoreError
from db.formats.passages import Passage, parse_passages
from db.tables import AbstentionOverride, AbstentionRuleSet, Context, Item, Study

BATCH = 5_000


class ItemText(NamedTuple):
    """What is read to label an item; `cells` holds the other columns of its row."""

    item_id: str
    query: str
    passages: tuple[Passage, ...]
    answer: str | None
    reference: str | None
    abstained: int | None
    cells: dict[str, Any]


class ItemRow(NamedTuple):
    """An item by its keys."""

    id: int
    context_id: int
    abstained: int | None


class AnswerRow(NamedTuple):
    """An answer to be scored by the rules; `abstained` is what they said last time."""

    id: int
    item_id: str
    answer: str | None
    abstained: int | None


def get_item(session: Session, study_id: int, item_key: str) -> ItemRow:
    """The item with this id.

    Raises:
        StoreError: there is none.
    """
    row = session.execute(
        select(Item.id, Item.context_id, Item.abstained).where(
            Item.study_id == study_id, Item.item_key == item_key
        )
    ).first()
    if row is None:
        raise StoreError(
            f"There is no item {item_key!r} in this study. Export its items to see their ids."
        )
    return ItemRow(*row)


def read_text(session: Session, item_id: int) -> ItemText:
    """What is read to label this item."""
    item, context = session.execute(
        select(Item, Context).join(Context, Context.id == Item.context_id).where(Item.id == item_id)
    ).one()
    return ItemText(
        item.item_key,
        context.query,
        parse_passages(context.contexts),
        item.answer,
        item.reference,
        item.abstained,
        item.cells,
    )


def override_abstention(
    session: Session, item_id: int, value: int | None, person_id: int, now: datetime
) -> None:
    """Record a person's word on an answer's abstention; None takes it back."""
    session.add(
        AbstentionOverride(item_id=item_id, person_id=person_id, value=value, created_at=now)
    )
    session.execute(
        update(Item)
        .where(Item.id == item_id)
        .values(abstained_override=value, abstained=_resolved(value))
    )


def read_rules(session: Session, study_id: int) -> tuple[int, dict[str, Any]]:
    """The version of the abstention rules in force, and the rules."""
    row = session.execute(
        select(AbstentionRuleSet.version, AbstentionRuleSet.rules)
        .join(Study, Study.id == AbstentionRuleSet.study_id)
        .where(Study.id == study_id, AbstentionRuleSet.version == Study.rules_version)
    ).one()
    return row[0], row[1]


def add_rules(session: Session, study_id: int, rules: dict[str, Any], now: datetime) -> int:
    """Store a new version of the rules and put it in force; returns the version."""
    newest = select(func.max(AbstentionRuleSet.version)).where(
        AbstentionRuleSet.study_id == study_id
    )
    version = (session.scalar(newest) or 0) + 1
    session.add(AbstentionRuleSet(study_id=study_id, version=version, rules=rules, created_at=now))
    session.execute(update(Study).where(Study.id == study_id).values(rules_version=version))
    return version


def read_answers(session: Session, study_id: int) -> Iterator[list[AnswerRow]]:
    """The answers of a study in batches, in study order."""
    last = 0
    while True:
        rows = session.execute(
            select(Item.id, Item.item_key, Item.answer, Item.abstained_rules)
            .where(Item.study_id == study_id, Item.id > last)
            .order_by(Item.id)
            .limit(BATCH)
        ).all()
        if not rows:
            return
        last = rows[-1][0]
        yield [AnswerRow(*row) for row in rows]


def set_rule_results(session: Session, results: dict[int, int | None]) -> None:
    """Store what the rules say of these items, and resolve their abstention."""
    session.execute(
        update(Item),
        [{"id": item_id, "abstained_rules": value} for item_id, value in results.items()],
    )
    ids = list(results)
    for start in range(0, len(ids), 500):
        session.execute(
            update(Item)
            .where(Item.id.in_(ids[start : start + 500]))
            .values(
                abstained=func.coalesce(
                    Item.abstained_override, Item.abstained_column, Item.abstained_rules
                )
            )
        )


def _resolved(override: int | None) -> Any:
    return func.coalesce(override, Item.abstained_column, Item.abstained_rules)
