"""Open an item or label file: what is it, by its content first and its suffix second?

CSV, TSV, JSON lines, a JSON list of objects, Parquet. Each reader streams batches of text.
"""

from collections.abc import Callable
from pathlib import Path

from db.errors import FileError
from db.formats.batches import RowBatch, TableSource
from db.formats.csv_reading import open_csv
from db.formats.encoding import Encoding, detect_encoding, read_start
from db.formats.json_reading import open_json_lines, open_json_list
from db.formats.parquet_reading import open_parquet

__all__ = ["RowBatch", "TableSource", "open_table"]

PARQUET_MARK = b"PAR1"
# Formats that people take for tables, by their first bytes.
FOREIGN_MARKS = (
    (b"PK\x03\x04", "an Excel or ZIP file"),
    (b"\xd0\xcf\x11\xe0", "an old Excel file"),
    (b"\x1f\x8b", "a gzip file"),
    (b"SQLite format 3", "an SQLite database"),
    (b"%PDF-", "a PDF"),
)
READERS_BY_SUFFIX: dict[str, Callable[[Path, Encoding], TableSource]] = {
    ".json": open_json_list,
    ".jsonl": open_json_lines,
    ".ndjson": open_json_lines,
}


def open_table(path: Path) -> TableSource:
    """Return the columns of a file, what it was recognised as, and its rows as a stream.

    Args:
        path: a CSV, TSV, JSON lines, JSON or Parquet file.

    Raises:
        FileError: no such file, nothing in it, not one of the formats, or a broken header. Rows
            that are broken raise while the batches are read.
    """
    mark = _read_mark(path)
    if mark.startswith(PARQUET_MARK):
        return open_parquet(path)
    for foreign, name in FOREIGN_MARKS:
        if mark.startswith(foreign):
            raise FileError(
                f"{path.name} is {name}; a table of text is expected. "
                "Save the data as CSV (UTF-8), JSON lines or Parquet."
            )
    encoding = detect_encoding(path)
    return _reader_of(path, encoding)(path, encoding)


def _read_mark(path: Path) -> bytes:
    """The first bytes of a file that has some."""
    if path.is_dir():
        raise FileError(f"{path.name} is a directory; a file is expected. Name a file inside it.")
    try:
        with path.open("rb") as file:
            mark = file.read(16)
    except FileNotFoundError as error:
        raise FileError(f"There is no file {str(path)!r}. Check its name and place.") from error
    except OSError as error:
        raise FileError(f"{path.name} cannot be read: {error.strerror}.") from error
    if not mark:
        raise _empty(path)
    return mark


def _reader_of(path: Path, encoding: Encoding) -> Callable[[Path, Encoding], TableSource]:
    """The reader for a text file: JSON shows in its first two characters, the rest is delimited."""
    start = read_start(path, encoding).lstrip()
    if not start:
        raise _empty(path)
    first, second = start[0], start[1:].lstrip()[:1]
    if first == "[" and second in ("{", "]"):
        return open_json_list
    if first == "{" and second in ('"', "}"):
        return open_json_lines
    return READERS_BY_SUFFIX.get(path.suffix.lower(), open_csv)


def _empty(path: Path) -> FileError:
    """The error for a file without text."""
    return FileError(
        f"{path.name} is empty; a header and at least one row are expected. "
        "Check the export that made it."
    )
