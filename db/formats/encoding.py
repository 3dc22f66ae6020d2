"""Which encoding is a text file in, and what does it say? A stream of decoded text, 1 MB at a time.

UTF-8 and UTF-16/32 by byte order mark, UTF-8 by its own rules, UTF-16 without a mark by where its
zero bytes lie, and cp1252 (Western Windows) as the one legacy encoding. Binary files are refused
on their first block.
"""

import codecs
import re
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

import numpy as np

from db.errors import FileError

BLOCK_BYTES = 2**20
# What encoding, format, delimiter and header are read from.
SNIFF_BYTES = 2**20
# Of letters: German or French text stays under 10 %, Cyrillic or Japanese bytes exceed 60 %.
MAX_LEGACY_SHARE = 0.4
# Of the first block: text has next to none, but a short one may consist of them.
MAX_CONTROL_SHARE = 0.1
MIN_CONTROLS = 100
CONTROL_BYTES = bytes(set(range(1, 32)) - set(b"\t\n\v\f\r\x1b"))
CUT_CHARACTER = re.compile(rb"[\xc2-\xf4][\x80-\xbf]{0,2}\Z")
UTF_8_SEQUENCES = re.compile(
    rb"(?:[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3})+"
)


class Encoding(StrEnum):
    """Python codec of a text file."""

    UTF_8 = "utf-8"
    UTF_16 = "utf-16"
    UTF_16_LE = "utf-16-le"
    UTF_16_BE = "utf-16-be"
    UTF_32 = "utf-32"
    CP1252 = "cp1252"


ENCODING_NAMES = {
    Encoding.UTF_8: "UTF-8",
    Encoding.UTF_16: "UTF-16",
    Encoding.UTF_16_LE: "UTF-16",
    Encoding.UTF_16_BE: "UTF-16",
    Encoding.UTF_32: "UTF-32",
    Encoding.CP1252: "cp1252",
}
# UTF-32 first: its little-endian mark begins with that of UTF-16.
BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF32_LE, Encoding.UTF_32),
    (codecs.BOM_UTF32_BE, Encoding.UTF_32),
    (codecs.BOM_UTF16_LE, Encoding.UTF_16),
    (codecs.BOM_UTF16_BE, Encoding.UTF_16),
    (codecs.BOM_UTF8, Encoding.UTF_8),
)


class FilePosition(NamedTuple):
    """Lines ended before a place in a file, and bytes before it."""

    lines: int
    offset: int


def detect_encoding(path: Path) -> Encoding:
    """Return the encoding of a text file, judged on the first block that tells.

    Raises:
        FileError: the file is binary, or in a legacy encoding other than cp1252.
    """
    with path.open("rb") as file:
        block = file.read(SNIFF_BYTES)
        wide = _find_wide_encoding(block)
        if wide is not None:
            return wide
        _refuse_binary(block)
        while block.isascii():
            block = file.read(SNIFF_BYTES)
            if not block:
                return Encoding.UTF_8
        # Some more, lest the only character outside ASCII is the one that the end cuts.
        return _narrow_encoding(CUT_CHARACTER.sub(b"", block + file.read(1024)))


