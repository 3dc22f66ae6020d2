"""The Label screen without a question: why there is none, in words."""

import streamlit as st

from pages import frame
from pages.desk import panels
from pages.planner.in_force import draw_done
from workflow.labelling import Annotator, Desk, Empty, EmptyReason

TEXTS = {
    "no_items": ("No items yet", "Import a file on the Data screen to start labelling."),
    "finished": ("All questions are answered", "See what they say on the Results screen."),
    "all_leased": ("Others hold the last questions", "The next one is free at {next_free}."),
    "skipped_the_rest": ("You skipped the rest", "What is open now waits for somebody else."),
    "answered_your_share": (
        "You answered your share",
        "What is open now wants the answers of other people.",
    ),
    "plan_done": ("No more labels are wanted now", ""),
    "budget_spent": ("The budget is spent", "{budgets}"),
    "draft": ("Not open yet", "The lead is still preparing this study. Come back later."),
    "paused": ("Paused", "The lead has paused this study. What you answered is kept."),
    "closed": ("Closed", "This study takes no more answers. What you answered is kept."),
}
BUDGET_NAMES = ("retrieval labels", "task labels", "labels in all")


def draw_empty(annotator: Annotator, desk: Desk) -> None:
    """Why there is no question, and what can be done."""
    assert desk.empty is not None
    title, text = TEXTS[desk.empty.reason]
    free = frame.clock(desk.empty.next_free) if desk.empty.next_free else ""
    frame.show_empty(title, text.format(next_free=free, budgets=describe_budgets(desk.empty)))
    if desk.empty.reason == EmptyReason.PLAN_DONE:
        draw_done(annotator.study, annotator.person)
    with st.container(horizontal=True, horizontal_alignment="center"):
        panels.draw_undo(annotator, desk)


def describe_budgets(empty: Empty) -> str:
    """What was given, and is held, of each budget."""
    spending = empty.spending
    if spending is None:
        return ""
    given = (spending.retrieval, spending.task, spending.retrieval + spending.task)
    held = (spending.held_retrieval, spending.held_task)
    parts = []
    for limit, labels, hands, name in zip(
        empty.budgets, given, (*held, sum(held)), BUDGET_NAMES, strict=True
    ):
        if limit is not None:
            waits = f" and {hands} in people's hands" if hands else ""
            parts.append(f"{labels} of {limit} {name} are given{waits}")
    return f"{'; '.join(parts)}. The lead can raise it on the Studies screen."
