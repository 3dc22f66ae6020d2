"""What an annotator sees: one question, how far the study is, and the labels they may change.

Blind by default: others' answers, judges and the model's belief are not in it.
"""

from datetime import datetime
from typing import NamedTuple

from sqlalchemy.orm import Session

from db import items, known_answers, labels, queue
from db.items import ItemText
from db.queue import Empty, Holder, OpenLease, Progress
from db.tables import EventKind, LabelType, Value

RECENT = 5
# Columns of a row that would tell an annotator what a machine thinks of it.
HIDDEN_COLUMNS = (
    "judge:",
    "retrieval_score",
    "rerank_score",
    "citations",
    "nli",
    "abstained",
    "p_",
)


class Question(NamedTuple):
    """What an annotator sees; others' answers, judges and the model's belief are not in it.

    A hidden check looks like any other question. `practice` is (number, all) of a practice one.
    """

    lease_id: int
    label_type: LabelType
    item: ItemText
    metadata: tuple[tuple[str, str], ...]
    guidelines: str
    previous: Value | None
    practice: tuple[int, int] | None = None


class Recent(NamedTuple):
    """A label this annotator gave and may still change; an extra one does not count."""

    event_id: int
    item_id: str
    label_type: LabelType
    value: Value
    saved_at: datetime
    is_extra: bool


class Desk(NamedTuple):
    """Everything on the labelling screen; `question` is None when `empty` says why."""

    question: Question | None
    empty: Empty | None
    progress: Progress
    recent: tuple[Recent, ...]


def lay_out(session: Session, holder: Holder, claimed: OpenLease | Empty) -> Desk:
    """The desk of a person with the question they hold, or with why there is none."""
    tally = queue.progress(session, holder.study)
    events = labels.list_recent(session, holder.study.id, holder.person_id, RECENT)
    given = tuple(recent(event) for event in events)
    if isinstance(claimed, Empty):
        return Desk(None, claimed, tally, given)
    item = items.read_text(session, claimed.subject.item_id)
    question = Question(
        lease_id=claimed.id,
        label_type=claimed.subject.label_type,
        item=item,
        metadata=_shown_metadata(item, holder.study.settings.shows_metadata),
        guidelines=holder.study.settings.guidelines,
        previous=_previous(session, holder, claimed),
        practice=_practice(session, holder, claimed),
    )
    return Desk(question, None, tally, given)


def _previous(session: Session, holder: Holder, claimed: OpenLease) -> Value | None:
    if claimed.kind == EventKind.CHECK:
        return labels.find_checked(session, holder.person_id, claimed.subject)
    return labels.find_answer(session, holder.person_id, claimed.subject)


def _practice(session: Session, holder: Holder, claimed: OpenLease) -> tuple[int, int] | None:
    if claimed.kind != EventKind.PRACTICE:
        return None
    done, total = known_answers.count_practice(session, holder.study.id, holder.person_id)
    return done + 1, total


def recent(event: labels.Event) -> Recent:
    """A label as its annotator sees it again."""
    label_type = event.subject.label_type
    saved_at, is_extra = event.created_at, event.is_extra
    return Recent(event.id, event.item_key, label_type, event.value, saved_at, is_extra)


def _shown_metadata(item: ItemText, is_shown: bool) -> tuple[tuple[str, str], ...]:
    """Blind by default: no judge's verdict, no score, no belief of any model."""
    if not is_shown:
        return ()
    return tuple(
        (name, value)
        for name, value in item.cells.items()
        if value and not name.lower().startswith(HIDDEN_COLUMNS)
    )
