"""Does every format give back exactly the cells that were written into it by other means?"""

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from db.formats.reading import open_table

Cell = str | None


def read_rows(path: Path) -> list[tuple[Cell, ...]]:
    """All rows of a file, after a check that their numbers follow each other."""
    rows: list[tuple[Cell, ...]] = []
    for batch in open_table(path).batches():
        assert batch.first_row == len(rows) + 1
        assert all(field.type == pa.string() for field in batch.table.schema)
        rows.extend(zip(*batch.table.to_pydict().values(), strict=True))
    return rows


def write_bytes(folder: Path, name: str, content: bytes) -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


def csv_bytes(rows: Sequence[Sequence[str]], delimiter: str = ",", line_end: str = "\n") -> bytes:
    """The file that the csv module of the standard library writes."""
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator=line_end).writerows(rows)
    return text.getvalue().encode()


def test_unquoted_empty_cell_is_null_and_quoted_one_is_empty_text(tmp_path: Path) -> None:
    path = write_bytes(tmp_path, "a.csv", b'a,b,c\n,"",x\n"",,\n')
    assert read_rows(path) == [(None, "", "x"), ("", None, None)]


def test_numbers_dates_and_missing_words_stay_the_text_they_are(tmp_path: Path) -> None:
    path = write_bytes(tmp_path, "a.csv", b"a,b,c\n007,NA,null\n1.50,NaN,2024-01-01\n, x ,true\n")
    assert read_rows(path) == [
        ("007", "NA", "null"),
        ("1.50", "NaN", "2024-01-01"),
        (None, " x ", "true"),
    ]


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("has_last_line_end", [True, False])
def test_any_delimiter_and_line_end_gives_the_same_rows(
    tmp_path: Path, line_end: str, delimiter: str, has_last_line_end: bool
) -> None:
    rows = [
        ("item_id", "query", "answer"),
        ("1", 'says "yes", twice', "line\none\r\nline\rtwo"),
        ("2", "tab\tin; it, all", '""'),
        ("3", "e\u0301 \U0001f600 שלום", "'"),
    ]
    content = csv_bytes(rows, delimiter, line_end)
    path = write_bytes(tmp_path, "a.txt", content if has_last_line_end else content.rstrip())
    assert open_table(path).columns == rows[0]
    assert read_rows(path) == rows[1:]


@pytest.mark.parametrize(
    ("codec", "mark", "named"),
    [
        ("utf-8", b"", "UTF-8"),
        ("utf-8-sig", b"", "UTF-8"),
        ("utf-16", b"", "UTF-16"),
        ("utf-16-le", b"", "UTF-16"),
        ("utf-16-be", b"\xfe\xff", "UTF-16"),
        ("utf-16-be", b"", "UTF-16"),
        ("utf-32", b"", "UTF-32"),
        ("cp1252", b"", "cp1252"),
    ],
)
def test_encoding_is_recognised(tmp_path: Path, codec: str, mark: bytes, named: str) -> None:
    rows = [("query", "answer"), ("Wie groß ist die Tür?", "Überall gleich: 2 m – „groß“ €")]
    path = write_bytes(tmp_path, "a.csv", mark + csv_bytes(rows).decode().encode(codec))
    assert open_table(path).description == f"CSV, {named}, comma"
    assert open_table(path).columns == rows[0]
    assert read_rows(path) == rows[1:]


def test_first_accent_after_megabytes_of_ascii_decides_the_encoding(tmp_path: Path) -> None:
    ascii_rows = b"a,b\n" + b"plain,text\n" * 200_000
    western = write_bytes(tmp_path, "w.csv", ascii_rows + "é,à\n".encode("cp1252"))
    unicode = write_bytes(tmp_path, "u.csv", ascii_rows + "é,à\n".encode())
    assert read_rows(western)[-1] == ("é", "à")
    assert read_rows(unicode)[-1] == ("é", "à")


def test_characters_cut_by_the_block_of_a_megabyte_are_whole(tmp_path: Path) -> None:
    for shift in range(4):
        cell = "x" * shift + "😀é語" * 300_000
        path = write_bytes(tmp_path, f"{shift}.csv", csv_bytes([("a", "b"), (cell, "end")]))
        assert read_rows(path) == [(cell, "end")]


