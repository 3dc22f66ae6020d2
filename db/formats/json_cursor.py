"""One JSON list of objects, taken apart object by object, holding no more text than one object.

The json module reads whole documents only; its `raw_decode` reads one value at a place, and fails
alike on a value that is broken and on one that the text at hand cuts. More text tells them apart.
"""

import json
from collections.abc import Iterator
from typing import NamedTuple

from db.errors import FileError
from db.formats.batches import MAX_CELL_BYTES
from db.formats.cell_text import JsonValue

BLANKS = " \t\r\n"
# An object may hold more than its largest cell; the cell itself is checked afterwards.
MAX_OBJECT_CHARACTERS = 2 * MAX_CELL_BYTES
DECODER = json.JSONDecoder()


class JsonRow(NamedTuple):
    """One object, the line it begins on, and the number of characters it took."""

    values: dict[str, JsonValue]
    line: int
    size: int


class JsonCursor:
    """A place in a JSON text; `line` is the line it is on, counted from 1."""

    def __init__(self, blocks: Iterator[str]) -> None:
        self.line = 1
        self._blocks = blocks
        self._text = ""
        self._position = 0

    def peek(self) -> str:
        """Return the next character that is not blank; "" at the end of the file."""
        while True:
            character = self._text[self._position : self._position + 1]
            if character and character not in BLANKS:
                return character
            if character:
                self._advance(self._position + 1)
            elif not self._load():
                return ""

    def take(self, accepted: str) -> str:
        """Return the next character and step over it.

        Raises:
            FileError: it is none of those accepted.
        """
        found = self.peek()
        if not found or found not in accepted:
            shown = repr(found) if found else "the end of the file"
            raise FileError(
                f"Line {self.line}: {shown} where {' or '.join(accepted)} must be in a JSON list "
                "of objects. Check that the file is complete and its commas are right."
            )
        self._advance(self._position + 1)
        return found

    def take_object(self) -> JsonRow:
        """Return the object at this place and step over it.

        Raises:
            FileError: another value, broken JSON, or an object that is too large.
        """
        self.peek()
        line = self.line
        value, end = self._decode()
        row = as_row(value, line, end - self._position)
        self._advance(end)
        return row

    def _decode(self) -> tuple[JsonValue, int]:
        """The value here and where it ends; a failure that moves with more text is a cut."""
        failed_at = -1
        while True:
            try:
                return DECODER.raw_decode(self._text, self._position)
            except json.JSONDecodeError as error:
                place = error.pos - self._position
                # A cut string fails at its start however much of it is there.
                is_settled = place == failed_at and not error.msg.startswith("Unterminated")
                if is_settled or not self._load():
                    line = self.line + self._text.count("\n", self._position, error.pos)
                    raise broken_json(line, error) from error
                failed_at = place
            except (ValueError, RecursionError) as error:
                raise broken_json(self.line, error) from error

    def _load(self) -> bool:
        """Double the text ahead; false at the end of the file."""
        ahead = self._text[self._position :]
        if len(ahead) > MAX_OBJECT_CHARACTERS:
            raise oversized_object(self.line)
        blocks = [ahead]
        size = 0
        while size <= len(ahead) and (block := next(self._blocks, "")):
            blocks.append(block)
            size += len(block)
        if size:
            self._text, self._position = "".join(blocks), 0
        return size > 0

    def _advance(self, position: int) -> None:
        """Step on and count the lines passed."""
        self.line += self._text.count("\n", self._position, position)
        self._position = position


def as_row(value: JsonValue, line: int, size: int) -> JsonRow:
    """Return a row when the value is an object.

    Raises:
        FileError: it is another kind of value.
    """
    if isinstance(value, dict):
        return JsonRow(value, line, size)
    shown = json.dumps(value, ensure_ascii=False)[:40]
    raise FileError(
        f"Line {line}: {shown} is not an object. Expected one object with column names as keys "
        'for each row, like {"query": "…", "answer": "…"}.'
    )


def broken_json(line: int, error: Exception) -> FileError:
    """Return the error for text that is no JSON."""
    reason = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
    return FileError(
        f"Line {line}: broken JSON ({reason.rstrip('.')}). "
        "Expected one object a line, or one list of objects. Correct it, or write the file again."
    )


def oversized_object(line: int) -> FileError:
    """Return the error for an object that would fill the memory."""
    return FileError(
        f"Line {line}: an object of more than {MAX_OBJECT_CHARACTERS // 2**20} MB begins here. "
        "Shorten it, or check for a quote or a brace that is never closed."
    )
