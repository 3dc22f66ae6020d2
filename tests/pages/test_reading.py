"""Text of others as HTML: escaped, with search hits marked, each block in its own direction."""

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.reading import count_hits, marked, text_html


class Reader(HTMLParser):
    """What a browser would show, and the tags it would see."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.text = ""
        self.tags: list[str] = []

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.append(tag)


def read(html: str) -> Reader:
    reader = Reader()
    reader.feed(html)
    reader.close()
    return reader


@given(st.text(), st.text(max_size=3))
def test_any_text_reads_back_as_it_was(text: str, search: str) -> None:
    reader = read(marked(text, search))
    assert reader.text == text
    assert set(reader.tags) <= {"mark"}


@pytest.mark.parametrize("search", ["<", "script", "a.b", "(", "é"])
def test_hits_are_counted_as_they_are_marked(search: str) -> None:
    text = "<script>a.b aXb (é É SCRIPT</script>"
    assert read(marked(text, search)).tags.count("mark") == count_hits([text], search)


def test_a_block_finds_its_own_direction() -> None:
    assert 'dir="auto"' in text_html("שלום")
