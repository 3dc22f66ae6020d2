"""What goes in comes out: every cell, every label, in every format, again and again."""

from collections.abc import Sequence
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from sqlalchemy import Engine, update

from db.engine import transaction
from db.tables import LabelEvent
from tests.small_studies import (
    ANNA,
    BEN,
    STUDY,
    Row,
    answer_next,
    bring_in,
    csv_text,
    export_bytes,
    export_rows,
    make_study,
    moment,
    question,
    say,
)
from workflow import exporting, labelling
from workflow.exporting import FileFormat, Kind, Wish
from workflow.labelling import Answered, LabelType, Value

HEADER = (
    "item_id",
    "system",
    "query_id",
    "query",
    "context_id",
    "contexts",
    "answer",
    "reference",
    "abstained",
    "retrieval_label",
    "task_label",
    "judge:strict:task",
    "judge:strict:task:score",
    "retrieval_score",
    "note, with comma",
)
TEXTS = [
    "plain",
    "NA",
    "null",
    "007",
    "1e5",
    "-5",
    "true",
    'say "yes", please',
    "two\nlines",
    "carriage\r\nreturn",
    "lone\rreturn",
    "tab\tin it",
    " blanks around ",
    "🦔 und 👩‍👩‍👧",
    "e\u0301 is not é",
    "שלום עולם",
    "مرحبا \u202bبالعالم\u202c",
    "=1+1",
    "'=1",
    "@cmd",
    "+49 30 123",
    "-not a number",
    "\ufeffmark",
    "[1, 2]",
    '{"a": 1}',
    "x" * 2**20,
]


def rows() -> list[tuple[str, ...]]:
    """Each text once in each free column, the odd cells blank."""
    made: list[tuple[str, ...]] = []
    for number, text in enumerate(TEXTS):
        task = ("", "0", "1")[number % 3]
        made.append(
            (
                f"{number:04}",
                ("one", "two")[number % 2],
                f"q{number}",
                text[:99],
                f"c{number}",
                text[:99],
                text,
                text[:99] if number % 4 else "",
                "0" if task else "",
                ("", "0", "1", "")[number % 4],
                task,
                ("", "0", "1")[number % 3],
                ("", "0.25")[number % 2],
                "0.5",
                text[:99],
            )
        )
    return made


def write(folder: Path, content: bytes, suffix: str = "csv") -> Path:
    path = folder / f"file.{suffix}"
    path.write_bytes(content)
    return path


def first_file(folder: Path) -> Path:
    return write(folder, csv_text(HEADER, rows()).encode())


def items_of(engine: Engine, study: str) -> list[dict[str, str]]:
    return export_rows(engine, Kind.ITEMS, study)


def labels_of(engine: Engine, study: str) -> list[dict[str, str]]:
    """The labels of a study, but for what names the study and its fits."""
    return [
        {name: cell for name, cell in row.items() if name not in {"study", "fit_id"}}
        for row in export_rows(engine, Kind.LABELS, study)
    ]


def test_every_imported_cell_comes_back_as_it_was(engine: Engine, tmp_path: Path) -> None:
    bring_in(engine, first_file(tmp_path))
    exported = items_of(engine, STUDY)
    for row, cells in zip(exported, rows(), strict=True):
        assert {name: row[name] for name in HEADER} == dict(zip(HEADER, cells, strict=True))


@pytest.mark.parametrize(
    ("file_format", "safe"),
    [(FileFormat.CSV, True), *((file_format, False) for file_format in FileFormat)],
)
def test_items_out_and_in_again_add_nothing_and_fill_a_fresh_study_equal_cell_for_cell(
    engine: Engine, tmp_path: Path, file_format: FileFormat, safe: bool
) -> None:
    bring_in(engine, first_file(tmp_path))
    wish = Wish(STUDY, Kind.ITEMS, file_format, is_spreadsheet_safe=safe)
    path = write(tmp_path, b"".join(exporting.stream(engine, wish)), file_format)
    again = bring_in(engine, path)
    assert (again.items.new, again.items.num_changed) == (0, 0)
    assert (again.labels.new, again.labels.num_conflicts) == (0, 0)
    bring_in(engine, path, "Fresh")
    assert items_of(engine, "Fresh") == items_of(engine, STUDY)
    # And from there once more, to the byte.
    assert export_bytes(engine, Kind.ITEMS, "Fresh") == export_bytes(engine, Kind.ITEMS, STUDY)


@pytest.mark.parametrize("file_format", [FileFormat.JSONL, FileFormat.PARQUET])
def test_null_and_empty_text_stay_apart(
    engine: Engine, tmp_path: Path, file_format: FileFormat
) -> None:
    text = '{"item_id": "a", "query": "Q", "answer": "A", "reference": null, "extra": ""}\n'
    text += '{"item_id": "b", "query": "Q", "answer": "A", "reference": "", "extra": null}\n'
    bring_in(engine, write(tmp_path, text.encode(), "jsonl"))
    wish = Wish(STUDY, Kind.ITEMS, FileFormat.PARQUET)
    path = write(tmp_path, b"".join(exporting.stream(engine, wish)), "parquet")
    columns = pq.read_table(path).to_pydict()
    assert (columns["reference"], columns["extra"]) == ([None, ""], ["", None])
    wish = Wish(STUDY, Kind.ITEMS, file_format)
    path = write(tmp_path, b"".join(exporting.stream(engine, wish)), file_format)
    report = bring_in(engine, path)
    assert (report.items.unchanged, report.items.num_changed) == (2, 0)


