"""Does a contexts cell give its passages, whichever way a tool has printed the list?"""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from db.formats.passages import Passage, parse_passages

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))


def plain(*texts: str) -> tuple[Passage, ...]:
    return tuple(Passage(text) for text in texts)


@given(st.lists(TEXTS))
def test_json_list_of_any_texts_gives_them_back(texts: list[str]) -> None:
    assert parse_passages(json.dumps(texts)) == plain(*texts)
    assert parse_passages(json.dumps(texts, ensure_ascii=False, indent=1)) == plain(*texts)


@given(st.lists(TEXTS))
def test_python_list_of_any_texts_gives_them_back(texts: list[str]) -> None:
    assert parse_passages(repr(texts)) == plain(*texts)


@given(st.lists(TEXTS, min_size=1, max_size=20))
def test_numpy_array_of_any_texts_gives_them_back(texts: list[str]) -> None:
    assert parse_passages(str(np.array(texts, dtype=object))) == plain(*texts)


def test_objects_give_their_fields() -> None:
    objects = [
        {"id": 7, "title": "T", "text": "x", "url": "https://example.org", "score": 0.5},
        {"doc_id": "d", "page_content": "y", "source": "s", "score": "0.25"},
        {"text": "z", "score": float("nan"), "other": 1},
    ]
    expected = (
        Passage("x", "7", "T", "https://example.org", 0.5),
        Passage("y", "d", None, "s", 0.25),
        Passage("z"),
    )
    assert parse_passages(json.dumps(objects)) == expected
    assert parse_passages(repr(objects[:2])) == expected[:2]
    assert parse_passages(json.dumps(objects[0])) == expected[:1]


def test_object_without_text_is_kept_whole() -> None:
    assert parse_passages('[{"name": "é"}]') == plain('{"name": "é"}')


def test_null_keeps_its_place_among_the_passages() -> None:
    assert parse_passages('["a", null, "", 3]') == plain("a", "", "", "3")


@pytest.mark.parametrize("cell", [None, "", " \n", "[]", "[ ]"])
def test_empty_cell_has_no_passages(cell: str | None) -> None:
    assert parse_passages(cell) == ()


@pytest.mark.parametrize(
    "cell",
    [
        "One passage, with [brackets].",
        " leading blank is kept",
        "[1] Paris is the capital",
        "[broken, list",
        '["broken", "list"',
        "['open]",
        "{curly}",
        '{"a": 1}',
        r"['C:\drive']",
        r"['\xZZ']",
        r"['\UFFFFFFFF']",
        "(1, 2)",
        '"quoted"',
        "7",
        "[" * 100_000,
        "[" + "-" * 100_000 + "1]",
        "[" + "1+" * 10_000 + "1j]",
        "[" + "1," * 500_000 + "x]",
    ],
)
def test_text_that_is_no_list_is_one_plain_passage(cell: str) -> None:
    assert parse_passages(cell) == plain(cell)


@pytest.mark.parametrize(
    "cell", ["[__import__('os').getpid()]", "[print('x')]", "[open('f') for _ in ()]", "[f'{1}']"]
)
def test_code_is_text_and_never_run(cell: str) -> None:
    assert parse_passages(cell) == plain(cell)


def test_text_that_no_database_holds_is_marked() -> None:
    assert parse_passages('["a\\u0000b \\ud800 \\ud83d\\ude00"]') == plain(
        "a\ufffdb \ufffd \U0001f600"
    )


def test_long_lists_are_read_whole() -> None:
    texts = ['it\'s a "passage" of text\n' * 400] * 300
    assert parse_passages(json.dumps(texts)) == plain(*texts)
    assert parse_passages(repr(texts)) == plain(*texts)
