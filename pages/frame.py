"""The frame of every screen: which study, how far it is, and the designed empty states."""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from html import escape
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import streamlit as st

from pages.resources import engine, style_sheet
from pages.session import STUDY, choose_study, chosen_study, missing_study
from workflow import studies

WORD_JOINER = "\u2060"


def open_screen(title: str, beside: Callable[[str], None] | None = None) -> str | None:
    """The title row with the study picker; returns the chosen study, or None when there is none.

    Args:
        title: of the screen.
        beside: draws what belongs between the title and the picker, for the chosen study.
    """
    st.html(style_sheet())
    names = studies.list_names(engine())
    missing = missing_study(names)
    chosen = chosen_study(names)
    left, middle, right = st.columns([2.4, 0.6, 1], vertical_alignment="center")
    left.title(title, anchor=False)
    if chosen is None:
        show_empty("No study yet", "Make one on the Studies screen, or import a file on Data.")
        return None
    # A study chosen elsewhere, a new one for instance, must reach the picker too.
    key = f"pick-{STUDY}-{title}"
    st.session_state[key] = chosen
    right.selectbox(
        "Study", names, key=key, label_visibility="collapsed", on_change=_pick, args=(key,)
    )
    if missing is not None:
        show_alert(f"There is no study {missing!r}; this is {chosen!r}. Choose one on the right.")
    if beside is not None:
        with middle:
            beside(chosen)
    return chosen


def show_empty(title: str, text: str) -> None:
    """A state without content: what it is, and what to do."""
    st.html(
        f'<div class="ratchet-empty"><div class="title">{escape(title)}</div>'
        f"<div>{escape(text)}</div></div>"
    )


def show_alert(text: str | None, kind: str = "warning") -> None:
    """A line that needs attention, literally as it is; nothing when there is none.

    Args:
        text: what happened and what to do.
        kind: warning, error or good.
    """
    if text:
        role = "status" if kind == "good" else "alert"
        st.html(f'<div class="ratchet-alert {kind}" role="{role}" dir="auto">{escape(text)}</div>')


def literal(text: str) -> str:
    """Text as a widget label: Markdown, colons and dollars show as typed."""
    escaped = re.sub(r"([\\`*_{}\[\]()#+\-.!:$~<>|&])", r"\\\1", " ".join(text.split()))
    # Streamlit looks for icons in what Markdown leaves; a word joiner, never seen, parts them.
    return re.sub(r"\\:(?=material/|streamlit)", f"\\\\:{WORD_JOINER}", escaped)


def clock(moment: datetime) -> str:
    """hh:mm:ss in the time zone of the browser."""
    return moment.astimezone(_zone()).strftime("%H:%M:%S")


def day(moment: datetime) -> str:
    """yyyy-mm-dd in the time zone of the browser."""
    return moment.astimezone(_zone()).strftime("%Y-%m-%d")


def _pick(key: str) -> None:
    choose_study(st.session_state[key])


def _zone() -> ZoneInfo:
    try:
        return ZoneInfo(st.context.timezone or "UTC")
    except (ZoneInfoNotFoundError, ValueError):
        return ZoneInfo(str(UTC))
