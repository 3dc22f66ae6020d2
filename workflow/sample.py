"""The sample study: a new database opens with it, so that a first visit has something to label."""

from datetime import datetime
from pathlib import Path

from sqlalchemy import Engine

from workflow import database, importing, studies

NAME = "Sample: help desk"
FILE = Path(__file__).parent.parent / "sample_data" / "help_desk.csv"
PERSON = "sample"
CHOICES = studies.Choices(
    description="A synthetic help desk: 240 questions, three systems that share one retriever.",
    guidelines=(
        "**Retrieval** — Yes, if the passages alone hold everything needed to answer the query."
        " A passage on the same topic that lacks the asked fact is not enough.\n\n"
        "**Task** — Yes, if the answer states what the expected answer states, in any wording."
        " An answer can be right although the passages do not support it."
    ),
)


def open_when_new(url: str, now: datetime) -> Engine:
    """Make the database if needed; a database without any study gets the sample study."""
    database.upgrade(url)
    engine = database.connect(url)
    if not studies.list_names(engine) and FILE.exists():
        studies.create(engine, NAME, CHOICES, PERSON, now)
        importing.import_file(engine, importing.Request(NAME, FILE, PERSON), now)
    return engine