def test_line_ends_around_the_block_of_a_megabyte_add_no_row(tmp_path: Path) -> None:
    for shift in range(-3, 3):
        long_row = "x" * (2**20 - len("a\r\n") - 2 + shift)
        path = write_bytes(tmp_path, "a.csv", f"a\r\n{long_row}\r\n\r\ny\r\n".encode())
        assert read_rows(path) == [(long_row,), (None,), ("y",)]


def test_cells_of_megabytes_with_quotes_and_line_ends_are_whole(tmp_path: Path) -> None:
    cell = 'a "quoted" word, and\r\na line\n' * 200_000
    rows = [("a", "b"), ("1", cell), ("2", "short"), (cell, "3")]
    path = write_bytes(tmp_path, "a.csv", csv_bytes(rows))
    assert len(cell) > 5 * 2**20
    assert read_rows(path) == rows[1:]


def test_quote_inside_an_unquoted_cell_is_text(tmp_path: Path) -> None:
    path = write_bytes(tmp_path, "a.csv", b'size,name\n5" screen,the "best" one\n6,"x"\n')
    assert read_rows(path) == [('5" screen', 'the "best" one'), ("6", "x")]


def test_blank_lines_are_no_rows_but_in_a_file_of_one_column(tmp_path: Path) -> None:
    two = write_bytes(tmp_path, "two.csv", b"\n\r\na,b\n\n1,2\r\n\r\n\r\n3,4\n\n")
    one = write_bytes(tmp_path, "one.csv", b'a\nx\n\n""\ny\n')
    assert read_rows(two) == [("1", "2"), ("3", "4")]
    assert read_rows(one) == [("x",), (None,), ("",), ("y",)]


@pytest.mark.parametrize(
    ("content", "columns"),
    [
        (b"query;answer\nOne, two, three;a\nFour, five;b\n", ("query", "answer")),
        (b"query,answer\n1;2;3,4\n5;6,7\n", ("query", "answer")),
        (b'"a;b";c\n1;2\n', ("a;b", "c")),
        (b'"a,b",c\n"1;2",3\n', ("a,b", "c")),
        (b"a\tb\nx, y; z\t1\n", ("a", "b")),
        (b"id,a;b,c\n1,2;3,4\n5,6,7\n", ("id", "a;b", "c")),
        (b"answer\nyes, it is; really\n", ("answer",)),
        (b'text\n"a,b"\n', ("text",)),
    ],
)
def test_delimiter_is_read_from_the_header_and_the_rows(
    tmp_path: Path, content: bytes, columns: tuple[str, ...]
) -> None:
    assert open_table(write_bytes(tmp_path, "a.csv", content)).columns == columns


def test_many_rows_come_in_batches_that_number_on(tmp_path: Path) -> None:
    rows = [(f"{number:06d}", "some text to fill the row") for number in range(300_000)]
    path = write_bytes(tmp_path, "a.csv", csv_bytes([("item_id", "answer"), *rows]))
    assert len(list(open_table(path).batches())) > 1
    assert read_rows(path) == rows


ODD_VALUES: list[dict[str, object]] = [
    {"item_id": "001", "n": 7, "x": 0.1, "flag": True, "list": ["é", {"text": "ü"}], "gone": None},
    {
        "item_id": "NA",
        "n": 12345678901234567890123,
        "x": 1.0,
        "flag": False,
        "list": [],
        "gone": "",
    },
    {"item_id": "a\u2028b\x85c", "n": -1, "x": 1e300, "later": "key"},
]
ODD_TEXTS = [
    ("001", "7", "0.1", "true", '["é", {"text": "ü"}]', None, None),
    ("NA", "12345678901234567890123", "1", "false", "[]", "", None),
    ("a\u2028b\x85c", "-1", "1e+300", None, None, None, "key"),
]


