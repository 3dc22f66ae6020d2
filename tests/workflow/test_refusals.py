"""The task of a refusal is undefined: never asked, never counted, whoever says so and when."""

from pathlib import Path

import pytest
from sqlalchemy import Engine

from db.errors import StoreError
from model.abstention.phrases import PhraseRule, Scope
from model.abstention.rules import DEFAULT_RULES, AbstentionRules
from tests.small_studies import (
    ANNA,
    REFUSAL,
    START,
    STUDY,
    Row,
    answer_next,
    bring_in,
    desk,
    export_bytes,
    export_rows,
    make_study,
    moment,
    question,
    say,
)
from workflow import fitting, labelling, refusals
from workflow.errors import RatchetError
from workflow.exporting import Kind
from workflow.labelling import LabelType, Value
from workflow.studies import Asks, Choices

TASK = LabelType.TASK
ROWS = [
    Row("silent", query="One?", answer=REFUSAL),
    Row("empty", query="Two?", answer=""),
    Row("spoken", query="Three?", answer="In the drawer."),
]
ONLY_TASK = Choices(asks=Asks.TASK)


def patterns(engine: Engine) -> set[tuple[int, int, int]]:
    (table,) = fitting.read_due(engine, STUDY).tables.values()
    return {(int(a), int(r), int(t)) for a, r, t in table.cells}


def override(engine: Engine, item: str, value: int | None) -> None:
    labelling.override_abstention(engine, ANNA, item, value, START)


def test_only_answers_are_asked_for_their_task(engine: Engine, tmp_path: Path) -> None:
    make_study(engine, tmp_path, ROWS, ONLY_TASK)
    assert question(engine, ANNA).item.item_id == "spoken"
    answer_next(engine, ANNA)
    assert desk(engine, ANNA).question is None
    assert desk(engine, ANNA).progress == (1, 1)


def test_refusals_are_still_asked_for_their_retrieval(engine: Engine, tmp_path: Path) -> None:
    make_study(engine, tmp_path, ROWS)
    asked = []
    while desk(engine, ANNA).question is not None:
        shown = question(engine, ANNA)
        asked.append((shown.item.item_id, str(shown.label_type)))
        answer_next(engine, ANNA)
    assert asked == [
        ("silent", "retrieval"),
        ("empty", "retrieval"),
        ("spoken", "retrieval"),
        ("spoken", "task"),
    ]


def test_a_script_cannot_label_the_task_of_a_refusal(engine: Engine, tmp_path: Path) -> None:
    make_study(engine, tmp_path, ROWS)
    with pytest.raises(RatchetError, match=r"'silent' is a refusal.*override"):
        say(engine, "silent", TASK, Value.YES)
    assert export_rows(engine, Kind.LABELS, every=True) == []


def test_a_file_of_items_cannot_label_the_task_of_an_abstained_row(
    engine: Engine, tmp_path: Path
) -> None:
    path = tmp_path / "wrong.csv"
    path.write_text("item_id,query,answer,abstained,task_label\na,Q?,A,0,1\nb,Q?,B,1,1\n")
    with pytest.raises(StoreError, match=r"Row 2: column 'task_label' is 1"):
        bring_in(engine, path)


def test_a_file_of_labels_cannot_label_the_task_of_a_refusal(
    engine: Engine, tmp_path: Path
) -> None:
    make_study(engine, tmp_path, ROWS)
    path = tmp_path / "labels.csv"
    path.write_text("item_id,label_type,value,annotator\nspoken,task,1,a\nsilent,task,1,a\n")
    with pytest.raises(StoreError, match=r"Row 2: item 'silent' is a refusal"):
        bring_in(engine, path)
    assert export_rows(engine, Kind.LABELS, every=True) == []


def test_an_override_after_a_task_label_takes_the_task_out_of_the_counts(
    engine: Engine, tmp_path: Path
) -> None:
    make_study(engine, tmp_path, ROWS[2:])
    say(engine, "spoken", TASK, Value.YES)
    assert patterns(engine) == {(0, -1, 1)}
    override(engine, "spoken", 1)
    assert patterns(engine) == {(1, -1, -1)}
    item = export_rows(engine, Kind.ITEMS)[0]
    assert (item["task_label"], item["abstained_used"], item["abstained_source"]) == (
        "",
        "1",
        "person",
    )
    fitting.refresh(engine, STUDY, fitting.Engine.EXACT, START)  # and it can be fitted


