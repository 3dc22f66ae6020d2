"""Study states, votes wanted, two labels in a row, a lead's decision."""

from pathlib import Path

import pytest
from sqlalchemy import Engine

from db.decisions import Decision, decide, find_decision
from db.engine import transaction
from db.items import get_item
from db.people import ensure_person
from db.studies import get_study
from db.votes import Subject
from tests.small_studies import (
    ANNA,
    BEN,
    LEAD,
    STUDY,
    answer_next,
    desk,
    export_rows,
    make_study,
    moment,
    plain_rows,
    question,
    say,
)
from workflow import collecting, labelling, studies
from workflow.collecting import StudyState
from workflow.errors import RatchetError
from workflow.exporting import Kind
from workflow.labelling import Annotator, Answered, EmptyReason, LabelType, Value
from workflow.studies import Asks, Choices

RETRIEVAL_ONLY = Choices(asks=Asks.RETRIEVAL)
CARL = Annotator(STUDY, "carl")


def put(engine: Engine, state: StudyState) -> None:
    collecting.set_state(engine, STUDY, state, LEAD, moment(0))


@pytest.mark.parametrize("state", [StudyState.DRAFT, StudyState.PAUSED, StudyState.CLOSED])
def test_only_an_open_study_hands_out_questions(
    engine: Engine, tmp_path: Path, state: StudyState
) -> None:
    make_study(engine, tmp_path, plain_rows(2))
    put(engine, state)
    empty = desk(engine, ANNA).empty
    assert empty is not None
    assert empty.reason == EmptyReason(state)
    put(engine, StudyState.OPEN)
    assert desk(engine, ANNA).question is not None


@pytest.mark.parametrize("state", [StudyState.PAUSED, StudyState.CLOSED])
def test_a_question_in_hand_may_be_answered_when_the_study_stops(
    engine: Engine, tmp_path: Path, state: StudyState
) -> None:
    make_study(engine, tmp_path, plain_rows(2))
    held = question(engine, ANNA)
    put(engine, state)
    assert question(engine, ANNA).lease_id == held.lease_id
    labelling.submit(engine, ANNA, Answered(held.lease_id, Value.YES), moment(1))
    assert labelling.count_labels(engine, STUDY) == (1, 0)
    assert desk(engine, ANNA).question is None


def test_a_draft_takes_no_answer(engine: Engine, tmp_path: Path) -> None:
    make_study(engine, tmp_path, plain_rows(2))
    held = question(engine, ANNA)
    put(engine, StudyState.DRAFT)
    with pytest.raises(RatchetError, match="draft again"):
        labelling.submit(engine, ANNA, Answered(held.lease_id, Value.YES), moment(1))
    assert labelling.count_labels(engine, STUDY) == (0, 0)


def test_more_votes_open_the_questions_again_for_others(engine: Engine, tmp_path: Path) -> None:
    make_study(engine, tmp_path, plain_rows(1), RETRIEVAL_ONLY)
    answer_next(engine, ANNA)
    assert desk(engine, BEN).question is None
    collecting.set_votes_wanted(engine, STUDY, 2, LEAD, moment(1))
    assert desk(engine, ANNA).progress == (0, 1)
    answer_next(engine, BEN, Value.NO)
    collecting.set_votes_wanted(engine, STUDY, 1, LEAD, moment(2))
    assert labelling.count_labels(engine, STUDY) == (2, 0)
    with pytest.raises(RatchetError, match="0 votes are wanted"):
        collecting.set_votes_wanted(engine, STUDY, 0, LEAD, moment(3))


def test_in_a_row_the_task_follows_the_retrieval_of_the_same_item(
    engine: Engine, tmp_path: Path
) -> None:
    make_study(engine, tmp_path, plain_rows(3), Choices(asks_in_row=True))
    # Ben holds the first retrieval, so Anna begins with the first item's task in study order.
    question(engine, BEN)
    asked = []
    for second in range(4):
        shown = question(engine, ANNA, second)
        asked.append(f"{shown.item.item_id} {shown.label_type}")
        answer_next(engine, ANNA, seconds=second)
    assert asked == ["i0 task", "i1 retrieval", "i1 task", "i2 retrieval"]


def test_after_a_skip_nothing_follows_in_a_row(engine: Engine, tmp_path: Path) -> None:
    make_study(engine, tmp_path, plain_rows(2), Choices(asks_in_row=True))
    say(engine, "i0", LabelType.TASK, Value.YES, BEN)
    answer_next(engine, ANNA, Value.SKIP)
    answer_next(engine, ANNA)
    rows = export_rows(engine, Kind.LABELS, every=True)
    assert [(row["item_id"], row["label_type"]) for row in rows[1:]] == [
        ("i0", "retrieval"),
        ("i1", "retrieval"),
    ]
    answer_next(engine, ANNA)
    assert export_rows(engine, Kind.LABELS)[-1]["reason_asked"] == "in a row"


def rule(engine: Engine, value: Value | None, label_type: LabelType = LabelType.RETRIEVAL) -> None:
    """A lead decides the first item's question."""
    with transaction(engine) as session:
        study = get_study(session, STUDY)
        item = get_item(session, study.id, "i0")
        subject = Subject(label_type, item.id, item.context_id)
        person = ensure_person(session, LEAD, moment(0))
        decide(session, Decision(study.id, person, subject, value), moment(0))
        assert find_decision(session, subject) == value


def resolved(engine: Engine) -> str:
    return export_rows(engine, Kind.ITEMS)[0]["retrieval_label"]


@pytest.mark.behaviour(7)
def test_a_decision_holds_against_the_votes_until_it_is_taken_back(
    engine: Engine, tmp_path: Path
) -> None:
    make_study(engine, tmp_path, plain_rows(1), RETRIEVAL_ONLY)
    collecting.set_votes_wanted(engine, STUDY, 3, LEAD, moment(0))
    say(engine, "i0", LabelType.RETRIEVAL, Value.YES, ANNA)
    say(engine, "i0", LabelType.RETRIEVAL, Value.NO, BEN)
    assert resolved(engine) == ""  # a tie
    rule(engine, Value.NO)
    assert resolved(engine) == "0"
    say(engine, "i0", LabelType.RETRIEVAL, Value.YES, CARL)
    assert resolved(engine) == "0"
    rule(engine, Value.CANT_TELL)
    assert resolved(engine) == ""
    rule(engine, None)
    assert resolved(engine) == "1"
    assert labelling.count_labels(engine, STUDY) == (3, 0)


def test_a_decided_question_is_not_asked_and_counts_as_done(engine: Engine, tmp_path: Path) -> None:
    make_study(engine, tmp_path, plain_rows(1), RETRIEVAL_ONLY)
    rule(engine, Value.YES)
    found = desk(engine, ANNA)
    assert found.question is None
    assert found.progress == (1, 1)
    assert studies.list_overviews(engine)[0].labels == (0, 0)
