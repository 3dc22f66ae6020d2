"""The record of deeds, searched, and as a file."""

import csv
import io
import json
from collections.abc import Iterator
from datetime import UTC
from typing import NamedTuple

from sqlalchemy import Engine

from db import audit
from db.audit import Line as Line
from db.audit import Search as Search
from db.engine import reading

HEADER = ("at", "person", "deed", "study", "detail")
ROWS_A_BLOCK = 500
# A cell that begins so would be a formula where a spreadsheet opens the file.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


class Record(NamedTuple):
    """A page of the record, how many lines fit, and what can be chosen from."""

    lines: list[Line]
    total: int
    people: list[str]
    actions: list[str]


def read_record(engine: Engine, search: Search, count: int, first: int = 0) -> Record:
    """The lines that fit, newest first, from number `first` on."""
    with reading(engine) as session:
        return Record(
            audit.find_lines(session, search, count, first),
            audit.count_lines(session, search),
            audit.list_people(session),
            audit.list_actions(session),
        )


def stream(engine: Engine, search: Search) -> Iterator[bytes]:
    """The lines that fit as CSV, oldest first; memory does not grow with them."""
    block = io.StringIO()
    writer = csv.writer(block, lineterminator="\n")
    writer.writerow(HEADER)
    with reading(engine) as session:
        for number, line in enumerate(audit.stream_lines(session, search), start=1):
            writer.writerow(_cells(line))
            if number % ROWS_A_BLOCK == 0:
                yield _taken(block)
    yield _taken(block)


def describe(line: Line) -> str:
    """The detail of a line in words."""
    return "; ".join(
        f"{name.replace('_', ' ')}: {_word(value)}"
        for name, value in line.detail.items()
        if value is not None
    )


def _word(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _cells(line: Line) -> list[str]:
    moment = line.created_at.astimezone(UTC).isoformat().replace("+00:00", "Z")
    detail = json.dumps(line.detail, ensure_ascii=False, sort_keys=True)
    cells = (line.person, line.action, line.study or "", detail)
    return [moment, *(f"'{cell}" if cell.startswith(FORMULA_STARTS) else cell for cell in cells)]


def _taken(block: io.StringIO) -> bytes:
    """What was written so far; the block is empty after it."""
    text = block.getvalue()
    block.seek(0)
    block.truncate()
    return text.encode("utf-8")
