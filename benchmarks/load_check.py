"""Is what people were told the same as what is in the database? Counts every difference."""

from typing import NamedTuple

from sqlalchemy import text

from workflow import database

EVENTS = """
    SELECT e.lease_id, c.query, e.value FROM label_event e JOIN context c ON c.id = e.context_id
    WHERE e.lease_id IS NOT NULL AND e.kind = 'label'
"""
TOO_MANY = """
    SELECT count(*) FROM (
        SELECT 1 FROM answer a JOIN study s ON s.id = a.study_id
        WHERE a.value <> 'skip' AND NOT a.is_extra
        GROUP BY a.label_type, a.context_id,
            CASE WHEN a.label_type = 'task' THEN a.item_id ELSE 0 END, s.votes_wanted
        HAVING count(*) > s.votes_wanted) AS over
"""
ERRORS = ("database is locked", "OperationalError", "Traceback", "deadlock")


class Pressed(NamedTuple):
    """A press: the lease and the question's number on screen, and what came of it."""

    lease_id: int
    shown: int
    value: str
    is_saved: bool
    seconds: float


class Verdict(NamedTuple):
    """How many labels are not as they were told."""

    saved: int
    lost: int
    doubled: int
    altered: int
    blind: int
    too_many: int
    errors: int

    @property
    def is_right(self) -> bool:
        """Whether nothing at all is wrong."""
        return sum(self) == self.saved


def check(url: str, pressed: list[Pressed], log: str) -> Verdict:
    """Compare the presses with the log of labels, and the server's log with silence."""
    engine = database.connect(url)
    with engine.connect() as connection:
        rows = connection.execute(text(EVENTS)).all()
        too_many = connection.scalar(text(TOO_MANY)) or 0
    engine.dispose()
    stored = {int(lease): (str(query), str(value)) for lease, query, value in rows}
    saved = [one for one in pressed if one.is_saved]
    found = [(one, stored[one.lease_id]) for one in pressed if one.lease_id in stored]
    return Verdict(
        saved=len(saved),
        lost=sum(one.lease_id not in stored for one in saved),
        doubled=len(rows) - len(stored),
        altered=sum(value != one.value for one, (_, value) in found),
        blind=sum(query != f"Question number {one.shown}?" for one, (query, _) in found),
        too_many=too_many,
        errors=len(pressed) - len(saved) + sum(log.count(word) for word in ERRORS),
    )
