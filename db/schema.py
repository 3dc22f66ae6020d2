"""What all tables share: names of constraints, moments in UTC, closed sets of values."""

from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import JSON, BigInteger, DateTime, Dialect, Float, Integer, MetaData, Text
from sqlalchemy.orm import DeclarativeBase
from sqlalchemy.types import TypeDecorator

# Alembic's batch mode on SQLite can only alter constraints that have names.
NAMING = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s",
    "pk": "pk_%(table_name)s",
}

# SQLite only counts rows by itself for INTEGER, PostgreSQL needs 64 bits for a million answers.
RowId = BigInteger().with_variant(Integer, "sqlite")


class UtcDateTime(TypeDecorator[datetime]):
    """A moment, always aware and in UTC, on both databases."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Refuse a naive moment: it would mean another time on another machine."""
        if value is not None and value.tzinfo is None:
            raise ValueError(f"a moment without time zone: {value!r}")
        return None if value is None else value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """SQLite gives the moment back without its zone."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class LabelType(StrEnum):
    """What is asked about an answer."""

    RETRIEVAL = "retrieval"
    TASK = "task"


class Value(StrEnum):
    """What a person said; a skip is personal and counts nowhere."""

    NO = "0"
    YES = "1"
    CANT_TELL = "cant_tell"
    SKIP = "skip"


class EventKind(StrEnum):
    """What happened to a label."""

    LABEL = "label"
    UNDO = "undo"
    # A lead's word on a question that people answered differently; it holds instead of them.
    DECISION = "decision"
    # Answers to questions whose answer is known: kept apart from all labels.
    CHECK = "check"
    PRACTICE = "practice"


# Events about questions whose answer is known: no label, no vote, no budget knows them.
APART = (EventKind.CHECK, EventKind.PRACTICE)


class Asks(StrEnum):
    """Which questions a study asks."""

    RETRIEVAL = "retrieval"
    TASK = "task"
    BOTH = "both"


class StudyState(StrEnum):
    """Whether a study hands out questions; one that is held may be answered in any but draft."""

    DRAFT = "draft"
    OPEN = "open"
    PAUSED = "paused"
    CLOSED = "closed"


class Role(StrEnum):
    """What a person may do; each may also do what those before it may."""

    ANNOTATOR = "annotator"
    LEAD = "lead"
    ADMIN = "admin"


class Base(DeclarativeBase):
    """The schema."""

    metadata = MetaData(naming_convention=NAMING)
    type_annotation_map = {  # noqa: RUF012  (SQLAlchemy reads it from the class)
        datetime: UtcDateTime,
        str: Text,
        float: Float,
        dict[str, Any]: JSON,
        list[str]: JSON,
        list[int]: JSON,
    }
