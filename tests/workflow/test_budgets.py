"""Budgets: labels given and questions in hand never exceed them, of each type and in all."""

from pathlib import Path

import pytest
from sqlalchemy import Engine

from tests.small_studies import (
    ANNA,
    BEN,
    LEAD,
    STUDY,
    answer_next,
    bring_in,
    csv_text,
    desk,
    make_study,
    moment,
    plain_rows,
    question,
    say,
)
from workflow import collecting, labelling
from workflow.collecting import Budgets, Spending
from workflow.errors import RatchetError
from workflow.labelling import Answered, EmptyReason, LabelType, Value
from workflow.studies import Asks, Choices

pytestmark = pytest.mark.behaviour(9)
RETRIEVAL_ONLY = Choices(asks=Asks.RETRIEVAL)
AFTER_TTL = 601


def allow(engine: Engine, budgets: Budgets, seconds: float = 0) -> None:
    collecting.set_budgets(engine, STUDY, budgets, LEAD, moment(seconds))


def spent(engine: Engine, seconds: float = 0) -> Spending:
    return collecting.read_collection(engine, STUDY, moment(seconds)).spending


def why_empty(engine: Engine, seconds: float = 0) -> EmptyReason:
    empty = desk(engine, ANNA, seconds).empty
    assert empty is not None
    return empty.reason


def test_the_queue_ends_with_the_budget_and_says_the_numbers(
    engine: Engine, tmp_path: Path
) -> None:
    make_study(engine, tmp_path, plain_rows(5), RETRIEVAL_ONLY)
    allow(engine, Budgets(in_all=2))
    answer_next(engine, ANNA)
    answer_next(engine, ANNA)
    empty = desk(engine, ANNA).empty
    assert empty is not None
    assert (empty.reason, empty.budgets.in_all) == (EmptyReason.BUDGET_SPENT, 2)
    assert empty.spending == Spending(2, 0, 0, 0)


def test_a_question_in_somebodys_hands_takes_its_place(engine: Engine, tmp_path: Path) -> None:
    make_study(engine, tmp_path, plain_rows(5), RETRIEVAL_ONLY)
    allow(engine, Budgets(in_all=1))
    question(engine, BEN)
    assert why_empty(engine) == EmptyReason.BUDGET_SPENT
    assert spent(engine) == Spending(0, 0, 1, 0)
    # Ben's lease ends and Anna gets the place; Ben may still answer, which costs nothing.
    late = question(engine, ANNA, AFTER_TTL)
    labelling.submit(engine, ANNA, Answered(late.lease_id, Value.YES), moment(AFTER_TTL))
    assert spent(engine, AFTER_TTL) == Spending(1, 0, 0, 0)


def test_who_comes_back_after_the_place_went_to_others_is_kept_as_extra(
    engine: Engine, tmp_path: Path
) -> None:
    make_study(engine, tmp_path, plain_rows(5), RETRIEVAL_ONLY)
    allow(engine, Budgets(in_all=1))
    held = question(engine, BEN)
    answer_next(engine, ANNA, seconds=AFTER_TTL)
    saved = labelling.submit(engine, BEN, Answered(held.lease_id, Value.NO), moment(AFTER_TTL + 1))
    assert (saved.is_extra, saved.why_extra) == (True, labelling.KEPT_UNPAID)
    assert labelling.count_labels(engine, STUDY) == (1, 0)


def test_an_expired_lease_is_renewed_only_where_there_is_room(
    engine: Engine, tmp_path: Path
) -> None:
    make_study(engine, tmp_path, plain_rows(5), RETRIEVAL_ONLY)
    allow(engine, Budgets(in_all=1))
    question(engine, ANNA)
    assert question(engine, ANNA, AFTER_TTL).item.item_id == "i0"
    question_of_ben = desk(engine, BEN, 2 * AFTER_TTL + 1).question
    assert question_of_ben is not None
    assert why_empty(engine, 2 * AFTER_TTL + 2) == EmptyReason.BUDGET_SPENT