def test_json_lines_give_shortest_exact_text_and_null_for_absent_keys(tmp_path: Path) -> None:
    lines = "\r\n".join(json.dumps(value, ensure_ascii=False) for value in ODD_VALUES)
    path = write_bytes(tmp_path, "a.jsonl", f"\n{lines}\n\n".encode())
    assert open_table(path).columns == ("item_id", "n", "x", "flag", "list", "gone", "later")
    assert open_table(path).description == "JSON lines, UTF-8"
    assert read_rows(path) == ODD_TEXTS


@pytest.mark.parametrize("indent", [None, 1])
def test_json_list_gives_the_same_rows(tmp_path: Path, indent: int | None) -> None:
    content = json.dumps(ODD_VALUES, indent=indent, ensure_ascii=False).encode("utf-16")
    path = write_bytes(tmp_path, "a.json", content)
    assert open_table(path).description == "JSON list, UTF-16"
    assert read_rows(path) == ODD_TEXTS


def test_json_list_of_many_megabytes_is_read_object_by_object(tmp_path: Path) -> None:
    values = [{"i": str(number), "text": "é}{][\"' " * 40_000} for number in range(12)]
    values += [{"i": "large", "text": "x" * 5 * 2**20}, {"i": "end", "text": "."}]
    path = write_bytes(tmp_path, "a.json", json.dumps(values).encode())
    assert read_rows(path) == [(value["i"], value["text"]) for value in values]


def test_nan_of_json_and_parquet_is_missing(tmp_path: Path) -> None:
    lines = write_bytes(
        tmp_path, "a.jsonl", b'{"q": "x", "score": NaN}\n{"q": "y", "score": 0.0}\n'
    )
    table = tmp_path / "a.parquet"
    pq.write_table(pa.table({"q": ["x", "y"], "score": [float("nan"), 0.0]}), table)
    assert read_rows(lines) == read_rows(table) == [("x", None), ("y", "0")]


def test_parquet_columns_of_any_type_become_text(tmp_path: Path) -> None:
    table = pa.table(
        {
            "text": ["", None, "007"],
            "whole": pa.array([1, None, 2**62]),
            "float": [1.0, 0.1, None],
            "float32": pa.array([0.1, None, 3], pa.float32()),
            "flag": [True, False, None],
            "coded": pa.array(["a", "b", "a"]).dictionary_encode(),
            "list": [["é", None], [], None],
            "objects": [[{"text": "x", "score": 0.5}], None, []],
            "bytes": [b"raw", None, "é".encode()],
            "large": pa.array(["x", "y", None], pa.large_string()),
        }
    )
    path = tmp_path / "a.parquet"
    pq.write_table(table, path)
    assert open_table(path).columns == tuple(table.column_names)
    assert read_rows(path) == [
        (
            "",
            "1",
            "1",
            "0.1",
            "true",
            "a",
            '["é", null]',
            '[{"text": "x", "score": 0.5}]',
            "raw",
            "x",
        ),
        (None, None, "0.1", None, "false", "b", "[]", None, None, "y"),
        ("007", "4611686018427387904", None, "3", None, "a", None, "[]", "é", None),
    ]


def test_content_goes_before_the_suffix(tmp_path: Path) -> None:
    lines = write_bytes(tmp_path, "lines.csv", b'{"a": "1"}\n{"a": "2"}\n')
    values = write_bytes(tmp_path, "list.jsonl", b' [ {"a": "1"}, {"a": "2"}]')
    table = write_bytes(tmp_path, "table.json", b"")
    pq.write_table(pa.table({"a": ["1", "2"]}), table)
    plain = write_bytes(tmp_path, "plain.parquet", b"a,b\n1,\n2,\n")
    assert read_rows(lines) == read_rows(values) == read_rows(table) == [("1",), ("2",)]
    assert read_rows(plain) == [("1", None), ("2", None)]


def test_batches_may_be_read_again(tmp_path: Path) -> None:
    source = open_table(write_bytes(tmp_path, "a.csv", b"a,b\n1,2\n"))
    first = [batch.table.to_pylist() for batch in source.batches()]
    assert first == [batch.table.to_pylist() for batch in source.batches()]
