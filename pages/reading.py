"""Text of others on screen: literal, escaped, in its own direction, with search hits marked.

Never Markdown: it would eat `$5`, `:tada:` and `<tag>`.
"""

import re
from collections.abc import Sequence
from html import escape
from typing import Protocol


class PassageText(Protocol):
    """What is shown of a passage."""

    @property
    def title(self) -> str | None:
        """Its title, if it has one."""

    @property
    def text(self) -> str:
        """Its text."""


def text_html(text: str, search: str = "", css_class: str = "") -> str:
    """A block of text, shown literally in its own direction."""
    body = marked(text, search)
    return f'<div class="ratchet-text {css_class}" dir="auto">{body}</div>'


def marked(text: str, search: str) -> str:
    """Escaped text with every hit of a search in <mark>, whatever its case."""
    wanted = search.strip()
    if not wanted:
        return escape(text)
    pieces = re.split(f"({re.escape(wanted)})", text, flags=re.IGNORECASE)
    return "".join(
        f"<mark>{escape(piece)}</mark>" if number % 2 else escape(piece)
        for number, piece in enumerate(pieces)
    )


def count_hits(texts: Sequence[str], search: str) -> int:
    """How often a search hits."""
    wanted = search.strip().lower()
    return sum(text.lower().count(wanted) for text in texts) if wanted else 0


def passages_html(passages: Sequence[PassageText], search: str) -> str:
    """All passages of an item, numbered."""
    return "".join(
        _passage_html(number, passage, search) for number, passage in enumerate(passages, start=1)
    )


def _passage_html(number: int, passage: PassageText, search: str) -> str:
    title = f'<b dir="auto">{marked(passage.title, search)}</b>' if passage.title else ""
    head = f'<div class="head"><span class="number">{number}</span>{title}</div>'
    return f'<div class="ratchet-passage">{head}{text_html(passage.text, search)}</div>'
