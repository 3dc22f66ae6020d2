"""Do the two committed files tell the story they should, cell for cell?

Everything here is counted from the files by the csv module, without the generator's own tables.
"""

import csv
import json
import unicodedata
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

import pytest

SAMPLE = Path(__file__).parents[2] / "sample_data"


class Row(NamedTuple):
    """One item with its truth; `cells` has every column of the items file."""

    cells: dict[str, str]
    retrieval: int
    abstained: int
    task: int | None


def _read(name: str) -> list[dict[str, str]]:
    with (SAMPLE / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, strict=True))


def _rows() -> list[Row]:
    items, truths = _read("help_desk.csv"), _read("help_desk_truth.csv")
    assert [item["item_id"] for item in items] == [truth["item_id"] for truth in truths]
    return [
        Row(
            cells=item,
            retrieval=int(truth["retrieval"]),
            abstained=int(truth["abstained"]),
            task=int(truth["task"]) if truth["task"] else None,
        )
        for item, truth in zip(items, truths, strict=True)
    ]


ROWS = _rows()


def _rows_by(column: str) -> dict[str, list[Row]]:
    groups: dict[str, list[Row]] = defaultdict(list)
    for row in ROWS:
        groups[row.cells[column]].append(row)
    return groups


def _adherence(row: Row) -> int:
    """G of statistics.md, section 1."""
    cell = (row.retrieval, row.abstained, row.task)
    return int(cell in {(0, 1, None), (1, 0, 1)})


def test_there_are_720_answers_of_three_systems_to_240_questions() -> None:
    assert len(ROWS) == len({row.cells["item_id"] for row in ROWS}) == 720
    assert len(_rows_by("query_id")) == len(_rows_by("query")) == 240
    for rows in _rows_by("query_id").values():
        assert sorted(row.cells["system"] for row in rows) == [
            "desk-guarded",
            "desk-large",
            "desk-small",
        ]


@pytest.mark.parametrize(
    ("system", "adherence"), [("desk-small", 0.164), ("desk-large", 0.414), ("desk-guarded", 0.496)]
)
def test_systems_are_right_equally_often_and_differ_in_adherence(
    system: str, adherence: float
) -> None:
    rows = _rows_by("system")[system]
    task_success = sum(row.task == 1 for row in rows) / len(rows)
    assert task_success == pytest.approx(0.24, abs=0.01)
    assert sum(map(_adherence, rows)) / len(rows) == pytest.approx(adherence, abs=0.01)


@pytest.mark.parametrize("system", ["desk-small", "desk-large", "desk-guarded"])
def test_every_system_is_right_more_often_where_retrieval_worked(system: str) -> None:
    answered = [row for row in _rows_by("system")[system] if not row.abstained]
    failed = [row.task == 1 for row in answered if not row.retrieval]
    worked = [row.task == 1 for row in answered if row.retrieval]
    assert 0 < sum(failed) / len(failed) < sum(worked) / len(worked) < 1


def test_answers_to_one_question_share_its_contexts_and_its_retrieval() -> None:
    for column in ("query_id", "context_id"):
        for rows in _rows_by(column).values():
            shared = {(r.cells["contexts"], r.cells["reference"], r.retrieval) for r in rows}
            assert len(shared) == 1


def test_task_is_blank_exactly_where_the_system_abstained() -> None:
    assert all((row.task is None) == (row.abstained == 1) for row in ROWS)


def test_about_15_percent_of_the_questions_come_labelled_and_agree_with_the_truth() -> None:
    labelled = [row for row in ROWS if row.cells["annotator"]]
    assert len(labelled) / len(ROWS) == pytest.approx(0.15, abs=0.01)
    for row in labelled:
        assert row.cells["annotator"] == "sample"
        assert row.cells["labelled_at"].endswith("Z")
        assert row.cells["retrieval_label"] == str(row.retrieval)
        assert row.cells["task_label"] == ("" if row.task is None else str(row.task))


@pytest.mark.parametrize("system", ["desk-small", "desk-large", "desk-guarded"])
def test_the_labelled_part_is_typical_of_the_whole(system: str) -> None:
    rows = _rows_by("system")[system]
    labelled = [row for row in rows if row.cells["annotator"]]
    for is_hit in (
        lambda row: row.retrieval,
        lambda row: row.task == 1,
        _adherence,
    ):
        share, whole = (sum(map(is_hit, part)) / len(part) for part in (labelled, rows))
        assert share == pytest.approx(whole, abs=0.06)


def test_a_question_is_labelled_for_all_systems_or_for_none() -> None:
    for rows in _rows_by("query_id").values():
        assert len({row.cells["retrieval_label"] for row in rows}) == 1


def test_unlabelled_rows_leave_every_label_column_blank() -> None:
    columns = ("retrieval_label", "task_label", "labelled_at")
    unlabelled = [row for row in ROWS if not row.cells["annotator"]]
    assert all(row.cells[column] == "" for row in unlabelled for column in columns)


def test_the_app_is_left_to_find_out_who_abstained() -> None:
    assert "abstained" not in ROWS[0].cells


def test_passages_are_two_to_four_readable_paragraphs() -> None:
    for rows in _rows_by("context_id").values():
        passages = json.loads(rows[0].cells["contexts"])
        assert 2 <= len(passages) <= 4
        for passage in passages:
            assert list(passage) == ["id", "title", "text", "score"]
            assert 40 <= len(passage["text"].split()) <= 120
            assert 0 < passage["score"] <= 1


def test_scores_fall_from_passage_to_passage() -> None:
    for rows in _rows_by("context_id").values():
        scores = [passage["score"] for passage in json.loads(rows[0].cells["contexts"])]
        assert scores == sorted(scores, reverse=True)


def test_two_languages_share_the_questions_about_70_to_30_and_one_runs_right_to_left() -> None:
    count = {language: len(rows) / 720 for language, rows in _rows_by("language").items()}
    assert count["en"] == pytest.approx(0.70, abs=0.02)
    assert count["de"] == pytest.approx(0.30, abs=0.02)
    right_to_left = {
        row.cells["query_id"]
        for row in ROWS
        if unicodedata.bidirectional(row.cells["query"][0]) in {"R", "AL"}
    }
    assert len(right_to_left) == 1


@pytest.mark.parametrize(
    "literal", ["$5", ":smile:", "<repair>", "**", '"', "\n\n", "\N{BIRTHDAY CAKE}", "e\u0301"]
)
def test_texts_hold_marks_that_careless_rendering_would_swallow(literal: str) -> None:
    texts = [row.cells["answer"] for row in ROWS]
    texts += [p["text"] for row in ROWS for p in json.loads(row.cells["contexts"])]
    assert any(literal in text for text in texts)


def test_an_empty_answer_is_a_quoted_cell_and_a_missing_label_is_not() -> None:
    text = (SAMPLE / "help_desk.csv").read_text(encoding="utf-8")
    empty = [row for row in ROWS if row.cells["answer"] == ""]
    assert empty
    assert all(row.abstained for row in empty)
    for row in empty:
        assert f',"",{row.cells["reference"]},' in text or f',"","{row.cells["reference"]}' in text
    assert text.count(',"",') == len(empty)


def test_rows_are_in_a_mixed_order_under_rising_ids() -> None:
    assert [row.cells["item_id"] for row in ROWS] == [f"hd-{n:04}" for n in range(1, 721)]
    first = ROWS[:30]
    assert len({row.cells["topic"] for row in first}) >= 10
    assert len({row.cells["query_id"] for row in first}) >= 25


def test_the_items_file_stays_small() -> None:
    assert (SAMPLE / "help_desk.csv").stat().st_size < 2_500_000
