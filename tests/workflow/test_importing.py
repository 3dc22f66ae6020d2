"""Files in: all or nothing, never twice, nothing replaced unasked, nobody kept waiting."""

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import Engine, func, select

from db import audit, people
from db import studies as store
from db.engine import make_engine, reading, transaction
from db.errors import StoreError
from db.tables import Base
from tests.small_studies import (
    ANNA,
    BEN,
    LEAD,
    START,
    STUDY,
    answer_next,
    bring_in,
    csv_text,
    export_bytes,
    export_rows,
    question,
    say,
)
from workflow import importing, labelling, studies
from workflow.exporting import Kind
from workflow.importing import Request
from workflow.labelling import LabelType, Value

HEADER = ("item_id", "system", "query", "context_id", "contexts", "answer", "retrieval_label")
FIRST = [
    ("a", "one", "Q1?", "c1", "P1", "A", "1"),
    ("b", "two", "Q1?", "c1", "P1", "B", ""),
    ("c", "one", "Q2?", "c2", "P2", "C", "0"),
]


def write(folder: Path, rows: Sequence[tuple[str, ...]], header: tuple[str, ...] = HEADER) -> Path:
    path = folder / "file.csv"
    path.write_bytes(csv_text(header, rows).encode())
    return path


def everything(engine: Engine) -> dict[str, int]:
    """Rows of every table: what an import must leave alone when it fails."""
    with engine.connect() as connection:
        return {
            name: connection.scalar(select(func.count()).select_from(table)) or 0
            for name, table in Base.metadata.tables.items()
        }


def labels_of(engine: Engine) -> dict[str, str]:
    return {row["item_id"]: row["retrieval_label"] for row in export_rows(engine, Kind.ITEMS)}


def test_importing_twice_says_nothing_new_and_adds_nothing(engine: Engine, tmp_path: Path) -> None:
    path = write(tmp_path, FIRST)
    first = bring_in(engine, path)
    assert importing.describe(first) == "3 new items, 0 unchanged; 2 new labels, 0 unchanged."
    before = export_bytes(engine, Kind.ITEMS), export_bytes(engine, Kind.LABELS, every=True)
    second = bring_in(engine, path)
    assert importing.describe(second) == "0 new items, 3 unchanged; 0 new labels, 2 unchanged."
    assert (export_bytes(engine, Kind.ITEMS), export_bytes(engine, Kind.LABELS, every=True)) == (
        before
    )


def test_more_rows_add_only_what_is_new(engine: Engine, tmp_path: Path) -> None:
    bring_in(engine, write(tmp_path, FIRST[:2]))
    report = bring_in(engine, write(tmp_path, FIRST))
    assert (report.items.new, report.items.unchanged) == (1, 2)
    assert [row["item_id"] for row in export_rows(engine, Kind.ITEMS)] == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("column", "value"),
    [(1, "three"), (2, "Another query?"), (3, "c9"), (4, "Another passage"), (5, "Another answer")],
)
def test_a_changed_row_is_listed_and_changes_nothing_until_it_is_confirmed(
    engine: Engine, tmp_path: Path, column: int, value: str
) -> None:
    bring_in(engine, write(tmp_path, FIRST))
    before, tables = export_bytes(engine, Kind.ITEMS), everything(engine)
    changed = [*FIRST[:2], (*FIRST[2][:column], value, *FIRST[2][column + 1 :])]
    path = write(tmp_path, [*changed, ("d", "one", "Q4?", "c4", "P4", "D", "")])
    report = bring_in(engine, path)
    assert report.needs_confirmation
    assert not report.is_written
    assert (report.items.new, report.items.num_changed, report.items.changed) == (1, 1, ("c",))
    assert export_bytes(engine, Kind.ITEMS) == before
    assert everything(engine) == tables
    assert bring_in(engine, path, replaces=True).is_written
    row = export_rows(engine, Kind.ITEMS)[2]
    assert row[HEADER[column]] == value
    assert len(export_rows(engine, Kind.ITEMS)) == 4
    assert importing.describe(bring_in(engine, path)).startswith("0 new items, 4 unchanged; 0 new")


