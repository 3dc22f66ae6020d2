"""What an annotator reads: query, passages, answer; one block of HTML each, all text literal."""

from html import escape

import streamlit as st

from pages import reading
from pages.desk import deeds
from workflow.labelling import Annotator, Question

NO_PASSAGES = '<p class="ratchet-quiet">This item came without retrieved passages.</p>'


def draw_passages(question: Question, search: str) -> None:
    """The query above its passages, which scroll by themselves."""
    item = question.item
    hits = reading.count_hits([passage.text for passage in item.passages], search)
    found = f" · {hits} found" if search.strip() else ""
    shown = reading.passages_html(item.passages, search) or NO_PASSAGES
    st.html(
        '<div class="ratchet-reading">'
        f'{_cap("Query")}<div class="ratchet-query" dir="auto">{escape(item.query)}</div>'
        f"{_cap(f'Retrieved passages ({len(item.passages)}){found}')}"
        f'<div class="ratchet-scroll" tabindex="0" aria-label="Passages">{shown}</div></div>'
    )


def draw_answer(question: Question) -> None:
    """The answer, what was expected, and the other columns where the study shows them."""
    item = question.item
    if item.answer:
        answer = reading.text_html(item.answer, css_class="ratchet-answer")
    else:
        words = "The system answered nothing." if item.answer == "" else "No answer text."
        answer = f'<p class="ratchet-quiet">{words}</p>'
    more = [("Expected", item.reference)] if item.reference else []
    more += question.metadata
    rest = "".join(f"{_cap(name)}{reading.text_html(value or '')}" for name, value in more)
    st.html(
        '<div class="ratchet-scroll ratchet-side" tabindex="0" aria-label="Answer">'
        f"{_cap('Answer')}{answer}{rest}</div>"
    )


def draw_refusal(annotator: Annotator, question: Question) -> None:
    """Whether the answer counts as a refusal, and the button to say otherwise."""
    item = question.item
    if item.answer is None:
        return
    is_refusal = item.abstained == 1
    words = "Counts as a refusal" if is_refusal else "Counts as an answer"
    other = "it is an answer" if is_refusal else "it is a refusal"
    st.button(
        f"{words} · change: {other}",
        key=f"refusal-{question.lease_id}",
        type="tertiary",
        on_click=deeds.override,
        args=(annotator, item.item_id, 0 if is_refusal else 1),
    )


def _cap(text: str) -> str:
    return f'<p class="ratchet-cap" dir="auto">{escape(text)}</p>'
