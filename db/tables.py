"""Tables of studies, items and labels, each constraint with its reason. No queries here.

What people decided is only ever added (`label_event`, `abstention_override`, `audit`); what follows
from it (`answer`, the resolved columns of `context` and `item`) is kept beside it, written in the
same transaction, and can be recomputed from the log at any time. The tables of posteriors, plans
and jobs lie in `work_tables`, of guidelines, known answers and drafts in `desk_tables`, of accounts
in `team_tables`; the names of all are found here.
"""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, ForeignKey, Index, SmallInteger, UniqueConstraint, false, text
from sqlalchemy.orm import Mapped, mapped_column

from db.desk_tables import Draft as Draft
from db.desk_tables import Evidence as Evidence
from db.desk_tables import Guideline as Guideline
from db.desk_tables import KnownAnswer as KnownAnswer
from db.schema import APART as APART
from db.schema import Asks as Asks
from db.schema import Base as Base
from db.schema import EventKind as EventKind
from db.schema import LabelType as LabelType
from db.schema import Role as Role
from db.schema import RowId
from db.schema import StudyState as StudyState
from db.schema import UtcDateTime as UtcDateTime
from db.schema import Value as Value
from db.team_tables import Account as Account
from db.team_tables import Invitation as Invitation
from db.team_tables import LoginSession as LoginSession
from db.team_tables import SignInFailure as SignInFailure
from db.work_tables import Advice as Advice
from db.work_tables import Audit as Audit
from db.work_tables import Fit as Fit
from db.work_tables import Job as Job
from db.work_tables import Plan as Plan
from db.work_tables import Refresh as Refresh
from db.work_tables import Worker as Worker


class Study(Base):
    """One evaluation: its items, its question order, its policy and prior."""

    __tablename__ = "study"

    id: Mapped[int] = mapped_column(RowId, primary_key=True)
    name: Mapped[str] = mapped_column(unique=True)
    description: Mapped[str] = mapped_column(default="")
    guidelines: Mapped[str] = mapped_column(default="")
    guideline_version: Mapped[int] = mapped_column(default=0, server_default="0")
    created_at: Mapped[datetime]
    state: Mapped[str] = mapped_column(default=StudyState.OPEN, server_default="open")
    asks: Mapped[str] = mapped_column(default=Asks.BOTH)
    # Retrieval, then at once the task of the same item.
    asks_in_row: Mapped[bool] = mapped_column(default=False, server_default=false())
    votes_wanted: Mapped[int] = mapped_column(default=1)
    # Labels that may be given, of each kind and in all; None: no limit.
    retrieval_budget: Mapped[int | None]
    task_budget: Mapped[int | None]
    label_budget: Mapped[int | None]
    # Share of questions that are hidden checks, and whether practice comes first.
    gold_share: Mapped[float] = mapped_column(default=0.0, server_default="0")
    practices_first: Mapped[bool] = mapped_column(default=False, server_default=false())
    wants_evidence: Mapped[bool] = mapped_column(default=False, server_default=false())
    # Votes enter the model with each annotator's error rates, not as the truth.
    models_annotators: Mapped[bool] = mapped_column(default=False, server_default=false())
    policy: Mapped[dict[str, Any]] = mapped_column(JSON)
    prior: Mapped[dict[str, Any]] = mapped_column(JSON)
    interval: Mapped[float] = mapped_column(default=0.95)
    shows_metadata: Mapped[bool] = mapped_column(default=False)
    columns: Mapped[list[str]] = mapped_column(JSON, default=list)
    rules_version: Mapped[int] = mapped_column(default=1)
    # Grows with every change to the counts; the worker compares it with its last fit.
    revision: Mapped[int] = mapped_column(default=0)


class System(Base):
    """A RAG configuration under evaluation."""

    __tablename__ = "system"
    __table_args__ = (UniqueConstraint("study_id", "name"),)  # its name is its key in files

    id: Mapped[int] = mapped_column(RowId, primary_key=True)
    study_id: Mapped[int] = mapped_column(ForeignKey("study.id"))
    name: Mapped[str]


class Person(Base):
    """Somebody who labels or leads; also the author of imported labels."""

    __tablename__ = "person"

    id: Mapped[int] = mapped_column(RowId, primary_key=True)
    name: Mapped[str] = mapped_column(unique=True)
    created_at: Mapped[datetime]


