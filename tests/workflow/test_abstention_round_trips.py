"""What people said of abstention goes out with the items and comes in again, counts and all."""

from pathlib import Path

import pandas as pd
import pytest
from sqlalchemy import Engine, func, select

from db.counts import count_patterns
from db.engine import reading
from db.studies import get_study
from db.tables import AbstentionOverride
from tests.small_studies import (
    ANNA,
    STUDY,
    bring_in,
    csv_text,
    export_bytes,
    export_rows,
    moment,
    say,
)
from workflow import exporting, importing, labelling
from workflow.exporting import FileFormat, Kind, Wish
from workflow.filecounts import AbstentionFrom, count_file
from workflow.importing import Request
from workflow.labelling import LabelType, Value

OVERRIDDEN = [
    # item_id, abstained cell, answer, label of the task, a person's word afterwards
    ("none", "", "In the drawer.", Value.YES, None),
    ("found refusal", "", "No luck with that.", Value.NO, 1),
    ("found answer", "", "I don't know.", None, 0),
    ("against column", "0", "In the drawer.", None, 1),
    ("column was wrong", "1", "In the drawer.", None, 0),
    ("empty", "", "", None, 0),
]


def write(folder: Path, content: bytes, suffix: str = "csv") -> Path:
    path = folder / f"file.{suffix}"
    path.write_bytes(content)
    return path


def items_of(engine: Engine, study: str) -> list[dict[str, str]]:
    return export_rows(engine, Kind.ITEMS, study)


def without(engine: Engine, *dropped: str) -> bytes:
    """The item file without some of its columns."""
    found = items_of(engine, STUDY)
    header = [name for name in found[0] if name not in dropped]
    return csv_text(header, [[row[name] for name in header] for row in found]).encode()


def overridden_study(engine: Engine, folder: Path) -> None:
    """People who say that refusals are answers and answers are refusals."""
    header = ("item_id", "query", "contexts", "answer", "abstained")
    cells = [(key, f"{key}?", "C", answer, flag) for key, flag, answer, _, _ in OVERRIDDEN]
    bring_in(engine, write(folder, csv_text(header, cells).encode()))
    for key, _, _, task, word in OVERRIDDEN:
        if task is not None:
            say(engine, key, LabelType.TASK, task)
        if word is not None:
            labelling.override_abstention(engine, ANNA, key, word, moment(1))
    for key in ("found answer", "column was wrong", "empty"):
        say(engine, key, LabelType.TASK, Value.NO)


def counts_of(engine: Engine, study: str) -> pd.DataFrame:
    with reading(engine) as session:
        return count_patterns(session, get_study(session, study).id)


def what_lasts(rows: list[dict[str, str]]) -> list[dict[str, str]]:
    """To an import a task label says that there was an answer; one of a refusal is not in items."""
    passing = {"abstained_source", "task_votes"}
    return [{name: row[name] for name in row if name not in passing} for row in rows]


def is_by_person(row: dict[str, str]) -> bool:
    return row["abstained_source"] == "person"


def words_of(engine: Engine) -> int:
    """How many words on abstention the log holds."""
    with reading(engine) as session:
        return session.scalars(select(func.count(AbstentionOverride.id))).one()


@pytest.mark.parametrize("file_format", list(FileFormat))
def test_what_people_said_of_abstention_comes_back_with_the_same_counts(
    engine: Engine, tmp_path: Path, file_format: FileFormat
) -> None:
    overridden_study(engine, tmp_path)
    used = {row["item_id"]: row["abstained_used"] for row in items_of(engine, STUDY)}
    wanted = {key: "0" if word is None else str(word) for key, _, _, _, word in OVERRIDDEN}
    assert used == wanted
    wish = Wish(STUDY, Kind.ITEMS, file_format)
    path = write(tmp_path, b"".join(exporting.stream(engine, wish)), file_format)
    said = words_of(engine)
    again = bring_in(engine, path)
    assert (again.items.new, again.items.num_changed, again.labels.num_conflicts) == (0, 0, 0)
    assert words_of(engine) == said
    bring_in(engine, path, "Fresh")
    assert what_lasts(items_of(engine, "Fresh")) == what_lasts(items_of(engine, STUDY))
    by_person = {r["item_id"] for r in items_of(engine, "Fresh") if is_by_person(r)}
    assert by_person == {key for key, _, _, _, word in OVERRIDDEN if word is not None}
    assert words_of(engine) == 2 * said
    counts = counts_of(engine, STUDY)
    pd.testing.assert_frame_equal(counts_of(engine, "Fresh"), counts)
    of_file = count_file(path, {}, AbstentionFrom.RULES)
    columns = list(counts.columns)
    pd.testing.assert_frame_equal(
        of_file.sort_values(columns[:4], ignore_index=True), counts, check_dtype=False
    )


def test_the_twin_without_its_source_column_loses_what_people_said(
    engine: Engine, tmp_path: Path
) -> None:
    overridden_study(engine, tmp_path)
    bring_in(engine, write(tmp_path, without(engine, "abstained_source", "task_label")), "Fresh")
    assert not counts_of(engine, "Fresh").equals(counts_of(engine, STUDY))


def test_a_task_label_older_than_its_refusal_comes_back_and_does_not_count(
    engine: Engine, tmp_path: Path
) -> None:
    overridden_study(engine, tmp_path)
    items = write(tmp_path, without(engine, "retrieval_label", "task_label"))
    request = Request("Fresh", items, "lead")
    importing.import_file(engine, request, moment(9))
    labels = write(tmp_path, export_bytes(engine, Kind.LABELS))
    bring_in(engine, labels, "Fresh")
    found = [(row["item_id"], row["value"]) for row in export_rows(engine, Kind.LABELS, "Fresh")]
    assert ("found refusal", "0") in found
    assert len(found) == len(export_rows(engine, Kind.LABELS))
    pd.testing.assert_frame_equal(counts_of(engine, "Fresh"), counts_of(engine, STUDY))


def test_another_word_on_abstention_is_a_change_that_wants_confirmation(
    engine: Engine, tmp_path: Path
) -> None:
    overridden_study(engine, tmp_path)
    path = write(tmp_path, export_bytes(engine, Kind.ITEMS))
    before = counts_of(engine, STUDY)
    labelling.override_abstention(engine, ANNA, "against column", None, moment(2))
    after = counts_of(engine, STUDY)
    assert bring_in(engine, path).items.changed == ("against column",)
    pd.testing.assert_frame_equal(counts_of(engine, STUDY), after)
    assert bring_in(engine, path, replaces=True).is_written
    pd.testing.assert_frame_equal(counts_of(engine, STUDY), before)
    assert bring_in(engine, path).items.unchanged == len(OVERRIDDEN)
