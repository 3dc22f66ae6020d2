"""Agreement of a study, its people, its conflicts, and what a lead decides of them."""

from pathlib import Path

import pytest
from sqlalchemy import Engine

from tests.small_studies import (
    ANNA,
    BEN,
    LEAD,
    STUDY,
    export_rows,
    make_study,
    moment,
    plain_rows,
    say,
)
from workflow import adjudicating, agreement_commands, collecting, database, quality
from workflow.adjudicating import Ruling
from workflow.errors import RatchetError
from workflow.exporting import Kind
from workflow.labelling import Annotator, LabelType, Value
from workflow.quality import Measure, TypeQuality

pytestmark = pytest.mark.behaviour(13)
CARL = Annotator(STUDY, "carl")
# Of ten questions Anna and Ben agree on 3 yes and 5 no, and differ on 2: p_o = .8; margins of yes
# .4 and .4: p_e = .16 + .36 = .52; kappa = .28 / .48 = 7/12.
ANSWERS = [("1", "1")] * 3 + [("0", "0")] * 5 + [("1", "0"), ("0", "1")]


def vote(engine: Engine, folder: Path, votes: int = 2) -> None:
    make_study(engine, folder, plain_rows(12))
    collecting.set_votes_wanted(engine, STUDY, votes, LEAD, moment(0))
    for number, (anna, ben) in enumerate(ANSWERS):
        say(engine, f"i{number}", LabelType.TASK, Value(anna), ANNA)
        say(engine, f"i{number}", LabelType.TASK, Value(ben), BEN)


def task(engine: Engine) -> TypeQuality:
    found = quality.read_quality(engine, STUDY)
    return next(one for one in found.types if one.label_type == LabelType.TASK)


def test_kappa_of_a_study_is_the_one_on_paper(engine: Engine, tmp_path: Path) -> None:
    vote(engine, tmp_path)
    found = {one.measure: one for one in task(engine).pairs[0].measures}
    assert found[Measure.COHEN_KAPPA].value == pytest.approx(7 / 12, abs=1e-12)
    assert found[Measure.RAW].value == pytest.approx(0.8)
    assert {one.items for one in found.values()} == {10}


def test_skips_extras_and_single_votes_are_out_and_cannot_tell_has_its_place(
    engine: Engine, tmp_path: Path
) -> None:
    vote(engine, tmp_path)
    before = task(engine)
    say(engine, "i0", LabelType.TASK, Value.NO, CARL)  # a third vote of two: extra
    say(engine, "i10", LabelType.TASK, Value.NO, CARL)  # a single vote
    assert task(engine) == before
    say(engine, "i10", LabelType.TASK, Value.CANT_TELL, ANNA)
    found = task(engine)
    assert found.questions == 11
    assert found.cannot_tell_share == pytest.approx(1 / 22)
    kappa = {one.measure: one for one in found.pairs[0].measures}[Measure.COHEN_KAPPA]
    assert kappa.value == pytest.approx(7 / 12, abs=1e-12)


def test_people_are_compared_with_what_most_others_say(engine: Engine, tmp_path: Path) -> None:
    vote(engine, tmp_path, votes=3)
    for number in range(10):
        say(engine, f"i{number}", LabelType.TASK, Value(ANSWERS[number][0]), CARL)
    found = {one.person: one for one in quality.read_quality(engine, STUDY).people}
    # Anna says what Carl says; where Ben differs from them the others tie for both of them.
    assert (found["anna"].with_others, found["anna"].compared) == (1.0, 8)
    assert (found["ben"].with_others, found["ben"].compared) == (0.8, 10)
    assert found["ben"].labels == 10


def test_where_the_reliable_stand_against_the_rest_the_guidelines_are_suspected(
    engine: Engine, tmp_path: Path
) -> None:
    make_study(engine, tmp_path, plain_rows(10))
    collecting.set_votes_wanted(engine, STUDY, 5, LEAD, moment(0))
    people = [Annotator(STUDY, name) for name in ("anna", "ben", "carl", "dora", "emil")]
    for number in range(10):
        for place, person in enumerate(people):
            # All say yes but Dora and Emil, who say no to the first item alone.
            value = Value.NO if number == 0 and place > 2 else Value.YES
            say(engine, f"i{number}", LabelType.TASK, value, person)
    (conflict,), _ = adjudicating.list_conflicts(engine, STUDY)
    assert conflict.item_key == "i0"
    problems = quality.read_quality(engine, STUDY).guideline_problems
    assert problems == ((LabelType.TASK, conflict.item_id),)


def test_a_tie_waits_for_a_lead_whose_word_holds(engine: Engine, tmp_path: Path) -> None:
    vote(engine, tmp_path)
    (first, second), waiting = adjudicating.list_conflicts(engine, STUDY)
    assert (first.yes, first.no, waiting) == (1, 1, 2)
    labels = {row["item_id"]: row["task_label"] for row in export_rows(engine, Kind.ITEMS)}
    assert (labels["i8"], labels["i0"]) == ("", "1")
    adjudicating.rule(engine, STUDY, Ruling(first, Value.YES, "see §2"), LEAD, moment(1))
    labels = {row["item_id"]: row["task_label"] for row in export_rows(engine, Kind.ITEMS)}
    assert labels["i8"] == "1"
    case = adjudicating.read_case(engine, first)
    assert case.decided == Value.YES
    assert [(one.person, one.value) for one in case.votes] == [("anna", "1"), ("ben", "0")]
    remaining, waiting = adjudicating.list_conflicts(engine, STUDY)
    assert [one.item_key for one in remaining] == ["i9", "i8"]
    assert waiting == 1
    with pytest.raises(RatchetError, match="A skip decides nothing"):
        adjudicating.rule(engine, STUDY, Ruling(second, Value.SKIP), LEAD, moment(2))


def test_the_command_says_the_same_in_words(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vote(engine, tmp_path)
    # A process of its own would close its connections at its end.
    monkeypatch.setattr(database, "connect_existing", lambda _url: engine)
    document = agreement_commands.agreement(STUDY, "task", 0.9)
    assert list(document["label_types"]) == ["task"]
    pair = document["label_types"]["task"]["pairs"][0]
    assert pair["cohen_kappa"]["value"] == pytest.approx(7 / 12)
    assert "anna and ben" in agreement_commands.agreement_text(document)
    assert "0.583" in agreement_commands.agreement_text(document)
    with pytest.raises(RatchetError, match="--interval is 2"):
        agreement_commands.agreement(STUDY, None, 2)