class Context(Base):
    """A query with what was retrieved for it; retrieval labels belong here, not to a system."""

    __tablename__ = "context"
    # Rows of a file that name the same query and context share one retrieval label.
    __table_args__ = (
        UniqueConstraint("study_id", "query_key", "context_key"),
        # How far a study is, counted at every click.
        Index("ix_context_progress", "study_id", "retrieval_votes", "retrieval_decided"),
    )

    id: Mapped[int] = mapped_column(RowId, primary_key=True)
    study_id: Mapped[int] = mapped_column(ForeignKey("study.id"))
    query_key: Mapped[str]
    context_key: Mapped[str]
    query: Mapped[str]
    contexts: Mapped[str | None]
    # From `answer`: how many count, and their majority of 0/1 (None when none or tied).
    retrieval: Mapped[int | None] = mapped_column(SmallInteger)
    retrieval_votes: Mapped[int] = mapped_column(SmallInteger, default=0)
    # A lead's decision; while there is one, `retrieval` is it.
    retrieval_decided: Mapped[int | None] = mapped_column(SmallInteger)


class Item(Base):
    """One answer of one system."""

    __tablename__ = "item"
    __table_args__ = (
        UniqueConstraint("study_id", "item_key"),  # importing the same file twice adds nothing
        Index("ix_item_study_id_position", "study_id", "position"),  # next item in study order
        Index("ix_item_context_id", "context_id"),  # a retrieval label reaches its items
        # How far a study is, counted at every click.
        Index(
            "ix_item_progress",
            "study_id",
            "abstained",
            "task_votes",
            "task_decided",
            sqlite_where=text("answer IS NOT NULL"),
            postgresql_where=text("answer IS NOT NULL"),
        ),
    )

    id: Mapped[int] = mapped_column(RowId, primary_key=True)
    study_id: Mapped[int] = mapped_column(ForeignKey("study.id"))
    system_id: Mapped[int] = mapped_column(ForeignKey("system.id"))
    context_id: Mapped[int] = mapped_column(ForeignKey("context.id"))
    item_key: Mapped[str]
    position: Mapped[int]
    answer: Mapped[str | None]
    reference: Mapped[str | None]
    # The other cells of its row as they came: metadata, judges, gate inputs, and any standard
    # column whose cell differs from what is stored (blank ids, another spelling of contexts).
    cells: Mapped[dict[str, Any]] = mapped_column(JSON, default=dict)
    content_hash: Mapped[str]
    abstained_column: Mapped[int | None] = mapped_column(SmallInteger)
    abstained_rules: Mapped[int | None] = mapped_column(SmallInteger)
    abstained_override: Mapped[int | None] = mapped_column(SmallInteger)
    # Resolved: the override, else the column, else the rules.
    abstained: Mapped[int | None] = mapped_column(SmallInteger)
    task: Mapped[int | None] = mapped_column(SmallInteger)
    task_votes: Mapped[int] = mapped_column(SmallInteger, default=0)
    task_decided: Mapped[int | None] = mapped_column(SmallInteger)


class Lease(Base):
    """One question handed to one person; an answer is accepted only through it, once."""

    __tablename__ = "lease"
    __table_args__ = (
        # One open question a person and study: a reload or second tab returns the same one.
        Index(
            "uq_lease_open",
            "study_id",
            "person_id",
            unique=True,
            sqlite_where=text("closed_at IS NULL"),
            postgresql_where=text("closed_at IS NULL"),
        ),
        Index("ix_lease_context_id", "context_id"),
    )

    id: Mapped[int] = mapped_column(RowId, primary_key=True)
    study_id: Mapped[int] = mapped_column(ForeignKey("study.id"))
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"))
    item_id: Mapped[int] = mapped_column(ForeignKey("item.id"))
    context_id: Mapped[int] = mapped_column(ForeignKey("context.id"))
    label_type: Mapped[str]
    # What an answer becomes: a label, a check or practice.
    kind: Mapped[str] = mapped_column(default=EventKind.LABEL, server_default="label")
    reason_asked: Mapped[str]
    selection_probability: Mapped[float | None]
    fit_id: Mapped[int | None] = mapped_column(ForeignKey("fit.id"))
    issued_at: Mapped[datetime]
    expires_at: Mapped[datetime]
    closed_at: Mapped[datetime | None]


