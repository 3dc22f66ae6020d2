"""Does each broken file give one clear line: what was found, what was expected, what to do?"""

import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from db.errors import FileError
from db.formats.batches import MAX_CELL_BYTES
from db.formats.reading import open_table

MEGABYTE = 2**20


def refusal(path: Path) -> str:
    """The error of opening a file and reading it to its end."""
    with pytest.raises(FileError) as caught:
        for _ in open_table(path).batches():
            pass
    message = str(caught.value)
    assert "\n" not in message
    assert len(message) < 300
    assert message.endswith(".")
    return message


def write(folder: Path, name: str, content: bytes | str) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def test_missing_file_is_named(tmp_path: Path) -> None:
    assert "There is no file" in refusal(tmp_path / "nothing.csv")


def test_directory_is_no_file(tmp_path: Path) -> None:
    assert "is a directory" in refusal(tmp_path)


@pytest.mark.parametrize("name", ["a.csv", "a.json", "a.jsonl", "a.parquet"])
@pytest.mark.parametrize("content", [b"", b"\xef\xbb\xbf", b"\n\n \r\n"])
def test_empty_file_is_named(tmp_path: Path, name: str, content: bytes) -> None:
    assert f"{name} is empty" in refusal(write(tmp_path, name, content))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", "a,b"),
        ("a.csv", "a,b\r\n\r\n"),
        ("a.csv", "a\n"),
        ("a.json", "[]"),
        ("a.jsonl", "{}"),
    ],
)
def test_header_without_rows_is_refused(tmp_path: Path, name: str, content: str) -> None:
    assert "has no rows" in refusal(write(tmp_path, name, content))


def test_parquet_without_rows_is_refused(tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": pa.array([], pa.string())}), tmp_path / "a.parquet")
    assert "names 1 column and has no rows" in refusal(tmp_path / "a.parquet")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", "Query,answer, query \n1,2,3\n"),
        ("a.jsonl", '{"query": "1"}\n{"Query": "2"}\n'),
        ("a.json", '[{"query": "1", "QUERY": "2"}]'),
    ],
)
def test_name_that_occurs_twice_in_any_case_is_refused(
    tmp_path: Path, name: str, content: str
) -> None:
    assert "occurs twice in the header" in refusal(write(tmp_path, name, content))


def test_column_without_name_is_refused(tmp_path: Path) -> None:
    assert refusal(write(tmp_path, "a.csv", ",query\n0,x\n")).startswith("Column 1 has no name")
    assert "Column 2 has no name" in refusal(write(tmp_path, "b.csv", 'query," "\nx,0\n'))


def test_header_of_thousands_of_columns_is_refused(tmp_path: Path) -> None:
    keys = ", ".join(f'"id{number}": 1' for number in range(2_001))
    assert "has 2001 columns" in refusal(write(tmp_path, "a.jsonl", f"{{{keys}}}\n"))


def test_zero_byte_is_named_with_its_place(tmp_path: Path) -> None:
    early = write(tmp_path, "early.csv", b"a,b\n1,x\0y\n")
    late = write(tmp_path, "late.csv", b"a,b\n" + b"1,2\n" * MEGABYTE + b"3,x\0y\n")
    wide = write(tmp_path, "wide.csv", "a,b\n1,x\0y\n".encode("utf-16"))
    assert refusal(early).startswith("Line 2: byte 8 of the file is 0x00")
    assert refusal(late).startswith(f"Line {MEGABYTE + 2}: character 4 of the line is 0x00")
    assert refusal(wide).startswith("Line 2: character 4 of the line is 0x00")


def test_zero_character_inside_values_is_named_with_row_and_column(tmp_path: Path) -> None:
    lines = write(tmp_path, "a.jsonl", '{"q": "x"}\n{"q": "a\\u0000b"}\n')
    pq.write_table(pa.table({"q": ["x", "a\0b"]}), tmp_path / "a.parquet")
    for path in (lines, tmp_path / "a.parquet"):
        assert refusal(path).startswith("Row 2: column 'q' holds a 0x00 byte")


def test_binary_garbage_is_refused_on_its_first_block(tmp_path: Path) -> None:
    block = np.random.default_rng(0).integers(0, 256, MEGABYTE, dtype=np.uint8).tobytes()
    path = tmp_path / "garbage.csv"
    with path.open("wb") as file:
        for _ in range(200):
            file.write(block)
    start = time.perf_counter()
    assert "0x00" in refusal(path)
    assert time.perf_counter() - start < 1
    path.unlink()


