"""The passages in one `contexts` cell: a JSON list, a Python list as printed, or one plain text.

Nothing is evaluated: Python text is read as literals, of a bounded size. A cell that begins with
[ and is neither list is one plain passage, so that no text is lost.
"""

import ast
import json
import math
import re
from typing import NamedTuple

from db.formats.cell_text import JsonValue, value_text

# A literal costs about a kilobyte of memory a value while it is read.
MAX_LITERAL_CHARACTERS = 2**18
# Printed NumPy arrays have no commas; read as a literal they would become one text.
LITERAL_TEXT = re.compile(r"""'((?:[^'\\]|\\.)*+)'|"((?:[^"\\]|\\.)*+)\"""", re.DOTALL)
LITERAL_TEXTS = re.compile(rf"\[\s*(?:(?:{LITERAL_TEXT.pattern})[\s,]*+)*+\]", re.DOTALL)
# What repr() writes; Python warns of other escapes, and they were no printed list.
PRINTED = re.compile(r"""(?:[^\\]|\\[\\'"nrtxuU])*+""", re.DOTALL)
ESCAPE = re.compile(r"\\(?:x(..)|u(....)|U(.{8})|(.))", re.DOTALL)
ESCAPED = {"n": "\n", "r": "\r", "t": "\t"}

TEXT_KEYS = ("text", "page_content", "content", "passage", "body")
ID_KEYS = ("id", "_id", "doc_id", "docid", "document_id")
TITLE_KEYS = ("title",)
URL_KEYS = ("url", "source")
SCORE_KEYS = ("score", "document_score")


class Passage(NamedTuple):
    """One retrieved text, and what the file says of it."""

    text: str
    id: str | None = None
    title: str | None = None
    url: str | None = None
    score: float | None = None


def parse_passages(cell: str | None) -> tuple[Passage, ...]:
    """Return the passages of a cell in their order; none for an empty or missing cell.

    Args:
        cell: JSON list of strings or of objects with text (or page_content, content, passage,
            body) and id, title, url, score; a Python list as printed; or plain text. An object
            without a text is kept whole, as JSON.
    """
    if cell is None or not cell.strip():
        return ()
    items = _items(cell.strip())
    if items is None:
        return (Passage(_storable(cell)),)
    return tuple(map(_passage, items))


def _items(cell: str) -> list[JsonValue] | None:
    """The list in a cell, None where the cell is plain text."""
    if cell[0] not in "[{":
        return None
    value = _json_value(cell)
    if value is None and cell[0] == "[":
        value = _literal_value(cell)
    if isinstance(value, dict) and _first(value, TEXT_KEYS) is not None:
        return [value]
    return value if isinstance(value, list) else None


def _json_value(cell: str) -> JsonValue:
    """The value of JSON text, None where it is none."""
    try:
        value: JsonValue = json.loads(cell)
    except (ValueError, RecursionError):
        return None
    return value


def _literal_value(cell: str) -> JsonValue:
    """The list that Python printed, None where it is none."""
    if not PRINTED.fullmatch(cell):
        return None
    try:
        if LITERAL_TEXTS.fullmatch(cell):
            return [ESCAPE.sub(_unescaped, a or b) for a, b in LITERAL_TEXT.findall(cell)]
        if len(cell) > MAX_LITERAL_CHARACTERS:
            return None
        value: JsonValue = ast.literal_eval(cell)
    except (ValueError, OverflowError, SyntaxError, RecursionError, MemoryError):
        return None
    return value


def _unescaped(match: re.Match[str]) -> str:
    """The character that an escape of repr() stands for."""
    code = match[1] or match[2] or match[3]
    return chr(int(code, 16)) if code else ESCAPED.get(match[4], match[4])


def _passage(item: JsonValue) -> Passage:
    """One item of the list; null keeps its place, since answers cite passages by number."""
    if not isinstance(item, dict):
        return Passage(_storable(value_text(item) or ""))
    text = _first(item, TEXT_KEYS)
    return Passage(
        text=_storable(json.dumps(item, ensure_ascii=False, default=str) if text is None else text),
        id=_first(item, ID_KEYS),
        title=_first(item, TITLE_KEYS),
        url=_first(item, URL_KEYS),
        score=_score(_first(item, SCORE_KEYS)),
    )


def _first(item: dict[str, JsonValue], keys: tuple[str, ...]) -> str | None:
    """The first of the keys that has a value, as text."""
    texts = (value_text(item.get(key)) for key in keys)
    return next((_storable(text) for text in texts if text is not None), None)


def _score(text: str | None) -> float | None:
    """A finite number, None for anything else."""
    try:
        score = float(text or "nan")
    except ValueError:
        return None
    return score if math.isfinite(score) else None


def _storable(text: str) -> str:
    """Text that any database holds: no 0x00, no half of a surrogate pair (JSON escapes both)."""
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return whole.replace("\0", "\N{REPLACEMENT CHARACTER}")
