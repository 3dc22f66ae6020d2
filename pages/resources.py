"""What all sessions share: the database engine and the style sheet."""

import json
from datetime import UTC, datetime
from pathlib import Path

import streamlit as st
from sqlalchemy import Engine

from pages.keys import ANSWER_KEYS, KEYS
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
    """The script that guards the keys of the Label screen, as a tag."""
    script = (Path(__file__).parent / "keys.js").read_text(encoding="utf-8")
    twins = {entry.twin: entry.main for entry in KEYS.values() if entry.twin}
    script = script.replace("__TWINS__", json.dumps(twins))
    return f"<script>{script.replace('__ANSWERS__', json.dumps(ANSWER_KEYS))}</script>"


def now() -> datetime:
    """This moment; the one clock of the screens."""
    return datetime.now(UTC)
