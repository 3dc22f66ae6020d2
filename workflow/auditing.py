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


class Choices(NamedTuple):
    """Who and what is in the record, to choose from."""

    people: list[str]
    actions: list[str]


class Page(NamedTuple):
    """Lines of the record, and how many fit in all."""

    lines: list[Line]
    total: int


def read_choices(engine: Engine) -> Choices:
    """Everybody and every kind of deed in the record."""
    with reading(engine) as session:
        return Choices(audit.list_people(session), audit.list_actions(session))


def read_page(engine: Engine, search: Search, count: int, number: int = 1) -> Page:
    """The lines of a page, newest first; a number past the last page gives the last one."""
    with reading(engine) as session:
        total = audit.count_lines(session, search)
        last = max(1, -(-total // count))
        first = count * (min(number, last) - 1)
        return Page(audit.find_lines(session, search, count, first), total)


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