def test_a_csv_tells_a_blank_cell_from_an_empty_text(engine: Engine, tmp_path: Path) -> None:
    bring_in(engine, write(tmp_path, b'item_id,query,answer,reference\na,Q,A,\nb,Q,A,""\n'))
    lines = export_bytes(engine, Kind.ITEMS).decode().splitlines()
    place = lines[0].split(",").index("reference")
    assert [line.split(",")[place] for line in lines[1:]] == ["", '""']


def labelled_study(engine: Engine, folder: Path) -> None:
    """People who answer, cannot tell, skip, change their mind, undo and come too late."""
    study = [
        Row("01", "one"),
        Row("02", "two", answer="Under the mat."),
        Row("03", query="Lamp?", contexts="None."),
        Row("04", query="Door?", contexts="A door."),
    ]
    make_study(engine, folder, study)
    late = question(engine, BEN, 0).lease_id
    answer_next(engine, ANNA, Value.YES, 700.125)
    labelling.submit(engine, BEN, Answered(late, Value.NO, "late"), moment(701))
    answer_next(engine, ANNA, Value.CANT_TELL, 702)
    answer_next(engine, ANNA, Value.SKIP, 703)
    undone = answer_next(engine, ANNA, Value.NO, 704)
    labelling.undo(engine, ANNA, undone.event_id, moment(705))
    say(engine, "04", LabelType.TASK, Value.NO)
    say(engine, "04", LabelType.TASK, Value.YES)
    with transaction(engine) as session:
        session.execute(update(LabelEvent).values(selection_probability=0.1))


@pytest.mark.parametrize("file_format", list(FileFormat))
def test_labels_out_and_in_again_add_nothing_and_fill_a_fresh_study_alike(
    engine: Engine, tmp_path: Path, file_format: FileFormat
) -> None:
    labelled_study(engine, tmp_path)
    items = write(tmp_path, bare_items(engine))
    wish = Wish(STUDY, Kind.LABELS, file_format)
    path = write(tmp_path, b"".join(exporting.stream(engine, wish)), file_format)
    report = bring_in(engine, path)
    assert (report.labels.new, report.labels.num_conflicts) == (0, 0)
    items = write(tmp_path, bare_items(engine))
    bring_in(engine, items, "Fresh")
    path = write(tmp_path, b"".join(exporting.stream(engine, wish)), file_format)
    bring_in(engine, path, "Fresh")
    assert labels_of(engine, "Fresh") == labels_of(engine, STUDY)
    assert len(labels_of(engine, STUDY)) == 3
    votes = ("retrieval_label", "task_label", "retrieval_votes", "task_votes")
    for old, new in zip(items_of(engine, STUDY), items_of(engine, "Fresh"), strict=True):
        assert {name: new[name] for name in votes} == {name: old[name] for name in votes}


def test_the_whole_history_brings_in_only_what_holds(engine: Engine, tmp_path: Path) -> None:
    labelled_study(engine, tmp_path)
    history = export_rows(engine, Kind.LABELS, every=True)
    assert sorted(row["status"] for row in history) == [
        "current",
        "current",
        "current",
        "extra",
        "skipped",
        "superseded",
        "undone",
    ]
    items = write(tmp_path, bare_items(engine))
    bring_in(engine, items, "Fresh")
    path = write(tmp_path, export_bytes(engine, Kind.LABELS, every=True))
    assert bring_in(engine, path).labels.new == 0
    bring_in(engine, path, "Fresh")
    assert labels_of(engine, "Fresh") == labels_of(engine, STUDY)


def bare_items(engine: Engine) -> bytes:
    """The item file without its labels."""
    found = items_of(engine, STUDY)
    header = [name for name in found[0] if name not in {"retrieval_label", "task_label"}]
    return csv_text(header, [[row[name] for name in header] for row in found]).encode()


def test_a_study_named_like_no_file_gets_a_file_name_that_every_system_accepts() -> None:
    names: Sequence[str] = ("a/b: c", "../..", "Übung 1", "***")
    made = [exporting.file_name(Wish(name, Kind.ITEMS)) for name in names]
    assert made == ["a-b--c-items.csv", "study-items.csv", "Übung-1-items.csv", "study-items.csv"]


def test_the_rows_counted_for_a_download_are_the_rows_of_its_file(
    engine: Engine, tmp_path: Path
) -> None:
    labelled_study(engine, tmp_path)
    for labelled in exporting.Labelled:
        for system in (None, "one", "two", "nobody's"):
            wish = Wish(STUDY, Kind.ITEMS, chosen=exporting.Filter(system, labelled))
            lines = b"".join(exporting.stream(engine, wish)).decode().splitlines()
            assert exporting.count_rows(engine, wish) == len(lines) - 1
    wish = Wish(STUDY, Kind.LABELS, every=True)
    assert exporting.count_rows(engine, wish) == len(export_rows(engine, Kind.LABELS, every=True))