def _find_wide_encoding(block: bytes) -> Encoding | None:
    """By the mark; without one, ASCII puts a zero byte on one side of each pair (UTF-16)."""
    for mark, encoding in BYTE_ORDER_MARKS:
        if block.startswith(mark):
            return encoding
    pairs = np.frombuffer(block, dtype=np.uint8, count=len(block) // 2 * 2).reshape(-1, 2)
    if not len(pairs):
        return None
    left_zeros, right_zeros = (pairs == 0).mean(axis=0)
    if right_zeros > 0.3 and left_zeros < 0.01:
        return Encoding.UTF_16_LE
    if left_zeros > 0.3 and right_zeros < 0.01:
        return Encoding.UTF_16_BE
    return None


def _refuse_binary(block: bytes) -> None:
    """Raise on a zero byte or many control bytes."""
    zero = block.find(b"\0")
    if zero >= 0:
        raise _zero_byte(block.count(b"\n", 0, zero) + 1, f"byte {zero + 1} of the file")
    controls = len(block) - len(block.translate(None, CONTROL_BYTES))
    if controls > max(MIN_CONTROLS, MAX_CONTROL_SHARE * len(block)):
        raise FileError(
            f"{controls} of the first {len(block)} bytes are control bytes, so this is not text. "
            "Save the data as CSV (UTF-8), JSON lines or Parquet."
        )


def _narrow_encoding(block: bytes) -> Encoding:
    """UTF-8 when most bytes outside ASCII follow its rules; a few broken ones are named later."""
    high = len(block) - len(block.translate(None, bytes(range(0x80, 0x100))))
    in_sequences = sum(map(len, UTF_8_SEQUENCES.findall(block)))
    if 2 * in_sequences >= high:
        return Encoding.UTF_8
    ascii_letters = sum(map(len, re.findall(rb"[A-Za-z]+", block)))
    if high > MAX_LEGACY_SHARE * (high + ascii_letters):
        raise FileError(
            "The bytes outside ASCII are neither UTF-8 nor Western text (cp1252). "
            "Save the file as UTF-8 and read it again."
        )
    return Encoding.CP1252


def read_start(path: Path, encoding: Encoding) -> str:
    """Return the first megabyte of text, all of a smaller file."""
    blocks: list[str] = []
    for block in read_text(path, encoding):
        blocks.append(block)
        if sum(map(len, blocks)) >= SNIFF_BYTES:
            break
    return "".join(blocks)


def read_text(path: Path, encoding: Encoding) -> Iterator[str]:
    """Yield the text of a file in blocks of about 1 MB, without the byte order mark.

    Raises:
        FileError: a byte that the encoding does not know, or 0x00, with its line.
    """
    decoder = codecs.getincrementaldecoder(encoding)()
    position = FilePosition(0, 0)
    has_begun = False
    with path.open("rb") as file:
        while block := file.read(BLOCK_BYTES):
            cut = len(decoder.getstate()[0])
            text = _decode(decoder, block, FilePosition(position.lines, position.offset - cut))
            shown = text if has_begun else text.removeprefix("\ufeff")
            has_begun = has_begun or bool(text)
            if shown:
                yield shown
            position = FilePosition(position.lines + text.count("\n"), position.offset + len(block))
        _decode(decoder, b"", position)


def _decode(decoder: codecs.IncrementalDecoder, block: bytes, start: FilePosition) -> str:
    """Text of one block; the empty block ends the file."""
    try:
        text = decoder.decode(block, final=not block)
    except UnicodeDecodeError as error:
        raise _undecodable(error, start) from error
    zero = text.find("\0")
    if zero >= 0:
        line = start.lines + text.count("\n", 0, zero) + 1
        raise _zero_byte(line, f"character {zero - text.rfind(chr(10), 0, zero)} of the line")
    return text


def _undecodable(error: UnicodeDecodeError, start: FilePosition) -> FileError:
    """Name line, byte and value of what the encoding does not know."""
    known = error.object[: error.start].decode(error.encoding, errors="replace")
    line = start.lines + known.count("\n") + 1
    byte = start.offset + error.start
    return FileError(
        f"Line {line}: byte {byte + 1} of the file (0x{error.object[error.start]:02X}) is not "
        f"{error.encoding.upper()}. Save the file as UTF-8 and read it again."
    )


def _zero_byte(line: int, place: str) -> FileError:
    """The error for a NUL, which PostgreSQL text and C strings cannot hold."""
    return FileError(
        f"Line {line}: {place} is 0x00, which text never holds. Remove it, or save the data "
        "as CSV (UTF-8), JSON lines or Parquet."
    )