def test_a_contradicting_label_is_listed_and_changes_nothing_until_it_is_confirmed(
    engine: Engine, tmp_path: Path
) -> None:
    bring_in(engine, write(tmp_path, FIRST))
    before = export_bytes(engine, Kind.LABELS, every=True)
    path = write(tmp_path, [*FIRST[:2], (*FIRST[2][:6], "1")])
    report = bring_in(engine, path)
    assert (report.labels.num_conflicts, report.labels.conflicts) == (1, ("c",))
    assert not report.is_written
    assert export_bytes(engine, Kind.LABELS, every=True) == before
    assert bring_in(engine, path, replaces=True).is_written
    assert labels_of(engine) == {"a": "1", "b": "1", "c": "1"}
    statuses = [row["status"] for row in export_rows(engine, Kind.LABELS, every=True)]
    assert sorted(statuses) == ["current", "current", "superseded"]


def test_a_file_without_names_that_contradicts_a_person_is_a_conflict(
    engine: Engine, tmp_path: Path
) -> None:
    bring_in(engine, write(tmp_path, FIRST[:2]))
    say(engine, "b", LabelType.TASK, Value.YES)
    path = write(
        tmp_path,
        [(*FIRST[1], "0")],
        (*HEADER, "task_label"),
    )
    report = bring_in(engine, path)
    assert (report.labels.num_conflicts, report.is_written) == (1, False)


def test_a_label_by_somebody_else_is_one_more_vote(engine: Engine, tmp_path: Path) -> None:
    header = ("item_id", "label_type", "value", "annotator")
    bring_in(engine, write(tmp_path, FIRST[:1]))
    path = write(
        tmp_path, [("a", "retrieval", "1", "anna"), ("a", "retrieval", "1", "ben")], header
    )
    assert bring_in(engine, path).labels.new == 2
    assert export_rows(engine, Kind.ITEMS)[0]["retrieval_votes"] == "3"


def test_a_dry_run_says_the_same_and_writes_nothing(engine: Engine, tmp_path: Path) -> None:
    path = write(tmp_path, FIRST)
    before = everything(engine)
    dry = importing.import_file(engine, Request(STUDY, path, LEAD, is_dry_run=True), START)
    assert everything(engine) == before
    wet = bring_in(engine, path)
    assert dry == wet._replace(is_written=False)


@pytest.mark.parametrize(
    ("last", "words"),
    [
        (("z", "one", "", "c", "P", "A", ""), "Row 1001: the query is empty"),
        (("z", "one", "Q", "c", "P", "A", "maybe"), "Row 1001: column 'retrieval_label'"),
        (("i5", "one", "Q", "c", "P", "A", ""), "Rows 6 and 1001 both have the item_id 'i5'"),
        (("z", "one", "Q0?", "c0", "Not P0", "A", ""), "Rows 1 to 1001 share the context_id 'c0'"),
        (("z" * 501, "one", "Q", "c", "P", "A", ""), "Row 1001: item_id has 501 characters"),
    ],
)
def test_an_error_in_the_last_row_is_named_and_leaves_nothing_behind(
    engine: Engine, tmp_path: Path, last: tuple[str, ...], words: str
) -> None:
    before = everything(engine)
    rows: list[tuple[str, ...]] = [
        (f"i{n}", "one", f"Q{n}?", f"c{n}", f"P{n}", "A", "1") for n in range(1000)
    ]
    with pytest.raises(StoreError, match=words):
        bring_in(engine, write(tmp_path, [*rows, last]))
    assert everything(engine) == before


def test_rows_that_share_a_context_and_disagree_without_names_are_refused(
    engine: Engine, tmp_path: Path
) -> None:
    rows = [FIRST[0], (*FIRST[1][:6], "0")]
    with pytest.raises(StoreError, match=r"Rows 1 and 2 give different retrieval labels"):
        bring_in(engine, write(tmp_path, rows))


def test_a_label_file_for_an_unknown_item_or_study_is_refused(
    engine: Engine, tmp_path: Path
) -> None:
    header = ("item_id", "label_type", "value")
    path = write(tmp_path, [("nowhere", "retrieval", "1")], header)
    with pytest.raises(StoreError, match="no study 'Study'"):
        bring_in(engine, path)
    bring_in(engine, write(tmp_path, FIRST))
    with pytest.raises(StoreError, match="Row 1: there is no item 'nowhere'"):
        bring_in(engine, write(tmp_path, [("nowhere", "retrieval", "1")], header))
    with pytest.raises(StoreError, match="Row 1: column 'value' is 'perhaps'"):
        bring_in(engine, write(tmp_path, [("a", "retrieval", "perhaps")], header))


