"""Studies and their settings; what the lead chooses and every later step reads."""

from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from db import tables
from db.budgets import Budgets
from db.errors import StoreError
from db.names import checked_name
from db.tables import Asks, StudyState

MAX_NAME = 120


class StudySettings(NamedTuple):
    """What a lead may change at any time."""

    description: str = ""
    guidelines: str = ""
    asks: Asks = Asks.BOTH
    policy: dict[str, Any] = {}  # noqa: RUF012  (never changed in place)
    prior: dict[str, Any] = {}  # noqa: RUF012
    interval: float = 0.95
    shows_metadata: bool = False
    asks_in_row: bool = False
    gold_share: float = 0.0
    practices_first: bool = False
    wants_evidence: bool = False
    models_annotators: bool = False


class Study(NamedTuple):
    """A study as stored.

    `columns` are the columns of its imported files in order; `revision` grows with every change
    to its counts; `rules_version` is the version of its abstention rules in force, and
    `guideline_version` that of its guidelines, 0 before there are any.
    """

    id: int
    name: str
    created_at: datetime
    settings: StudySettings
    votes_wanted: int
    columns: tuple[str, ...]
    rules_version: int
    revision: int
    state: StudyState
    budgets: Budgets
    guideline_version: int


class StudySize(NamedTuple):
    """How large a study is."""

    name: str
    description: str
    created_at: datetime
    systems: int
    items: int


def create_study(session: Session, name: str, settings: StudySettings, now: datetime) -> Study:
    """A new study.

    Raises:
        StoreError: the name is empty, too long, or taken.
    """
    clean = checked_name("The study name", name, MAX_NAME)
    if find_study(session, clean) is not None:
        raise StoreError(f"A study named {clean!r} exists already. Choose another name.")
    row = tables.Study(name=clean, created_at=now, **settings._asdict())
    session.add(row)
    session.flush()
    return _study(row)


def get_study(session: Session, name: str) -> Study:
    """The study of this name.

    Raises:
        StoreError: there is none; the message lists those there are.
    """
    study = find_study(session, name)
    if study is None:
        names = session.scalars(select(tables.Study.name).order_by(tables.Study.name).limit(10))
        there = ", ".join(repr(known) for known in names) or "none yet"
        raise StoreError(f"There is no study {name!r}; studies here: {there}.")
    return study


def find_study(session: Session, name: str) -> Study | None:
    """The study of this name, or None."""
    row = session.scalar(select(tables.Study).where(tables.Study.name == name))
    return None if row is None else _study(row)


def list_studies(session: Session) -> list[StudySize]:
    """All studies with their size, newest last."""
    items = _count_by_study(tables.Item)
    systems = _count_by_study(tables.System)
    rows = session.execute(
        select(
            tables.Study.name,
            tables.Study.description,
            tables.Study.created_at,
            func.coalesce(systems.c.rows, 0),
            func.coalesce(items.c.rows, 0),
        )
        .outerjoin(items, items.c.study_id == tables.Study.id)
        .outerjoin(systems, systems.c.study_id == tables.Study.id)
        .order_by(tables.Study.id)
    )
    return [StudySize(*row) for row in rows]


def list_systems(session: Session, study_id: int) -> list[str]:
    """The systems of a study, by name."""
    query = select(tables.System.name).where(tables.System.study_id == study_id)
    return list(session.scalars(query.order_by(tables.System.name)))


def list_revisions(session: Session) -> list[tuple[str, int]]:
    """(name, revision) of every study: what a worker polls."""
    rows = session.execute(
        select(tables.Study.name, tables.Study.revision).order_by(tables.Study.id)
    )
    return [(name, revision) for name, revision in rows]


def change_settings(session: Session, study_id: int, settings: StudySettings) -> None:
    """Replace the settings; the posterior is due again, since policy and prior may differ."""
    session.execute(
        update(tables.Study).where(tables.Study.id == study_id).values(**settings._asdict())
    )
    touch(session, study_id)


def change_state(session: Session, study_id: int, state: StudyState) -> None:
    """Open, pause or close a study, or make it a draft again."""
    session.execute(update(tables.Study).where(tables.Study.id == study_id).values(state=state))


def change_votes_wanted(session: Session, study_id: int, votes: int) -> None:
    """Set how many answers a question needs."""
    row = update(tables.Study).where(tables.Study.id == study_id)
    session.execute(row.values(votes_wanted=votes))
    touch(session, study_id)


def votes_wanted(session: Session, study_id: int) -> int:
    """How many answers a question needs."""
    wanted = select(tables.Study.votes_wanted).where(tables.Study.id == study_id)
    return session.scalars(wanted).one()


def touch(session: Session, study_id: int) -> None:
    """Say that the counts changed."""
    session.execute(
        update(tables.Study)
        .where(tables.Study.id == study_id)
        .values(revision=tables.Study.revision + 1)
    )


def set_columns(session: Session, study_id: int, columns: tuple[str, ...]) -> None:
    """Remember the columns of the imported files, for the export."""
    session.execute(
        update(tables.Study).where(tables.Study.id == study_id).values(columns=list(columns))
    )


def _count_by_study(table: type[tables.Item] | type[tables.System]) -> Any:
    return select(table.study_id, func.count().label("rows")).group_by(table.study_id).subquery()


def _study(row: tables.Study) -> Study:
    settings = StudySettings(
        row.description,
        row.guidelines,
        Asks(row.asks),
        row.policy,
        row.prior,
        row.interval,
        row.shows_metadata,
        row.asks_in_row,
        row.gold_share,
        row.practices_first,
        row.wants_evidence,
        row.models_annotators,
    )
    return Study(
        id=row.id,
        name=row.name,
        created_at=row.created_at,
        settings=settings,
        votes_wanted=row.votes_wanted,
        columns=tuple(row.columns),
        rules_version=row.rules_version,
        revision=row.revision,
        state=StudyState(row.state),
        budgets=Budgets(row.retrieval_budget, row.task_budget, row.label_budget),
        guideline_version=row.guideline_version,
    )
