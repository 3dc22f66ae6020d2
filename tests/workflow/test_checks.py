"""Known answers: practice comes first, hidden checks look like questions, none of them counts."""

from pathlib import Path

import pytest
from sqlalchemy import Engine

from db.errors import StoreError
from tests.small_studies import (
    ANNA,
    BEN,
    LEAD,
    STUDY,
    Row,
    answer_next,
    desk,
    export_rows,
    make_study,
    moment,
    plain_rows,
    question,
)
from workflow import checking, collecting, fitting, labelling, studies
from workflow.checking import KnownWish, LabelType, Value
from workflow.collecting import Budgets, Spending
from workflow.errors import RatchetError
from workflow.exporting import Kind
from workflow.studies import Asks, Choices

RETRIEVAL_ONLY = Choices(asks=Asks.RETRIEVAL)


def know(engine: Engine, item: str, value: Value, is_practice: bool = False) -> None:
    wish = KnownWish(item, LabelType.RETRIEVAL, value, is_practice, "See the passage.")
    checking.add(engine, STUDY, wish, LEAD, moment(0))


def mix_in(engine: Engine, share: float, first: bool = False) -> None:
    wished = RETRIEVAL_ONLY._replace(gold_share=share, practices_first=first)
    studies.change(engine, STUDY, wished, LEAD, moment(0))


def test_practice_comes_first_and_tells_the_answer(engine: Engine, tmp_path: Path) -> None:
    make_study(engine, tmp_path, plain_rows(4), RETRIEVAL_ONLY)
    know(engine, "i2", Value.NO, is_practice=True)
    know(engine, "i3", Value.YES, is_practice=True)
    mix_in(engine, 0, first=True)
    first = question(engine, ANNA)
    assert (first.item.item_id, first.practice) == ("i2", (1, 2))
    saved = answer_next(engine, ANNA, Value.YES)
    assert saved.known is not None
    assert (saved.known.value, saved.known.explanation) == (Value.NO, "See the passage.")
    assert question(engine, ANNA).practice == (2, 2)
    answer_next(engine, ANNA, Value.YES)
    assert (question(engine, ANNA).item.item_id, question(engine, ANNA).practice) == ("i0", None)
    assert question(engine, BEN).practice == (1, 2)


@pytest.mark.behaviour(12)
def test_checks_count_nowhere(engine: Engine, tmp_path: Path) -> None:
    make_study(engine, tmp_path, plain_rows(3), RETRIEVAL_ONLY)
    know(engine, "i2", Value.NO)
    assert studies.list_overviews(engine)[0].progress == (0, 2)
    before = fitting.read_due(engine, STUDY)
    collecting.set_budgets(engine, STUDY, Budgets(in_all=2), LEAD, moment(0))
    mix_in(engine, 1.0)
    assert question(engine, ANNA).item.item_id == "i2"
    answer_next(engine, ANNA, Value.NO)
    assert desk(engine, ANNA).progress == (0, 2)
    assert labelling.count_labels(engine, STUDY) == (0, 0)
    after = fitting.read_due(engine, STUDY)
    assert (after.tables["one"].counts == before.tables["one"].counts).all()
    assert export_rows(engine, Kind.LABELS, every=True) == []
    assert {row["retrieval_votes"] for row in export_rows(engine, Kind.ITEMS)} == {"0"}
    spending = collecting.read_collection(engine, STUDY, moment(0)).spending
    assert spending == Spending(0, 0, 1, 0)  # the ordinary question in Anna's hands
    answer_next(engine, ANNA)
    answer_next(engine, ANNA)
    assert labelling.count_labels(engine, STUDY) == (2, 0)


@pytest.mark.behaviour(14)
def test_a_hidden_check_cannot_be_told_from_a_question(engine: Engine, tmp_path: Path) -> None:
    make_study(engine, tmp_path, plain_rows(3), RETRIEVAL_ONLY)
    know(engine, "i2", Value.NO)
    mix_in(engine, 1.0)
    check = question(engine, ANNA)
    saved = answer_next(engine, ANNA, Value.YES)
    ordinary = question(engine, ANNA)
    given = answer_next(engine, ANNA, Value.YES)
    hidden = {"lease_id", "item"}
    for name in set(check._fields) - hidden:
        assert getattr(check, name) == getattr(ordinary, name)
    assert saved[1:] == given[1:]
    recent = desk(engine, ANNA).recent
    assert [one.item_id for one in recent] == [ordinary.item.item_id, "i2"]


@pytest.mark.behaviour(7)
def test_a_check_is_undone_and_changed_like_a_label(engine: Engine, tmp_path: Path) -> None:
    make_study(engine, tmp_path, plain_rows(3), RETRIEVAL_ONLY)
    know(engine, "i2", Value.NO)
    mix_in(engine, 1.0)
    saved = answer_next(engine, ANNA, Value.YES)
    labelling.undo(engine, ANNA, saved.event_id, moment(1))
    assert question(engine, ANNA, 1).item.item_id == "i2"
    assert checking.list_results(engine, STUDY) == []
    saved = answer_next(engine, ANNA, Value.YES, 2)
    labelling.reopen(engine, ANNA, saved.event_id, moment(3))
    assert question(engine, ANNA, 3).previous == Value.YES
    answer_next(engine, ANNA, Value.NO, 4)
    (result,) = checking.list_results(engine, STUDY)
    assert (result.person, result.given, result.known) == ("anna", Value.NO, Value.NO)
    assert question(engine, ANNA, 5).item.item_id == "i0"


def test_a_question_becomes_ordinary_again(engine: Engine, tmp_path: Path) -> None:
    make_study(engine, tmp_path, plain_rows(1), RETRIEVAL_ONLY)
    know(engine, "i0", Value.NO)
    assert desk(engine, ANNA).question is None
    (known,) = checking.list_known(engine, STUDY)
    checking.remove(engine, STUDY, known.id, LEAD, moment(1))
    assert question(engine, ANNA).item.item_id == "i0"


def test_a_bad_known_answer_is_refused(engine: Engine, tmp_path: Path) -> None:
    rows = [Row("a"), Row("b", "two"), Row("no", query="Q?", answer="I don't know.")]
    make_study(engine, tmp_path, rows)
    know(engine, "a", Value.NO)
    with pytest.raises(StoreError, match="known answer already"):
        know(engine, "b", Value.NO)  # the same query and passages
    with pytest.raises(StoreError, match="nowhere"):
        know(engine, "nowhere", Value.NO)
    wish = KnownWish("no", LabelType.TASK, Value.NO, False)
    with pytest.raises(RatchetError, match="is a refusal"):
        checking.add(engine, STUDY, wish, LEAD, moment(0))
    with pytest.raises(RatchetError, match="A skip is no answer"):
        know(engine, "a", Value.SKIP)
