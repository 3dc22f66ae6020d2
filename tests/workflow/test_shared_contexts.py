"""A retrieval label belongs to a query and its contexts, and serves every system that has them."""

from pathlib import Path

from sqlalchemy import Engine

from tests.small_studies import (
    ANNA,
    BEN,
    STUDY,
    Row,
    answer_next,
    bring_in,
    desk,
    export_rows,
    make_study,
    question,
    say,
)
from workflow import fitting, labelling
from workflow.exporting import Kind
from workflow.labelling import LabelType, Value
from workflow.studies import Asks, Choices

SYSTEMS = ("one", "two", "three")
SHARED = [Row(f"{system}-1", system, answer=f"Answer of {system}.") for system in SYSTEMS]
OTHER = Row("one-2", "one", contexts="Another passage.")  # same query, other contexts


def test_a_label_on_one_systems_item_serves_the_others(engine: Engine, tmp_path: Path) -> None:
    make_study(engine, tmp_path, [*SHARED, OTHER])
    say(engine, "two-1", LabelType.RETRIEVAL, Value.YES)
    exported = {row["item_id"]: row["retrieval_label"] for row in export_rows(engine, Kind.ITEMS)}
    assert exported == {"one-1": "1", "two-1": "1", "three-1": "1", "one-2": ""}
    assert labelling.count_labels(engine, STUDY) == (1, 0)


def test_its_fits_count_the_shared_label_in_every_system(engine: Engine, tmp_path: Path) -> None:
    make_study(engine, tmp_path, [*SHARED, OTHER])
    say(engine, "two-1", LabelType.RETRIEVAL, Value.YES)
    tables = fitting.read_due(engine, STUDY).tables
    seen = {system: table.counts[table.cells[:, 1] == 1].sum() for system, table in tables.items()}
    assert seen == {"one": 1, "two": 1, "three": 1}


def test_a_shared_question_is_asked_once(engine: Engine, tmp_path: Path) -> None:
    make_study(engine, tmp_path, [*SHARED, OTHER], Choices(asks=Asks.RETRIEVAL))
    assert desk(engine, ANNA).progress == (0, 2)
    asked = []
    while desk(engine, ANNA).question is not None:
        asked.append(question(engine, ANNA).item.item_id)
        answer_next(engine, ANNA)
    assert asked == ["one-1", "one-2"]
    assert desk(engine, ANNA).progress == (2, 2)


def test_two_people_do_not_hold_one_shared_question_on_two_items(
    engine: Engine, tmp_path: Path
) -> None:
    make_study(engine, tmp_path, [*SHARED, OTHER], Choices(asks=Asks.RETRIEVAL))
    assert question(engine, ANNA).item.item_id == "one-1"
    assert question(engine, BEN).item.item_id == "one-2"


def test_one_query_with_other_contexts_is_another_question(engine: Engine, tmp_path: Path) -> None:
    make_study(engine, tmp_path, [SHARED[0], OTHER])
    say(engine, "one-1", LabelType.RETRIEVAL, Value.YES)
    assert export_rows(engine, Kind.ITEMS)[1]["retrieval_label"] == ""


def test_relabelling_through_another_item_replaces_ones_own_answer(
    engine: Engine, tmp_path: Path
) -> None:
    make_study(engine, tmp_path, SHARED)
    say(engine, "one-1", LabelType.RETRIEVAL, Value.YES)
    say(engine, "three-1", LabelType.RETRIEVAL, Value.NO)
    labels = export_rows(engine, Kind.LABELS)
    assert [(row["item_id"], row["value"]) for row in labels] == [("three-1", "0")]
    assert {row["retrieval_label"] for row in export_rows(engine, Kind.ITEMS)} == {"0"}


def test_rows_without_contexts_share_with_nobody(engine: Engine, tmp_path: Path) -> None:
    path = tmp_path / "bare.csv"
    path.write_text("item_id,system,query,answer\na,one,Q?,A\nb,two,Q?,A\n")
    bring_in(engine, path)
    say(engine, "a", LabelType.RETRIEVAL, Value.YES)
    assert [row["retrieval_label"] for row in export_rows(engine, Kind.ITEMS)] == ["1", ""]
