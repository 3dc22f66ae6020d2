"""What all sessions share: the database engine and the style sheet."""

from datetime import UTC, datetime
from pathlib import Path

import streamlit as st
from sqlalchemy import Engine

from workflow import database


@st.cache_resource(show_spinner=False)
def engine() -> Engine:
    """The engine of this server's database."""
    return database.connect(database.database_url())


@st.cache_resource(show_spinner=False)
def style_sheet() -> str:
    """The style sheet as a tag."""
    css = (Path(__file__).parent / "style.css").read_text(encoding="utf-8")
    return f"<style>{css}</style>"


@st.cache_resource(show_spinner=False)
def key_script() -> str:
    """The script that drops the repeats of held keys, as a tag."""
    script = (Path(__file__).parent / "keys.js").read_text(encoding="utf-8")
    return f"<script>{script}</script>"


def now() -> datetime:
    """This moment; the one clock of the screens."""
    return datetime.now(UTC)
