"""How many systems one retrieval label serves: contexts belong to queries, not to systems."""

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from db.tables import Item, System


def systems_per_context(session: Session, study_id: int, system: str) -> float:
    """The mean number of systems that share a context of this system; 1.0 when none are shared."""
    own = (
        select(Item.context_id)
        .join(System, System.id == Item.system_id)
        .where(Item.study_id == study_id, System.name == system)
        .distinct()
    )
    sharing = (
        select(func.count(Item.system_id.distinct()).label("systems"))
        .where(Item.study_id == study_id, Item.context_id.in_(own))
        .group_by(Item.context_id)
        .subquery()
    )
    return float(session.scalar(select(func.avg(sharing.c.systems))) or 1.0)
