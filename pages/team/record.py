"""The record of deeds: searched, page by page, and as a file."""

from html import escape
from urllib.parse import quote

import pandas as pd
import streamlit as st

from pages import frame
from pages.resources import engine
from workflow import auditing
from workflow.auditing import Choices, Page, Search

ROWS = 50
ALL = ""
PAGE = "record-page"


def draw_record() -> None:
    """Filters, the lines that fit, and the file of all of them."""
    search = _filters(auditing.read_choices(engine()))
    number = int(st.session_state.get(PAGE, 1))
    found = auditing.read_page(engine(), search, ROWS, number)
    if not found.lines:
        frame.show_empty("Nothing fits", "Take a word or a filter away.")
        return
    st.dataframe(_table(found), hide_index=True, width="stretch", height="content")
    pages = -(-found.total // ROWS)
    if pages > 1:
        st.number_input(f"Page, of {pages}", 1, pages, min(number, pages), 1, key=PAGE)
    st.html(
        f'<p class="ratchet-quiet">{found.total} lines.'
        f' <a href="{escape(_address(search))}" download>All of them as CSV</a></p>'
    )


def _filters(known: Choices) -> Search:
    words, person, deed = st.columns([2, 1, 1])
    return Search(
        words=words.text_input("Search", key="record-words", placeholder="any word of a line"),
        person=person.selectbox(
            "Person", [ALL, *known.people], format_func=lambda name: name or "anybody"
        ),
        action=deed.selectbox(
            "Deed", [ALL, *known.actions], format_func=lambda name: name or "anything"
        ),
    )


def _table(found: Page) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "When": f"{frame.day(line.created_at)} {frame.clock(line.created_at)}",
            "Who": line.person,
            "Did": line.action,
            "Study": line.study or "",
            "Detail": auditing.describe(line),
        }
        for line in found.lines
    )


def _address(search: Search) -> str:
    query = "&".join(f"{name}={quote(value, safe='')}" for name, value in search._asdict().items())
    return f"/audit.csv?{query}"