def test_importing_one_file_from_six_at_once_adds_it_once(engine: Engine, tmp_path: Path) -> None:
    studies.create(engine, STUDY, studies.Choices(), LEAD, START)
    path = write(tmp_path, FIRST)
    with ThreadPoolExecutor(6) as pool:
        reports = list(pool.map(lambda _: bring_in(engine, path), range(6)))
    assert sorted(report.items.new for report in reports) == [0, 0, 0, 0, 0, 3]
    assert labels_of(engine) == {"a": "1", "b": "1", "c": "0"}


def test_labels_given_during_an_import_are_counted_with_its_own(
    engine: Engine, tmp_path: Path
) -> None:
    """The votes of every subject are those of its answers, whoever wrote last."""
    header = ("item_id", "label_type", "value", "annotator")
    rows = [(f"i{n}", "s", f"Q{n}", f"c{n}", "P", "A", "") for n in range(40)]
    bring_in(engine, write(tmp_path, [*rows]))
    path = tmp_path / "labels.csv"
    path.write_bytes(csv_text(header, [(f"i{n}", "task", "1", "file") for n in range(40)]).encode())

    def label(person: int) -> None:
        annotator = labelling.Annotator(STUDY, f"person {person}")
        for n in range(0, 40, 4):
            say(engine, f"i{n + person}", LabelType.TASK, Value.NO, annotator)

    with ThreadPoolExecutor(5) as pool:
        labelled = [pool.submit(label, person) for person in range(4)]
        bring_in(engine, path)
        for one in labelled:
            one.result()
    answers = export_rows(engine, Kind.LABELS)
    for row in export_rows(engine, Kind.ITEMS):
        mine = [one["value"] for one in answers if one["item_id"] == row["item_id"]]
        assert row["task_votes"] == str(len(mine))


def test_a_large_import_takes_no_lock_before_its_last_step(
    sqlite_engine: Engine, tmp_path: Path
) -> None:
    """While rows are read and staged, another connection writes at once."""
    rows = [(f"i{n}", "one", f"Q{n}?", f"c{n}", f"P{n}", "A" * 1000, "") for n in range(20_000)]
    path = write(tmp_path, rows)
    other = make_engine(str(sqlite_engine.url))
    waited = []

    def write_meanwhile(rows_read: int) -> None:
        start = time.monotonic()
        with transaction(other) as session:
            people.ensure_person(session, f"somebody {rows_read}", START)
        waited.append(time.monotonic() - start)

    importing.import_file(sqlite_engine, Request(STUDY, path, LEAD), START, write_meanwhile)
    other.dispose()
    assert len(waited) > 3
    # Were a lock held, the writer would wait for its timeout of 30 s and fail.
    assert max(waited) < 5


def test_an_import_keeps_the_leases_and_answers_of_people(engine: Engine, tmp_path: Path) -> None:
    bring_in(engine, write(tmp_path, [(*row[:6], "") for row in FIRST]))
    answer_next(engine, BEN)
    held = question(engine, ANNA)
    more: list[tuple[str, ...]] = [("d", "one", "Q4?", "c4", "P4", "D", "")]
    bring_in(engine, write(tmp_path, more))
    assert question(engine, ANNA) == held
    assert labelling.count_labels(engine, STUDY) == (1, 0)


def test_each_import_is_on_the_record(engine: Engine, tmp_path: Path) -> None:
    bring_in(engine, write(tmp_path, FIRST))
    with reading(engine) as session:
        study_id = store.get_study(session, STUDY).id
        deeds = [deed for _, deed in audit.list_deeds(session, study_id)]
    assert [deed.action for deed in deeds] == ["create study", "import"]
    assert deeds[1].detail["file"] == "file.csv"


def test_a_mapping_names_columns_that_have_other_names(engine: Engine, tmp_path: Path) -> None:
    path = write(tmp_path, [("a", "Q?", "P", "A")], ("key", "asked", "found", "said"))
    mapping = {"item_id": "key", "query": "asked", "contexts": "found", "answer": "said"}
    importing.import_file(engine, Request(STUDY, path, LEAD, mapping), START)
    row = export_rows(engine, Kind.ITEMS)[0]
    assert (row["item_id"], row["query"], row["contexts"], row["answer"]) == ("a", "Q?", "P", "A")
