"""Tables around a question: guidelines, known answers, drafts, evidence. No queries here."""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, ForeignKey, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from db.schema import Base, RowId


class Guideline(Base):
    """A version of what annotators of a study are told; a label knows the one it was made under."""

    __tablename__ = "guideline"
    __table_args__ = (UniqueConstraint("study_id", "version"),)

    id: Mapped[int] = mapped_column(RowId, primary_key=True)
    study_id: Mapped[int] = mapped_column(ForeignKey("study.id"))
    version: Mapped[int]
    text: Mapped[str]
    person: Mapped[str]
    created_at: Mapped[datetime]


class KnownAnswer(Base):
    """A question whose answer is known, to practise on or to check annotators with.

    Items picked by hand would bias the rates: such a question is asked as a check only, and what
    is answered is a `check` or `practice` event, never a label.
    """

    __tablename__ = "known_answer"
    __table_args__ = (UniqueConstraint("item_id", "label_type"),)

    id: Mapped[int] = mapped_column(RowId, primary_key=True)
    study_id: Mapped[int] = mapped_column(ForeignKey("study.id"), index=True)
    context_id: Mapped[int] = mapped_column(ForeignKey("context.id"), index=True)
    item_id: Mapped[int] = mapped_column(ForeignKey("item.id"))
    label_type: Mapped[str]
    value: Mapped[str]
    # Practice is open and explained; otherwise it is hidden among the questions.
    is_practice: Mapped[bool]
    explanation: Mapped[str] = mapped_column(default="")
    person: Mapped[str]
    created_at: Mapped[datetime]


class Draft(Base):
    """What a person typed before answering: theirs, of this question only, counted nowhere."""

    __tablename__ = "draft"

    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"), primary_key=True)
    item_id: Mapped[int] = mapped_column(ForeignKey("item.id"), primary_key=True)
    label_type: Mapped[str] = mapped_column(primary_key=True)
    study_id: Mapped[int] = mapped_column(ForeignKey("study.id"), index=True)
    note: Mapped[str] = mapped_column(default="")
    value: Mapped[str | None]
    evidence: Mapped[list[Any]] = mapped_column(JSON, default=list)
    updated_at: Mapped[datetime]


class Evidence(Base):
    """A stretch of a passage that holds the answer, as its annotator marked it."""

    __tablename__ = "evidence"

    id: Mapped[int] = mapped_column(RowId, primary_key=True)
    event_id: Mapped[int] = mapped_column(ForeignKey("label_event.id"), index=True)
    # The number of the passage from 0, and code points from its start: text == passage[start:end].
    passage: Mapped[int]
    start: Mapped[int]
    end: Mapped[int]
    text: Mapped[str]
