"""Items of one state: those of a system that show one pattern of A, R and T."""

from typing import NamedTuple

from sqlalchemy import case, select
from sqlalchemy.orm import Session

from db.tables import Context, Item, System


class Pattern(NamedTuple):
    """A, R and T as the counts see them; None is unobserved."""

    abstained: int | None
    retrieval: int | None
    task: int | None


def find_item_in_state(
    session: Session, study_id: int, system: str, pattern: Pattern, number: int
) -> str | None:
    """The item_id of the item with this number (from 0, in study order) in a state, if any."""
    task = case((Item.abstained == 1, None), else_=Item.task)
    seen = (Item.abstained, Context.retrieval, task)
    wanted = zip(seen, pattern, strict=True)
    conditions = [
        column.is_(None) if value is None else column == value for column, value in wanted
    ]
    return session.scalar(
        select(Item.item_key)
        .join(Context, Context.id == Item.context_id)
        .join(System, System.id == Item.system_id)
        .where(Item.study_id == study_id, System.name == system, *conditions)
        .order_by(Item.position)
        .offset(number)
        .limit(1)
    )
