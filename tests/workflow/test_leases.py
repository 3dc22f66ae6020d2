"""Leases: who holds which question, until when, and what an empty queue says."""

import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import Engine, func, select

from db.engine import reading
from db.queue import LEASE_TIME, EmptyReason
from db.tables import Lease
from tests.small_studies import (
    ANNA,
    BEN,
    STUDY,
    Row,
    answer_next,
    desk,
    export_rows,
    make_study,
    moment,
    plain_rows,
    question,
    want_votes,
)
from workflow import labelling, studies
from workflow.exporting import Kind
from workflow.labelling import Annotator, Answered, LabelType, Value
from workflow.studies import Asks, Choices

TIME = LEASE_TIME.total_seconds()
RETRIEVAL_ONLY = Choices(asks=Asks.RETRIEVAL)


def test_a_reload_or_second_tab_shows_the_same_question(engine: Engine, tmp_path: Path) -> None:
    make_study(engine, tmp_path, plain_rows(3))
    first, second = question(engine, ANNA, 0), question(engine, ANNA, 60)
    assert first == second


def test_ten_tabs_opened_at_once_show_the_same_question(engine: Engine, tmp_path: Path) -> None:
    make_study(engine, tmp_path, plain_rows(30))
    with ThreadPoolExecutor(10) as pool:
        shown = list(pool.map(lambda _: question(engine, ANNA).lease_id, range(20)))
    assert len(set(shown)) == 1


def test_looking_again_renews_the_lease(engine: Engine, tmp_path: Path) -> None:
    make_study(engine, tmp_path, plain_rows(1), RETRIEVAL_ONLY)
    question(engine, ANNA, 0)
    question(engine, ANNA, TIME - 1)
    empty = desk(engine, BEN, TIME + 1).empty
    assert empty is not None
    assert (empty.reason, empty.next_free) == (EmptyReason.ALL_LEASED, moment(2 * TIME - 1))


def test_an_expired_lease_returns_its_question_to_the_queue(engine: Engine, tmp_path: Path) -> None:
    make_study(engine, tmp_path, plain_rows(1), RETRIEVAL_ONLY)
    question(engine, ANNA, 0)
    assert desk(engine, BEN, TIME - 1).question is None
    assert question(engine, BEN, TIME + 1).item.item_id == "i0"


def test_who_comes_back_late_to_a_question_nobody_took_keeps_it(
    engine: Engine, tmp_path: Path
) -> None:
    make_study(engine, tmp_path, plain_rows(2))
    held = question(engine, ANNA, 0)
    assert question(engine, ANNA, 5 * TIME) == held


def test_who_comes_back_late_to_a_question_that_was_taken_gets_another(
    engine: Engine, tmp_path: Path
) -> None:
    make_study(engine, tmp_path, plain_rows(2))
    question(engine, ANNA, 0)
    taken = question(engine, BEN, TIME + 1)
    other = question(engine, ANNA, TIME + 2)
    assert (taken.item.item_id, taken.label_type) != (other.item.item_id, other.label_type)


def test_an_expired_holder_may_answer_while_nobody_else_did(engine: Engine, tmp_path: Path) -> None:
    make_study(engine, tmp_path, plain_rows(1))
    lease_id = question(engine, ANNA, 0).lease_id
    saved = labelling.submit(engine, ANNA, Answered(lease_id, Value.YES), moment(3 * TIME))
    assert (saved.is_new, saved.is_extra) == (True, False)
    assert len(export_rows(engine, Kind.LABELS)) == 1


def test_an_expired_holder_who_comes_second_is_kept_as_extra_and_never_counts(
    engine: Engine, tmp_path: Path
) -> None:
    make_study(engine, tmp_path, plain_rows(1), RETRIEVAL_ONLY)
    late = question(engine, ANNA, 0).lease_id
    answer_next(engine, BEN, Value.NO, TIME + 1)
    kept = labelling.submit(engine, ANNA, Answered(late, Value.YES), moment(TIME + 2))
    again = labelling.submit(engine, ANNA, Answered(late, Value.YES), moment(TIME + 3))
    assert (kept.is_new, kept.is_extra) == (True, True)
    assert (again.is_new, again.is_extra) == (False, True)
    assert [row["annotator"] for row in export_rows(engine, Kind.LABELS)] == ["ben"]
    everything = export_rows(engine, Kind.LABELS, every=True)
    assert {row["annotator"]: row["status"] for row in everything} == {
        "ben": "current",
        "anna": "extra",
    }
    item = export_rows(engine, Kind.ITEMS)[0]
    assert (item["retrieval_label"], item["retrieval_votes"]) == ("0", "1")
    assert labelling.count_labels(engine, STUDY) == (1, 0)


def hammer(engine: Engine, people: int, steps: int, work: Callable[[Annotator, int], None]) -> None:
    def run(number: int) -> None:
        for step in range(steps):
            work(Annotator(STUDY, f"person {number}"), step)

    with ThreadPoolExecutor(people) as pool:
        list(pool.map(run, range(people)))


