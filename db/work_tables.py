"""Tables of what is computed from labels and done with them: posteriors, plans, jobs, the record.

Each constraint with its reason; no queries here.
"""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, ForeignKey, Index, Integer, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from db.schema import Base, RowId


class Fit(Base):
    """A posterior of one system, found again by the fingerprint of all that went into it."""

    __tablename__ = "fit"
    __table_args__ = (UniqueConstraint("system_id", "fingerprint"),)

    id: Mapped[int] = mapped_column(RowId, primary_key=True)
    study_id: Mapped[int] = mapped_column(ForeignKey("study.id"))
    system_id: Mapped[int] = mapped_column(ForeignKey("system.id"))
    fingerprint: Mapped[str]
    engine: Mapped[str]
    is_ok: Mapped[bool]
    summary: Mapped[dict[str, Any]] = mapped_column(JSON)
    # Fine grid for the charts; dropped from fits that a newer one replaced.
    grid: Mapped[dict[str, Any] | None] = mapped_column(JSON)
    created_at: Mapped[datetime]


class Refresh(Base):
    """The state of a study's posterior at one moment: which fits, after which label."""

    __tablename__ = "refresh"
    __table_args__ = (Index("ix_refresh_study_id_id", "study_id", "id"),)

    id: Mapped[int] = mapped_column(RowId, primary_key=True)
    study_id: Mapped[int] = mapped_column(ForeignKey("study.id"))
    revision: Mapped[int]
    last_event_id: Mapped[int]
    retrieval_labels: Mapped[int]
    task_labels: Mapped[int]
    engine: Mapped[str]
    fit_ids: Mapped[list[int]] = mapped_column(JSON)
    created_at: Mapped[datetime]


class Plan(Base):
    """What a lead decided to spend labels on; the open one of a study leads its queue."""

    __tablename__ = "plan"
    __table_args__ = (
        # One plan leads the queue of a study.
        Index(
            "uq_plan_open",
            "study_id",
            unique=True,
            sqlite_where=text("ended_at IS NULL"),
            postgresql_where=text("ended_at IS NULL"),
        ),
    )

    id: Mapped[int] = mapped_column(RowId, primary_key=True)
    study_id: Mapped[int] = mapped_column(ForeignKey("study.id"))
    system_id: Mapped[int] = mapped_column(ForeignKey("system.id"))
    strategy: Mapped[str]
    quantity: Mapped[str]
    population: Mapped[str]
    cost_retrieval: Mapped[float]
    cost_task: Mapped[float]
    cost_task_after_retrieval: Mapped[float]
    # The goal: one of the two.
    budget: Mapped[float | None]
    half_width: Mapped[float | None]
    audit_share: Mapped[float]
    # Labels after this event are the plan's.
    start_event_id: Mapped[int] = mapped_column(RowId)
    # The lead has seen that the goal is reached and wants more labels.
    goes_on: Mapped[bool] = mapped_column(default=False)
    person: Mapped[str]
    created_at: Mapped[datetime]
    ended_at: Mapped[datetime | None]


class Advice(Base):
    """What the worker recommends for a plan after the newest posterior; replaced in place."""

    __tablename__ = "advice"

    plan_id: Mapped[int] = mapped_column(ForeignKey("plan.id"), primary_key=True)
    fit_id: Mapped[int | None] = mapped_column(ForeignKey("fit.id"))
    # The labels that are in it, and what those of the plan cost.
    last_event_id: Mapped[int] = mapped_column(RowId)
    spent: Mapped[float]
    half_width: Mapped[float | None]
    is_reached: Mapped[bool]
    # Ranked list of kinds of question, each with a few items in random order.
    rows: Mapped[list[Any]] = mapped_column(JSON)
    # Items in random order for the audit, and which label is asked of them in which state.
    audit: Mapped[list[Any]] = mapped_column(JSON)
    created_at: Mapped[datetime]


class Job(Base):
    """Long work for the worker: claimed by one conditional update, watched by its heartbeat."""

    __tablename__ = "job"
    __table_args__ = (Index("ix_job_state", "state"),)

    id: Mapped[int] = mapped_column(RowId, primary_key=True)
    study_id: Mapped[int | None] = mapped_column(ForeignKey("study.id"))
    kind: Mapped[str]
    state: Mapped[str]
    arguments: Mapped[dict[str, Any]] = mapped_column(JSON)
    progress: Mapped[float] = mapped_column(default=0.0)
    message: Mapped[str] = mapped_column(default="")
    result: Mapped[dict[str, Any] | None] = mapped_column(JSON)
    is_cancel_wanted: Mapped[bool] = mapped_column(default=False)
    created_at: Mapped[datetime]
    heartbeat_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]


class Worker(Base):
    """The one worker of this database, so that screens can say what it does."""

    __tablename__ = "worker"

    id: Mapped[int] = mapped_column(Integer, primary_key=True)
    state: Mapped[str]
    heartbeat_at: Mapped[datetime]


class Audit(Base):
    """Who did what to a study; label events are a log of their own."""

    __tablename__ = "audit"

    id: Mapped[int] = mapped_column(RowId, primary_key=True)
    study_id: Mapped[int | None] = mapped_column(ForeignKey("study.id"), index=True)
    person: Mapped[str]
    action: Mapped[str]
    detail: Mapped[dict[str, Any]] = mapped_column(JSON)
    created_at: Mapped[datetime]