def test_each_type_has_its_own_budget(engine: Engine, tmp_path: Path) -> None:
    make_study(engine, tmp_path, plain_rows(4))
    allow(engine, Budgets(retrieval=1, task=2))
    asked = []
    for second in range(3):
        asked.append(str(question(engine, ANNA, second).label_type))
        answer_next(engine, ANNA, seconds=second)
    assert asked == ["retrieval", "task", "task"]
    assert why_empty(engine) == EmptyReason.BUDGET_SPENT


def test_undo_and_skip_refund(engine: Engine, tmp_path: Path) -> None:
    make_study(engine, tmp_path, plain_rows(4), RETRIEVAL_ONLY)
    allow(engine, Budgets(in_all=1))
    answer_next(engine, ANNA, Value.SKIP)
    saved = answer_next(engine, ANNA)
    assert why_empty(engine) == EmptyReason.BUDGET_SPENT
    labelling.undo(engine, ANNA, saved.event_id, moment(3))
    assert spent(engine, 3) == Spending(0, 0, 1, 0)
    assert not answer_next(engine, ANNA, Value.NO, 4).is_extra
    assert spent(engine, 4) == Spending(1, 0, 0, 0)


def test_a_change_costs_nothing_and_is_never_refused(engine: Engine, tmp_path: Path) -> None:
    make_study(engine, tmp_path, plain_rows(4), RETRIEVAL_ONLY)
    allow(engine, Budgets(in_all=1))
    saved = answer_next(engine, ANNA)
    labelling.reopen(engine, ANNA, saved.event_id, moment(1))
    assert spent(engine, 1) == Spending(1, 0, 0, 0)
    again = answer_next(engine, ANNA, Value.NO, 2)
    assert not again.is_extra
    assert spent(engine, 3) == Spending(1, 0, 0, 0)


def test_a_skip_changed_to_an_answer_needs_room(engine: Engine, tmp_path: Path) -> None:
    make_study(engine, tmp_path, plain_rows(4), RETRIEVAL_ONLY)
    allow(engine, Budgets(in_all=1))
    skipped = answer_next(engine, ANNA, Value.SKIP)
    answer_next(engine, ANNA)
    labelling.reopen(engine, ANNA, skipped.event_id, moment(1))
    assert answer_next(engine, ANNA, Value.YES, 2).is_extra
    assert spent(engine, 3) == Spending(1, 0, 0, 0)


def test_imported_labels_cost_nothing_and_scripts_pay(engine: Engine, tmp_path: Path) -> None:
    make_study(engine, tmp_path, plain_rows(4), RETRIEVAL_ONLY)
    path = tmp_path / "labels.csv"
    rows = [("i3", "retrieval", "1", "carl")]
    path.write_text(csv_text(("item_id", "label_type", "value", "annotator"), rows))
    bring_in(engine, path)
    assert labelling.count_labels(engine, STUDY) == (1, 0)
    allow(engine, Budgets(in_all=1))
    assert not say(engine, "i0", LabelType.RETRIEVAL, Value.YES).is_extra
    assert say(engine, "i1", LabelType.RETRIEVAL, Value.YES).is_extra
    assert spent(engine) == Spending(1, 0, 0, 0)


@pytest.mark.parametrize(
    ("wished", "found"),
    [
        (Budgets(in_all=2), "of all labels would be 2, but 2 are given and 1 in people's hands"),
        (Budgets(retrieval=1), "of retrieval labels would be 1, but 2 are given"),
        (Budgets(task=-1), "of task labels would be -1, but 0 are given"),
    ],
)
def test_a_budget_below_what_is_spent_is_refused_with_the_numbers(
    engine: Engine, tmp_path: Path, wished: Budgets, found: str
) -> None:
    make_study(engine, tmp_path, plain_rows(4), RETRIEVAL_ONLY)
    answer_next(engine, ANNA)
    answer_next(engine, ANNA)
    question(engine, BEN)
    before = collecting.read_collection(engine, STUDY, moment(0))
    with pytest.raises(RatchetError, match=found):
        allow(engine, wished)
    assert collecting.read_collection(engine, STUDY, moment(0)) == before
    allow(engine, Budgets(in_all=3))