def test_taking_the_override_back_brings_the_task_label_back(
    engine: Engine, tmp_path: Path
) -> None:
    make_study(engine, tmp_path, ROWS[2:])
    say(engine, "spoken", TASK, Value.YES)
    override(engine, "spoken", 1)
    override(engine, "spoken", None)
    assert patterns(engine) == {(0, -1, 1)}
    assert export_rows(engine, Kind.ITEMS)[0]["abstained_source"] == "rules"


def test_an_override_makes_a_refusal_an_answer_whose_task_is_asked(
    engine: Engine, tmp_path: Path
) -> None:
    make_study(engine, tmp_path, ROWS[:1], ONLY_TASK)
    assert desk(engine, ANNA).question is None
    override(engine, "silent", 0)
    assert question(engine, ANNA).item.item_id == "silent"


def test_a_task_question_on_screen_is_taken_away_when_its_answer_becomes_a_refusal(
    engine: Engine, tmp_path: Path
) -> None:
    make_study(engine, tmp_path, ROWS[2:], ONLY_TASK)
    held = question(engine, ANNA)
    override(engine, "spoken", 1)
    assert desk(engine, ANNA).question is None
    with pytest.raises(RatchetError, match="no longer yours"):
        labelling.submit(engine, ANNA, labelling.Answered(held.lease_id, Value.YES), moment(1))


def test_an_answer_saved_just_after_its_refusal_was_found_does_not_count(
    engine: Engine, tmp_path: Path
) -> None:
    make_study(engine, tmp_path, ROWS[2:], ONLY_TASK)
    held = question(engine, ANNA)
    override(engine, "spoken", 1)
    labelling.submit(engine, ANNA, labelling.Answered(held.lease_id, Value.YES), moment(1))
    assert patterns(engine) == {(1, -1, -1)}


def test_own_labels_of_what_became_a_refusal_come_back_in_without_complaint(
    engine: Engine, tmp_path: Path
) -> None:
    make_study(engine, tmp_path, ROWS[2:])
    say(engine, "spoken", TASK, Value.YES)
    path = tmp_path / "labels.csv"
    path.write_bytes(export_bytes(engine, Kind.LABELS))
    override(engine, "spoken", 1)
    found = bring_in(engine, path).labels
    assert (found.new, found.unchanged, found.num_conflicts) == (0, 1, 0)


def test_new_rules_change_verdicts_but_not_the_words_of_people_or_columns(
    engine: Engine, tmp_path: Path
) -> None:
    path = tmp_path / "rows.csv"
    path.write_text(
        "item_id,query,answer,abstained\n"
        "by_rules,One?,Bananas are not my thing.,\n"
        "by_column,Two?,Bananas are not my thing.,0\n"
        "by_person,Three?,Bananas are not my thing.,\n"
        "untouched,Four?,In the drawer.,\n"
    )
    bring_in(engine, path)
    override(engine, "by_person", 0)
    rule = PhraseRule("en", "not my thing", Scope.WHOLE_ANSWER)
    rules = AbstentionRules((*DEFAULT_RULES.phrases, rule))
    seen = refusals.preview(engine, STUDY, rules)
    assert (seen.num_changes, list(seen.changes["item_id"])) == (
        3,
        ["by_rules", "by_column", "by_person"],
    )
    assert refusals.put_in_force(engine, STUDY, rules, "lead", START) == 2
    used = {row["item_id"]: row["abstained_used"] for row in export_rows(engine, Kind.ITEMS)}
    assert used == {"by_rules": "1", "by_column": "0", "by_person": "0", "untouched": "0"}
    assert refusals.read_rules(engine, STUDY) == (2, rules)


def test_an_answer_that_is_not_known_is_neither_answer_nor_refusal(
    engine: Engine, tmp_path: Path
) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("item_id,query,contexts\na,Q?,C\n")
    bring_in(engine, path)
    assert patterns(engine) == {(-1, -1, -1)}
    assert question(engine, ANNA).label_type == LabelType.RETRIEVAL
    answer_next(engine, ANNA)
    assert desk(engine, ANNA).question is None  # there is no text whose task could be judged
