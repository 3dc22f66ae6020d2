"""Small studies for tests: files of a few rows, imported as a lead would, and moments in time."""

import csv
import io
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import Engine, update

from db.engine import transaction
from db.tables import Study
from workflow import exporting, importing, labelling, studies
from workflow.exporting import Kind, Wish
from workflow.importing import Report, Request
from workflow.labelling import Annotator, Answered, Desk, LabelType, Question, Saved, Value
from workflow.studies import Choices

csv.field_size_limit(2**30)
START = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
STUDY = "Study"
LEAD = "lead"
PLAIN = Choices()
ANNA = Annotator(STUDY, "anna")
BEN = Annotator(STUDY, "ben")
HEADER = ("item_id", "system", "query", "contexts", "answer")
REFUSAL = "I don't know."


class Row(NamedTuple):
    """An answer of a file; rows with one query share its contexts."""

    item_id: str
    system: str = "one"
    query: str = "Where is the key?"
    contexts: str | None = "The key is in the drawer."
    answer: str | None = "In the drawer."


def moment(seconds: float) -> datetime:
    """A moment so many seconds after the start of the test's day."""
    return START + timedelta(seconds=seconds)


def plain_rows(count: int) -> list[Row]:
    """Answers to questions of their own, one system."""
    return [
        Row(f"i{n}", query=f"Question {n}?", contexts=f"Passage {n}.", answer=f"Answer {n}.")
        for n in range(count)
    ]


def csv_text(header: Sequence[str], rows: Iterable[Sequence[str | None]]) -> str:
    """CSV as `csv` of the standard library writes it; with CR LF it quotes both of them."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue()


def make_study(engine: Engine, folder: Path, rows: Iterable[Row], choices: Choices = PLAIN) -> None:
    """A study with these answers."""
    studies.create(engine, STUDY, choices, LEAD, START)
    path = folder / "rows.csv"
    path.write_bytes(csv_text(HEADER, rows).encode())
    bring_in(engine, path)


def bring_in(engine: Engine, path: Path, study: str = STUDY, replaces: bool = False) -> Report:
    """Import a file."""
    return importing.import_file(engine, Request(study, path, LEAD, {}, replaces), START)


def want_votes(engine: Engine, votes: int) -> None:
    """Set how many answers each question needs."""
    with transaction(engine) as session:
        session.execute(update(Study).values(votes_wanted=votes))


def desk(engine: Engine, annotator: Annotator, seconds: float = 0) -> Desk:
    """What the annotator sees at that second."""
    return labelling.open_desk(engine, annotator, moment(seconds))


def question(engine: Engine, annotator: Annotator, seconds: float = 0) -> Question:
    """The question on screen at that second; there must be one."""
    found = desk(engine, annotator, seconds).question
    assert found is not None
    return found


def answer_next(
    engine: Engine, annotator: Annotator, value: Value = Value.YES, seconds: float = 0
) -> Saved:
    """Answer the question on screen."""
    lease_id = question(engine, annotator, seconds).lease_id
    return labelling.submit(engine, annotator, Answered(lease_id, value), moment(seconds))


def say(
    engine: Engine, item: str, label_type: LabelType, value: Value, annotator: Annotator = ANNA
) -> Saved:
    """A label from a script."""
    label = labelling.ScriptLabel(item, label_type, value)
    return labelling.label_by_script(engine, annotator, label, START)


def export_bytes(engine: Engine, kind: Kind, study: str = STUDY, every: bool = False) -> bytes:
    """An export as CSV."""
    return b"".join(exporting.stream(engine, Wish(study, kind, every=every)))


def export_rows(
    engine: Engine, kind: Kind, study: str = STUDY, every: bool = False
) -> list[dict[str, str]]:
    """The rows of an export, read by `csv` of the standard library."""
    text = export_bytes(engine, kind, study, every).decode("utf-8")
    return list(csv.DictReader(io.StringIO(text, newline="")))
