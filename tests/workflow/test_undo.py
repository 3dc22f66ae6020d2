"""Undo and edit are exact: afterwards everything is what it was, but for the log."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from sqlalchemy import Engine, func, select, update

from db.counts import count_patterns
from db.engine import reading, transaction
from db.labels import LabelCounts
from db.studies import get_study
from db.tables import Answer, Context, Item, LabelEvent
from tests.small_studies import (
    ANNA,
    BEN,
    STUDY,
    Row,
    answer_next,
    export_bytes,
    export_rows,
    make_study,
    moment,
    plain_rows,
    question,
    say,
    want_votes,
)
from workflow import fitting, labelling, studies
from workflow.errors import RatchetError
from workflow.exporting import Kind
from workflow.fitting import Engine as Sampler
from workflow.labelling import Answered, LabelType, Value

TASK, RETRIEVAL = LabelType.TASK, LabelType.RETRIEVAL
ROWS = [
    Row("a1", "one"),
    Row("a2", "two", answer="Under the mat."),  # shares the context of a1
    Row("b1", query="And the lamp?", contexts="Nothing of lamps."),
]


class State(NamedTuple):
    """All that follows from the log."""

    answers: list[Any]
    contexts: list[Any]
    items: list[Any]
    counts: list[Any]
    labels: LabelCounts
    progress: tuple[int, int]
    exported: bytes
    fingerprints: list[str]


def state(engine: Engine) -> State:
    with reading(engine) as session:
        study = get_study(session, STUDY)
        answers = session.execute(
            select(
                Answer.person_id,
                Answer.label_type,
                Answer.context_id,
                Answer.item_id,
                Answer.value,
                Answer.is_extra,
                Answer.event_id,
            ).order_by(Answer.label_type, Answer.item_id, Answer.person_id)
        ).all()
        contexts = session.execute(
            select(Context.id, Context.retrieval, Context.retrieval_votes).order_by(Context.id)
        ).all()
        items = session.execute(select(Item.id, Item.task, Item.task_votes).order_by(Item.id)).all()
        counts = count_patterns(session, study.id).astype(object).values.tolist()
    due = fitting.read_due(engine, STUDY)
    return State(
        list(answers),
        list(contexts),
        list(items),
        counts,
        labelling.count_labels(engine, STUDY),
        studies.list_overviews(engine)[0].progress,
        export_bytes(engine, Kind.LABELS),
        [fitting.fingerprint(table, due.settings, Sampler.EXACT) for table in due.tables.values()],
    )


def events(engine: Engine) -> int:
    with reading(engine) as session:
        return session.scalars(select(func.count()).select_from(LabelEvent)).one()


@pytest.mark.parametrize("value", list(Value))
def test_undo_of_any_answer_restores_everything_and_hands_its_question_out_again(
    engine: Engine, tmp_path: Path, value: Value
) -> None:
    make_study(engine, tmp_path, ROWS)
    say(engine, "a1", TASK, Value.YES, BEN)
    asked = question(engine, ANNA)
    before = state(engine)
    saved = labelling.submit(engine, ANNA, Answered(asked.lease_id, value), moment(1))
    assert state(engine) != before
    undone = labelling.undo(engine, ANNA, saved.event_id, moment(2))
    assert state(engine) == before
    assert undone is not None
    again = question(engine, ANNA)
    assert (again.item, again.label_type) == (asked.item, asked.label_type)
    assert events(engine) == 3  # one by Ben, the label and its undo


def test_undo_goes_back_one_label_a_time_to_the_start(engine: Engine, tmp_path: Path) -> None:
    make_study(engine, tmp_path, ROWS)
    states = [state(engine)]
    saved = []
    for second, value in enumerate([Value.YES, Value.NO, Value.SKIP, Value.CANT_TELL, Value.NO]):
        saved.append(answer_next(engine, ANNA, value, second))
        states.append(state(engine))
    for one in reversed(saved):
        assert state(engine) == states.pop()
        assert labelling.undo(engine, ANNA, one.event_id, moment(10)) is not None
    assert state(engine) == states.pop()
    assert not states


def test_undo_pressed_twice_for_one_label_takes_back_one(engine: Engine, tmp_path: Path) -> None:
    make_study(engine, tmp_path, ROWS)
    answer_next(engine, ANNA)
    last = answer_next(engine, ANNA)
    assert labelling.undo(engine, ANNA, last.event_id, moment(1)) is not None
    assert labelling.undo(engine, ANNA, last.event_id, moment(1)) is None
    assert len(export_rows(engine, Kind.LABELS)) == 1


def test_undo_from_eight_tabs_at_once_takes_back_one(engine: Engine, tmp_path: Path) -> None:
    make_study(engine, tmp_path, ROWS)
    answer_next(engine, ANNA)
    last = answer_next(engine, ANNA).event_id
    with ThreadPoolExecutor(8) as pool:
        done = list(pool.map(lambda _: labelling.undo(engine, ANNA, last, moment(1)), range(8)))
    assert [one is not None for one in done].count(True) == 1
    assert len(export_rows(engine, Kind.LABELS)) == 1


def test_nobody_undoes_the_label_of_another(engine: Engine, tmp_path: Path) -> None:
    make_study(engine, tmp_path, ROWS)
    saved = answer_next(engine, ANNA)
    assert labelling.undo(engine, BEN, saved.event_id, moment(1)) is None
    assert len(export_rows(engine, Kind.LABELS)) == 1


def test_edit_changes_the_answer_and_keeps_both_events(engine: Engine, tmp_path: Path) -> None:
    make_study(engine, tmp_path, ROWS)
    first = answer_next(engine, ANNA, Value.YES)
    answer_next(engine, ANNA, Value.YES, 1)
    labelling.reopen(engine, ANNA, first.event_id, moment(2))
    asked = question(engine, ANNA, 3)
    assert (asked.item.item_id, asked.previous) == ("a1", Value.YES)
    labelling.submit(engine, ANNA, Answered(asked.lease_id, Value.NO), moment(4))
    rows = export_rows(engine, Kind.LABELS, every=True)
    assert [(row["value"], row["status"]) for row in rows] == [
        ("1", "superseded"),
        ("1", "current"),
        ("0", "current"),
    ]
    assert labelling.count_labels(engine, STUDY) == (1, 1)


def test_undo_of_an_edit_brings_the_first_answer_back(engine: Engine, tmp_path: Path) -> None:
    make_study(engine, tmp_path, ROWS)
    first = answer_next(engine, ANNA, Value.YES)
    before = state(engine)
    labelling.reopen(engine, ANNA, first.event_id, moment(1))
    edited = answer_next(engine, ANNA, Value.NO, 2)
    labelling.undo(engine, ANNA, edited.event_id, moment(3))
    assert state(engine) == before


def test_an_edit_that_is_left_keeps_the_answer(engine: Engine, tmp_path: Path) -> None:
    make_study(engine, tmp_path, ROWS)
    first = answer_next(engine, ANNA, Value.YES)
    before = state(engine)
    labelling.reopen(engine, ANNA, first.event_id, moment(1))
    assert state(engine) == before


def test_a_label_that_was_undone_meanwhile_cannot_be_opened(engine: Engine, tmp_path: Path) -> None:
    make_study(engine, tmp_path, ROWS)
    saved = answer_next(engine, ANNA)
    labelling.undo(engine, ANNA, saved.event_id, moment(1))
    with pytest.raises(RatchetError, match="undone or replaced"):
        labelling.reopen(engine, ANNA, saved.event_id, moment(2))


def test_undo_of_a_counted_vote_leaves_the_extra_one_extra(engine: Engine, tmp_path: Path) -> None:
    make_study(engine, tmp_path, plain_rows(1))
    late = question(engine, ANNA, 0).lease_id
    counted = answer_next(engine, BEN, Value.NO, 700)
    before = state(engine)
    labelling.submit(engine, ANNA, Answered(late, Value.YES), moment(701))
    extra = labelling.count_labels(engine, STUDY)
    assert extra == (1, 0)
    labelling.undo(engine, BEN, counted.event_id, moment(702))
    assert labelling.count_labels(engine, STUDY) == (0, 0)
    answer_next(engine, BEN, Value.NO, 703)
    assert state(engine).labels == before.labels


def test_undo_of_one_of_two_votes_that_tied_lets_the_other_decide(
    engine: Engine, tmp_path: Path
) -> None:
    make_study(engine, tmp_path, plain_rows(1))
    want_votes(engine, 2)
    answer_next(engine, ANNA, Value.YES)
    before = state(engine)
    second = answer_next(engine, BEN, Value.NO)
    assert state(engine).contexts[0][1:] == (None, 2)  # one yes, one no: undecided
    labelling.undo(engine, BEN, second.event_id, moment(1))
    assert state(engine) == before
    assert before.contexts[0][1:] == (1, 1)


def tamper(engine: Engine) -> None:
    with transaction(engine) as session:
        session.execute(update(Context).values(retrieval_votes=7))


def relabel(engine: Engine) -> None:
    say(engine, "a1", RETRIEVAL, Value.NO)


@pytest.mark.parametrize("change", [tamper, relabel])
def test_the_compared_state_notices_a_change(
    engine: Engine, tmp_path: Path, change: Callable[[Engine], None]
) -> None:
    make_study(engine, tmp_path, ROWS)
    before = state(engine)
    change(engine)
    assert state(engine) != before
