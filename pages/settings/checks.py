"""Known answers: what share of questions are hidden checks, what people practise on first."""

import pandas as pd
import streamlit as st

from pages import frame
from pages.attempt import attempt
from pages.desk.words import ANSWERS, QUESTIONS, VALUE_WORDS
from pages.resources import engine, now
from workflow import checking, studies
from workflow.checking import Known, KnownWish, LabelType
from workflow.errors import EXPECTED
from workflow.studies import Overview

PRACTICE, HIDDEN = "Practice, told afterwards", "Hidden check"
ABOUT = (
    "Questions whose answer you know. They are picked by hand, so they count in no rate and cost no"
    " budget: practice comes before a person's first label, and hidden checks look like any other"
    " question. How people did is on Quality."
)


def draw_checks(study: Overview, person: str) -> None:
    """The switches, the list, and a new one."""
    st.caption(ABOUT)
    _switches(study, person)
    known = checking.list_known(engine(), study.name)
    if known:
        _list(study.name, known, person)
    _new(study.name, person)


def _switches(study: Overview, person: str) -> None:
    current = study.choices
    left, middle, right = st.columns([2, 1.4, 1], vertical_alignment="bottom")
    share = left.slider(
        "Hidden checks, of 100 questions",
        0,
        30,
        round(100 * current.gold_share),
        key=f"gold-{study.name}",
    )
    first = middle.toggle(
        "Practice comes first", current.practices_first, key=f"first-{study.name}"
    )
    wished = current._replace(gold_share=share / 100, practices_first=first)
    right.button(
        "Change",
        key="checks-save",
        disabled=wished == current,
        on_click=attempt,
        args=(lambda: studies.change(engine(), study.name, wished, person, now()), "Changed."),
    )


def _list(study: str, known: list[Known], person: str) -> None:
    rows = [
        {
            "Item": one.item_key,
            "Question": QUESTIONS[one.subject.label_type][0],
            "Answer": VALUE_WORDS[one.value],
            "For": PRACTICE if one.is_practice else HIDDEN,
            "Why": one.explanation,
        }
        for one in known
    ]
    st.dataframe(pd.DataFrame(rows), hide_index=True, width="stretch", height="content")
    left, right = st.columns([3, 1], vertical_alignment="bottom")
    by_id = {one.id: one for one in known}
    chosen = left.selectbox(
        "Take one away",
        list(by_id),
        format_func=lambda known_id: (
            f"{by_id[known_id].item_key}, {QUESTIONS[by_id[known_id].subject.label_type][0]}"
        ),
        key=f"known-{study}",
    )
    right.button(
        "Remove",
        key="known-remove",
        on_click=attempt,
        args=(
            lambda: checking.remove(engine(), study, chosen, person, now()),
            "Removed: it is an ordinary question again.",
        ),
    )


def _new(study: str, person: str) -> None:
    with st.form("new-known", border=False, clear_on_submit=True):
        item, kind, answer, use = st.columns([1.2, 1, 1, 1.4])
        item_id = item.text_input("item_id")
        label_type = kind.selectbox(
            "Question", tuple(LabelType), format_func=lambda one: QUESTIONS[one][0]
        )
        value = answer.selectbox("Answer", ANSWERS, format_func=VALUE_WORDS.__getitem__)
        purpose = use.selectbox("For", (PRACTICE, HIDDEN))
        explanation = st.text_input("Why (told after practice)")
        is_made = st.form_submit_button("Add")
    if not is_made:
        return
    asked = LabelType(label_type or LabelType.RETRIEVAL)
    wish = KnownWish(item_id.strip(), asked, value, purpose == PRACTICE, explanation)
    try:
        checking.add(engine(), study, wish, person, now())
    except EXPECTED as error:
        frame.show_alert(str(error), "error")
    else:
        st.rerun()
