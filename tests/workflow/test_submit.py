"""One submit is one label: however often, from however many, through whosever lease."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import Engine, func, select

from db.engine import reading
from db.tables import Answer, LabelEvent
from tests.small_studies import (
    ANNA,
    BEN,
    answer_next,
    export_rows,
    make_study,
    moment,
    plain_rows,
    question,
    want_votes,
)
from workflow import labelling
from workflow.errors import RatchetError
from workflow.exporting import Kind
from workflow.labelling import Annotator, Answered, Saved, Value


def events(engine: Engine) -> int:
    return count(engine, LabelEvent)


def answers(engine: Engine) -> int:
    return count(engine, Answer)


def count(engine: Engine, table: type[LabelEvent] | type[Answer]) -> int:
    with reading(engine) as session:
        return session.scalars(select(func.count()).select_from(table)).one()


def submit_again(engine: Engine, answer: Answered, _time: int) -> Saved:
    return labelling.submit(engine, ANNA, answer, moment(1))


def at_once(times: int, work: Callable[[int], Saved]) -> list[Saved]:
    with ThreadPoolExecutor(times) as pool:
        return list(pool.map(work, range(times)))


def test_the_same_submit_ten_times_is_one_label_and_all_hear_of_it(
    engine: Engine, tmp_path: Path
) -> None:
    make_study(engine, tmp_path, plain_rows(3))
    answer = Answered(question(engine, ANNA).lease_id, Value.YES)
    saved = [labelling.submit(engine, ANNA, answer, moment(n)) for n in range(10)]
    assert [one.is_new for one in saved] == [True, *[False] * 9]
    assert len({one.event_id for one in saved}) == 1
    assert {one.saved_at for one in saved} == {moment(0)}
    assert (events(engine), answers(engine)) == (1, 1)


def test_the_same_submit_from_ten_threads_at_once_is_one_label(
    engine: Engine, tmp_path: Path
) -> None:
    make_study(engine, tmp_path, plain_rows(5))
    for n in range(5):
        answer = Answered(question(engine, ANNA, n).lease_id, Value.YES)
        saved = at_once(10, partial(submit_again, engine, answer))
        assert [one.is_new for one in saved].count(True) == 1
        assert (events(engine), answers(engine)) == (n + 1, n + 1)


def test_a_second_answer_through_one_lease_does_not_change_the_first(
    engine: Engine, tmp_path: Path
) -> None:
    make_study(engine, tmp_path, plain_rows(1))
    lease_id = question(engine, ANNA).lease_id
    labelling.submit(engine, ANNA, Answered(lease_id, Value.YES), moment(0))
    again = labelling.submit(engine, ANNA, Answered(lease_id, Value.NO), moment(1))
    assert (again.value, again.is_new) == (Value.YES, False)
    assert export_rows(engine, Kind.LABELS)[0]["value"] == "1"


def test_an_answer_through_another_persons_lease_writes_nothing_and_says_so(
    engine: Engine, tmp_path: Path
) -> None:
    make_study(engine, tmp_path, plain_rows(2))
    lease_id = question(engine, ANNA).lease_id
    with pytest.raises(RatchetError, match="not saved"):
        labelling.submit(engine, BEN, Answered(lease_id, Value.YES), moment(0))
    assert (events(engine), answers(engine)) == (0, 0)
    assert question(engine, ANNA).lease_id == lease_id


def test_what_another_person_saved_is_not_told_to_who_submits_through_their_lease(
    engine: Engine, tmp_path: Path
) -> None:
    make_study(engine, tmp_path, plain_rows(2))
    lease_id = question(engine, ANNA).lease_id
    labelling.submit(engine, ANNA, Answered(lease_id, Value.YES), moment(0))
    with pytest.raises(RatchetError, match="not saved"):
        labelling.submit(engine, BEN, Answered(lease_id, Value.NO), moment(0))


def test_an_answer_through_a_lease_that_was_given_back_writes_nothing(
    engine: Engine, tmp_path: Path
) -> None:
    make_study(engine, tmp_path, plain_rows(2))
    first = answer_next(engine, ANNA)
    left = question(engine, ANNA, 1).lease_id
    labelling.undo(engine, ANNA, first.event_id, moment(2))  # hands out the first one again
    before = events(engine)
    with pytest.raises(RatchetError, match="no longer yours"):
        labelling.submit(engine, ANNA, Answered(left, Value.YES), moment(3))
    assert events(engine) == before


@pytest.mark.parametrize("lease_id", [0, -1, 10**9])
def test_an_answer_through_a_lease_that_never_was_writes_nothing(
    sqlite_engine: Engine, tmp_path: Path, lease_id: int
) -> None:
    make_study(sqlite_engine, tmp_path, plain_rows(1))
    with pytest.raises(RatchetError, match="no longer yours"):
        labelling.submit(sqlite_engine, ANNA, Answered(lease_id, Value.YES), moment(0))
    assert events(sqlite_engine) == 0


def test_with_two_votes_wanted_exactly_two_of_eight_at_once_count(
    engine: Engine, tmp_path: Path
) -> None:
    make_study(engine, tmp_path, plain_rows(1))
    want_votes(engine, 2)
    people = [Annotator(ANNA.study, f"person {n}") for n in range(8)]
    # Each one's lease has expired when the next one asks, so that all eight hold the question.
    held = [question(engine, one, 1000 * n).lease_id for n, one in enumerate(people)]

    def submit(number: int) -> Saved:
        answer = Answered(held[number], Value.YES)
        return labelling.submit(engine, people[number], answer, moment(9000))

    at_once(8, submit)
    counted = export_rows(engine, Kind.LABELS)
    everything = export_rows(engine, Kind.LABELS, every=True)
    assert len(counted) == 2
    assert sorted(row["status"] for row in everything) == ["current"] * 2 + ["extra"] * 6
    assert export_rows(engine, Kind.ITEMS)[0]["retrieval_votes"] == "2"


def test_seconds_are_those_from_question_to_answer(engine: Engine, tmp_path: Path) -> None:
    make_study(engine, tmp_path, plain_rows(1))
    lease_id = question(engine, ANNA, 10).lease_id
    labelling.submit(engine, ANNA, Answered(lease_id, Value.YES, "odd"), moment(17.25))
    row = export_rows(engine, Kind.LABELS)[0]
    assert (row["seconds"], row["note"], row["reason_asked"]) == ("7.25", "odd", "study order")
    assert row["labelled_at"] == "2026-03-01T09:00:17.250000Z"