class LabelEvent(Base):
    """The log of what people said; rows are added, never changed."""

    __tablename__ = "label_event"
    __table_args__ = (
        UniqueConstraint("lease_id"),  # ten submits of one question are one label
        UniqueConstraint("undoes_id"),  # a label is undone once
        Index("ix_label_event_study_person", "study_id", "person_id", "id"),  # what undo takes back
        Index("ix_label_event_subject", "context_id", "item_id", "label_type"),
    )

    id: Mapped[int] = mapped_column(RowId, primary_key=True)
    study_id: Mapped[int] = mapped_column(ForeignKey("study.id"))
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"))
    kind: Mapped[str]
    item_id: Mapped[int] = mapped_column(ForeignKey("item.id"))
    context_id: Mapped[int] = mapped_column(ForeignKey("context.id"))
    label_type: Mapped[str]
    value: Mapped[str | None]
    # The votes wanted were already there: kept and exported, never counted.
    is_extra: Mapped[bool] = mapped_column(default=False)
    note: Mapped[str | None]
    seconds: Mapped[float | None]
    guideline_version: Mapped[int | None]
    reason_asked: Mapped[str]
    selection_probability: Mapped[float | None]
    fit_id: Mapped[int | None] = mapped_column(ForeignKey("fit.id"))
    lease_id: Mapped[int | None] = mapped_column(ForeignKey("lease.id"))
    undoes_id: Mapped[int | None] = mapped_column(ForeignKey("label_event.id"))
    created_at: Mapped[datetime]


class Answer(Base):
    """The current answer of a person to a question: the last event that was not undone."""

    __tablename__ = "answer"
    __table_args__ = (
        # One current answer: retrieval is answered per context, task per item.
        Index(
            "uq_answer_retrieval",
            "context_id",
            "person_id",
            unique=True,
            sqlite_where=text("label_type = 'retrieval'"),
            postgresql_where=text("label_type = 'retrieval'"),
        ),
        Index(
            "uq_answer_task",
            "item_id",
            "person_id",
            unique=True,
            sqlite_where=text("label_type = 'task'"),
            postgresql_where=text("label_type = 'task'"),
        ),
        Index("ix_answer_study_id_person_id", "study_id", "person_id"),
        Index("ix_answer_charged", "study_id", "label_type", "is_charged"),  # what is spent
        UniqueConstraint("event_id"),  # the event that holds now
    )

    id: Mapped[int] = mapped_column(RowId, primary_key=True)
    study_id: Mapped[int] = mapped_column(ForeignKey("study.id"))
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"))
    label_type: Mapped[str]
    context_id: Mapped[int] = mapped_column(ForeignKey("context.id"))
    item_id: Mapped[int] = mapped_column(ForeignKey("item.id"))
    value: Mapped[str]
    is_extra: Mapped[bool] = mapped_column(default=False)
    # It counts against the budgets: a label that was given here, not imported.
    is_charged: Mapped[bool] = mapped_column(default=False, server_default=false())
    event_id: Mapped[int] = mapped_column(ForeignKey("label_event.id"))


class Flag(Base):
    """A note to the lead about an item; it answers nothing."""

    __tablename__ = "flag"

    id: Mapped[int] = mapped_column(RowId, primary_key=True)
    study_id: Mapped[int] = mapped_column(ForeignKey("study.id"), index=True)
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"))
    item_id: Mapped[int] = mapped_column(ForeignKey("item.id"))
    note: Mapped[str]
    created_at: Mapped[datetime]


class AbstentionRuleSet(Base):
    """A version of a study's rules for telling refusals from answers."""

    __tablename__ = "abstention_rule_set"
    __table_args__ = (UniqueConstraint("study_id", "version"),)

    id: Mapped[int] = mapped_column(RowId, primary_key=True)
    study_id: Mapped[int] = mapped_column(ForeignKey("study.id"))
    version: Mapped[int]
    rules: Mapped[dict[str, Any]] = mapped_column(JSON)
    created_at: Mapped[datetime]


class AbstentionOverride(Base):
    """A person's word against the rules; the last one of an item holds, None takes it back."""

    __tablename__ = "abstention_override"

    id: Mapped[int] = mapped_column(RowId, primary_key=True)
    item_id: Mapped[int] = mapped_column(ForeignKey("item.id"), index=True)
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"))
    value: Mapped[int | None] = mapped_column(SmallInteger)
    created_at: Mapped[datetime]
