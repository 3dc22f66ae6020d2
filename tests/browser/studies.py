"""Studies for browser tests, made through the workflow as a script would."""

import csv
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from sqlalchemy import Engine, text

from workflow import importing, labelling
from workflow import studies as workflow_studies
from workflow.studies import Choices

PERSON = "tester"
EVENTS = """
    select e.id, e.lease_id, i.item_key, e.label_type, e.value, e.note, a.id is not null
    from label_event e
    join study s on s.id = e.study_id
    join item i on i.id = e.item_id
    left join answer a on a.event_id = e.id
    where s.name = :name and e.kind = 'label'
    order by e.id
"""
FLAGS = """
    select f.note from flag f join study s on s.id = f.study_id where s.name = :name order by f.id
"""


class Item(NamedTuple):
    """One row of an item file."""

    item_id: str
    query: str = "How long is the warranty?"
    contexts: tuple[str, ...] = ("The warranty lasts three years.",)
    answer: str = "Three years."
    system: str = "base"
    reference: str = "Three years."


class Event(NamedTuple):
    """One row of label_event, as stored."""

    id: int
    lease_id: int | None
    item_id: str
    label_type: str
    value: str
    note: str | None
    is_current: bool


class Study(NamedTuple):
    """A study in the server's database."""

    store: Engine
    name: str

    def path(self, screen: str = "") -> str:
        """The address of a screen of this study."""
        return f"/{screen}?study={quote(self.name)}"

    def events(self) -> list[Event]:
        """Every label event of the study, oldest first, straight from the table."""
        with self.store.connect() as connection:
            rows = connection.execute(text(EVENTS), {"name": self.name})
            return [Event(*row) for row in rows]

    def labels(self) -> list[Event]:
        """The events that count now."""
        return [event for event in self.events() if event.is_current]

    def label(self, event: Event) -> None:
        """The same label as in an event, given by a script."""
        annotator = labelling.Annotator(self.name, PERSON)
        label = labelling.ScriptLabel(
            event.item_id,
            labelling.LabelType(event.label_type),
            labelling.Value(event.value),
            event.note,
        )
        labelling.label_by_script(self.store, annotator, label, datetime.now(UTC))

    def flags(self) -> list[str]:
        """The notes left for the lead, oldest first."""
        with self.store.connect() as connection:
            return list(connection.scalars(text(FLAGS), {"name": self.name}))


class StudyMaker(NamedTuple):
    """Makes studies under one name."""

    store: Engine
    folder: Path
    name: str

    def plain(self, size: int, choices: Choices | None = None) -> Study:
        """Items that differ in their numbers alone."""
        items = [
            Item(
                f"item-{number:03}",
                f"Question {number}?",
                (f"Passage {number}: the answer is {number}.", f"Another passage {number}."),
                f"Answer {number}.",
                "base" if number % 2 else "rerank",
                f"Expected {number}.",
            )
            for number in range(size)
        ]
        return self.of(items, choices)

    def of(self, items: list[Item], choices: Choices | None = None) -> Study:
        """A study of these items."""
        now = datetime.now(UTC)
        workflow_studies.create(self.store, self.name, choices or Choices(), PERSON, now)
        if items:
            path = write_items(self.folder / "items.csv", items)
            request = importing.Request(self.name, path, PERSON)
            importing.import_file(self.store, request, now)
        return Study(self.store, self.name)


def write_items(path: Path, items: list[Item]) -> Path:
    """An item file."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(Item._fields)
        for item in items:
            writer.writerow(json.dumps(cell) if isinstance(cell, tuple) else cell for cell in item)
    return path