def test_control_bytes_are_no_text(tmp_path: Path) -> None:
    garbage = bytes(byte for byte in range(1, 128)) * 50
    assert "control bytes, so this is not text" in refusal(write(tmp_path, "a.csv", garbage))


@pytest.mark.parametrize(
    ("content", "named"),
    [
        (b"PK\x03\x04rest", "an Excel or ZIP file"),
        (b"\x1f\x8brest", "a gzip file"),
        (b"%PDF-1.7", "a PDF"),
    ],
)
def test_other_formats_are_named(tmp_path: Path, content: bytes, named: str) -> None:
    assert f"a.csv is {named}" in refusal(write(tmp_path, "a.csv", content))


def test_truncated_parquet_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"a": [str(number) for number in range(10_000)]}), path)
    whole = path.read_bytes()
    for content in (whole[:4], whole[:100], whole[:-1], whole[: len(whole) // 2]):
        assert "Parquet file is cut short or damaged" in refusal(
            write(tmp_path, "b.parquet", content)
        )


def test_damage_inside_parquet_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"a": [str(number) for number in range(10_000)]}), path)
    whole = bytearray(path.read_bytes())
    whole[1_000:9_000] = b"\xff" * 8_000
    assert "Parquet file is cut short or damaged" in refusal(
        write(tmp_path, "b.parquet", bytes(whole))
    )


def test_bytes_of_parquet_that_are_no_text_name_their_column(tmp_path: Path) -> None:
    pq.write_table(pa.table({"image": [b"\xff\xfe\xfd"]}), tmp_path / "a.parquet")
    assert refusal(tmp_path / "a.parquet").startswith("Column 'image' is binary and not text")


@pytest.mark.parametrize("num_rows_before", [0, 11, 400_000])
def test_ragged_row_is_named_with_both_numbers_of_cells(
    tmp_path: Path, num_rows_before: int
) -> None:
    rows = '1,2,"3\n",4,5,6,7\n' * num_rows_before
    path = write(tmp_path, "a.csv", f"a,b,c,d,e,f,g\n{rows}1,2,3,4,5\n1,2,3,4,5,6,7\n")
    assert refusal(path) == (
        f"Row {num_rows_before + 1}: 5 cells, but the header has 7. "
        "Quote cells that contain commas or line breaks."
    )


def test_row_with_too_many_cells_or_without_last_line_end_is_named(tmp_path: Path) -> None:
    assert "Row 2: 3 cells, but" in refusal(write(tmp_path, "a.csv", "a;b\n1;2\n1;2;3\n"))
    assert "Row 2: 1 cell, but" in refusal(write(tmp_path, "b.csv", "a;b\n1;2\n1"))


def test_unclosed_quote_is_named_at_the_row_where_it_began(tmp_path: Path) -> None:
    rows = 'x,"y ""z"""\n'
    path = write(tmp_path, "a.csv", f'a,b\n{rows * 4}1,"never closed\n' + "1,2\n" * 500_000)
    assert refusal(path).startswith("Row 5: the quote that opens cell 2 is never closed")


def test_unclosed_quote_that_the_next_quote_closes_is_named_too(tmp_path: Path) -> None:
    path = write(tmp_path, "a.csv", 'a,b\n1,2\n1,"open\n1,"2"\n')
    assert refusal(path).startswith("Row 2: text follows the closing quote of cell 2")


def test_unclosed_quote_in_the_header_is_named(tmp_path: Path) -> None:
    assert "Cell 2 of the header: unclosed quote" in refusal(
        write(tmp_path, "a.csv", 'a,"b\n1,2\n')
    )


def test_broken_json_line_is_named(tmp_path: Path) -> None:
    path = write(tmp_path, "a.jsonl", '{"a": 1}\n\n{"a": 2\n{"a": 3}\n')
    assert refusal(path).startswith("Line 3: broken JSON (")


@pytest.mark.parametrize("line", ["[1]", "7", '"text"', "null"])
def test_json_line_that_is_no_object_is_named(tmp_path: Path, line: str) -> None:
    path = write(tmp_path, "a.jsonl", f'{{"a": 1}}\n{line}\n')
    assert refusal(path).startswith(f"Line 2: {line} is not an object")


