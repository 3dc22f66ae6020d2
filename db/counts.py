"""The count table of a study: how many items of each system show each pattern of (A, R, T).

One grouped query; no item-sized data leaves the database.
"""

import pandas as pd
from sqlalchemy import case, func, select
from sqlalchemy.orm import Session

from db.tables import Context, Item, System

COLUMNS = ("system", "abstained", "retrieval", "task", "count")


def count_patterns(session: Session, study_id: int) -> pd.DataFrame:
    """Rows of system, abstained, retrieval, task (0, 1 or missing, Int8) and count (int)."""
    # The task of a refusal is undefined: a label from before the answer was found to be one.
    task = case((Item.abstained == 1, None), else_=Item.task)
    pattern = (Item.abstained, Context.retrieval, task)
    rows = session.execute(
        select(Item.system_id, *pattern, func.count())
        .join(Context, Context.id == Item.context_id)
        .where(Item.study_id == study_id)
        .group_by(Item.system_id, *pattern)
    )
    names = _system_names(session, study_id)
    frame = pd.DataFrame(
        [(names[system_id], *rest) for system_id, *rest in rows], columns=list(COLUMNS)
    )
    types = {"abstained": "Int8", "retrieval": "Int8", "task": "Int8", "count": "int64"}
    return frame.astype(types).sort_values(list(COLUMNS[:4]), ignore_index=True)


def _system_names(session: Session, study_id: int) -> dict[int, str]:
    rows = session.execute(select(System.id, System.name).where(System.study_id == study_id))
    return {system_id: name for system_id, name in rows}  # noqa: C416  (typed rows)