def test_two_people_never_hold_the_same_question(engine: Engine, tmp_path: Path) -> None:
    make_study(engine, tmp_path, plain_rows(48), RETRIEVAL_ONLY)
    held: list[tuple[str, LabelType]] = []

    def take_and_answer(annotator: Annotator, _step: int) -> None:
        shown = question(engine, annotator)
        held.append((shown.item.item_id, shown.label_type))
        labelling.submit(engine, annotator, Answered(shown.lease_id, Value.YES), moment(1))

    hammer(engine, 8, 6, take_and_answer)
    assert len(held) == len(set(held)) == 48
    assert labelling.count_labels(engine, STUDY).retrieval == 48


def test_with_two_votes_wanted_no_question_is_held_by_three(engine: Engine, tmp_path: Path) -> None:
    make_study(engine, tmp_path, plain_rows(4), RETRIEVAL_ONLY)
    want_votes(engine, 2)

    def take(annotator: Annotator, _step: int) -> None:
        question(engine, annotator)

    hammer(engine, 8, 1, take)
    with reading(engine) as session:
        query = select(func.count()).where(Lease.closed_at.is_(None)).group_by(Lease.context_id)
        assert list(session.scalars(query)) == [2, 2, 2, 2]


def test_while_anything_is_open_nobody_is_told_that_there_is_nothing(
    engine: Engine, tmp_path: Path
) -> None:
    # 8 people and 24 questions: whoever asks must get one, also while others are choosing.
    make_study(engine, tmp_path, plain_rows(24), RETRIEVAL_ONLY)
    hammer(engine, 8, 3, lambda annotator, step: _ask_or_answer(engine, annotator, step))


def _ask_or_answer(engine: Engine, annotator: Annotator, step: int) -> None:
    shown = question(engine, annotator, step)
    if random.Random(f"{annotator.person} {step}").random() < 0.5:
        labelling.submit(engine, annotator, Answered(shown.lease_id, Value.NO), moment(step))


def test_a_study_without_items_says_so(engine: Engine) -> None:
    studies.create(engine, STUDY, Choices(), "lead", moment(0))
    empty = desk(engine, ANNA).empty
    assert empty is not None
    assert empty.reason == EmptyReason.NO_ITEMS


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ([Value.YES, Value.NO], EmptyReason.FINISHED),
        ([Value.CANT_TELL, Value.CANT_TELL], EmptyReason.FINISHED),
        ([Value.YES, Value.SKIP], EmptyReason.SKIPPED_THE_REST),
    ],
)
def test_an_empty_queue_names_its_reason(
    engine: Engine, tmp_path: Path, values: list[Value], reason: EmptyReason
) -> None:
    make_study(engine, tmp_path, plain_rows(2), RETRIEVAL_ONLY)
    for value in values:
        answer_next(engine, ANNA, value)
    empty = desk(engine, ANNA).empty
    assert empty is not None
    assert empty.reason == reason


def test_who_gave_their_share_of_the_votes_is_told_so(engine: Engine, tmp_path: Path) -> None:
    make_study(engine, tmp_path, plain_rows(1), RETRIEVAL_ONLY)
    want_votes(engine, 2)
    answer_next(engine, ANNA)
    empty = desk(engine, ANNA).empty
    assert empty is not None
    assert empty.reason == EmptyReason.ANSWERED_YOUR_SHARE


def test_a_skip_is_personal_and_does_not_come_back(engine: Engine, tmp_path: Path) -> None:
    make_study(engine, tmp_path, plain_rows(2), RETRIEVAL_ONLY)
    answer_next(engine, ANNA, Value.SKIP)
    assert question(engine, ANNA).item.item_id == "i1"
    assert question(engine, BEN).item.item_id == "i0"
    assert labelling.count_labels(engine, STUDY) == (0, 0)
    assert desk(engine, BEN).progress == (0, 2)


def test_retrieval_is_asked_before_the_task_of_an_answer(engine: Engine, tmp_path: Path) -> None:
    make_study(engine, tmp_path, plain_rows(2))
    asked = []
    for second in range(4):
        shown = question(engine, ANNA, second)
        asked.append((shown.item.item_id, str(shown.label_type)))
        labelling.submit(engine, ANNA, Answered(shown.lease_id, Value.YES), moment(second))
    assert asked == [("i0", "retrieval"), ("i0", "task"), ("i1", "retrieval"), ("i1", "task")]


@pytest.mark.parametrize(("asks", "kinds"), [(Asks.RETRIEVAL, "RR"), (Asks.TASK, "TT")])
def test_a_study_asks_only_what_it_says(
    engine: Engine, tmp_path: Path, asks: Asks, kinds: str
) -> None:
    make_study(engine, tmp_path, plain_rows(2), Choices(asks=asks))
    asked = ""
    for second in range(2):
        asked += question(engine, ANNA, second).label_type[0].upper()
        answer_next(engine, ANNA, Value.YES, second)
    assert asked == kinds
    assert desk(engine, ANNA).progress == (2, 2)


def test_an_unnamed_column_of_a_machine_is_never_shown(engine: Engine, tmp_path: Path) -> None:
    make_study(engine, tmp_path, [Row("a")], Choices(shows_metadata=True))
    assert question(engine, ANNA).metadata == ()