@pytest.mark.parametrize(
    ("content", "found"),
    [
        ('[{"a": 1},\n {"a": 2},\n 3]', "Line 3: 3 is not an object"),
        ('[{"a": 1}\n {"a": 2}]', "Line 2: '{' where , or ] must be"),
        ('[{"a": 1},\n {"a": }]', "Line 2: broken JSON"),
        ('[{"a": 1},\n {"a": "open', "Line 2: broken JSON"),
        ('[{"a": 1},\n {"a": 2}', "Line 2: the end of the file where"),
        ('[{"a": 1}]\n[{"a": 2}]', "Line 2: '[' follows the end"),
        ("[1, 2]", "Line 1: 1 is not an object"),
        ('"text"', "Line 1: '\"' where [ must be"),
        ('{\n  "rows": [{"a": 1}]\n}', "Line 1: broken JSON"),
        ('[{"a": ' + "[" * 100_000, "Line 1: broken JSON"),
        ('[{"a": 1},', "Line 1: broken JSON"),
    ],
)
def test_json_that_is_no_list_of_objects_is_named(tmp_path: Path, content: str, found: str) -> None:
    assert refusal(write(tmp_path, "a.json", content)).startswith(found)


def test_broken_object_early_in_a_large_json_list_is_found_fast(tmp_path: Path) -> None:
    good = '{"a": "some text to fill the object"},\n' * 2_000_000
    path = write(tmp_path, "a.json", '[{"a": 1},\n{"a": tru},\n' + good + '{"a": 2}]')
    start = time.perf_counter()
    assert refusal(path).startswith("Line 2: broken JSON")
    assert time.perf_counter() - start < 1


def test_half_of_a_character_in_json_names_its_line(tmp_path: Path) -> None:
    path = write(tmp_path, "a.jsonl", '{"a": "\\ud83d\\ude00"}\n{"a": "\\ud83d"}\n')
    assert refusal(path).startswith("Line 2: an escape like \\ud83d stands without")


def test_bytes_that_the_encoding_does_not_know_are_named(tmp_path: Path) -> None:
    rows = "é,è\n".encode() * 600_000
    path = write(tmp_path, "a.csv", b"a,b\n" + rows + b"\xe9,x\n")
    assert refusal(path).startswith(
        f"Line 600002: byte {4 + len(rows) + 1} of the file (0xE9) is not UTF-8"
    )
    cut = write(tmp_path, "b.csv", "a,b\né,".encode() + "é".encode()[:1])
    assert "is not UTF-8" in refusal(cut)
    undefined = write(tmp_path, "c.csv", b"query,answer\nna\xefve,caf\xe9 \x81\n")
    assert "0x81) is not" in refusal(undefined)


def test_text_of_another_legacy_encoding_is_refused(tmp_path: Path) -> None:
    text = "вопрос,ответ\nКак открыть дверь?,Поверните ручку\n"
    for codec in ("cp1251", "koi8-r"):
        assert "neither UTF-8 nor Western" in refusal(write(tmp_path, "a.csv", text.encode(codec)))


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.parquet"])
def test_cell_over_64_megabytes_is_refused(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    cell = "x" * (MAX_CELL_BYTES + 1)
    if name == "a.csv":
        write(tmp_path, name, f'a,b\n1,2\n"{cell}",3\n')
    elif name == "a.jsonl":
        write(tmp_path, name, f'{{"a": "1"}}\n{{"a": "{cell}"}}\n')
    else:
        pq.write_table(pa.table({"a": ["1", cell]}), path)
    message = refusal(path)
    assert message.startswith("Row 2: ")
    assert "is over 64 MB" in message
    path.unlink()


def test_cell_of_just_64_megabytes_is_read(tmp_path: Path) -> None:
    path = write(tmp_path, "a.csv", f'a,b\n1,2\n"{"x" * MAX_CELL_BYTES}",3\n')
    sizes = [
        len(row["a"]) for batch in open_table(path).batches() for row in batch.table.to_pylist()
    ]
    assert sizes == [1, MAX_CELL_BYTES]
    path.unlink()


def test_a_header_alone_counts_its_columns(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("query\n", encoding="utf-8")
    assert "names 1 column and has no rows" in refusal(path)
