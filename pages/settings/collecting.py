"""How a study collects its labels: open or not, votes for each question, budgets."""

import streamlit as st

from pages import frame
from pages.attempt import attempt
from pages.resources import engine, now
from workflow import collecting, studies
from workflow.collecting import Budgets, Collection, StudyState

STATE_WORDS = {
    StudyState.DRAFT: "Draft",
    StudyState.OPEN: "Open",
    StudyState.PAUSED: "Paused",
    StudyState.CLOSED: "Closed",
}
STATE_HELP = (
    "Draft: nobody gets questions and no answer is taken. Open: people label. Paused and closed:"
    " nobody gets new questions; one that is on somebody's screen may still be answered."
)
VOTES_HELP = (
    "With two or more, different people answer the same question, and their agreement can be"
    " measured. The majority counts; a tie leaves the question open until a lead decides."
)
BUDGET_HELP = (
    "How many labels may be given here. Imported labels, skips and votes that came too late cost"
    " nothing. Empty: no limit."
)


def draw_collecting(study: str, person: str) -> None:
    """State, votes and budgets of a study, with what is given and held."""
    found = collecting.read_collection(engine(), study, now())
    _state(study, found, person)
    _votes(study, found, person)
    _budgets(study, found, person)


def _state(study: str, found: Collection, person: str) -> None:
    left, right = st.columns([2, 1], vertical_alignment="bottom")
    state = left.segmented_control(
        "This study is",
        list(STATE_WORDS),
        format_func=STATE_WORDS.__getitem__,
        default=found.state,
        required=True,
        key=f"state-{study}-{found.state}",
        help=STATE_HELP,
    )
    wished = state or found.state
    right.button(
        "Change",
        key="state-save",
        disabled=wished == found.state,
        on_click=attempt,
        args=(
            lambda: collecting.set_state(engine(), study, wished, person, now()),
            f"The study is {STATE_WORDS[wished].lower()} now.",
        ),
    )


def _votes(study: str, found: Collection, person: str) -> None:
    left, right = st.columns([2, 1], vertical_alignment="bottom")
    votes = int(
        left.number_input(
            "People who answer each question",
            1,
            collecting.MAX_VOTES,
            found.votes_wanted,
            key=f"votes-{study}-{found.votes_wanted}",
            help=VOTES_HELP,
        )
    )
    right.button(
        "Change",
        key="votes-save",
        disabled=votes == found.votes_wanted,
        on_click=attempt,
        args=(
            lambda: collecting.set_votes_wanted(engine(), study, votes, person, now()),
            f"Each question wants {votes} votes now. What counted goes on counting.",
        ),
    )


def _budgets(study: str, found: Collection, person: str) -> None:
    spending = found.spending
    columns = st.columns([1, 1, 1, 1.5], vertical_alignment="bottom")
    names = ("Retrieval labels", "Task labels", "Labels in all")
    limits = [
        column.number_input(
            name,
            min_value=0,
            value=limit,
            step=10,
            placeholder="no limit",
            key=f"budget-{study}-{name}-{limit}",
            help=BUDGET_HELP,
        )
        for column, name, limit in zip(columns, names, found.budgets, strict=False)
    ]
    wished = Budgets(*(None if limit is None else int(limit) for limit in limits))
    columns[3].button(
        "Change budgets",
        key="budgets-save",
        disabled=wished == found.budgets,
        on_click=attempt,
        args=(
            lambda: collecting.set_budgets(engine(), study, wished, person, now()),
            "The budgets are changed.",
        ),
    )
    held = spending.held_retrieval + spending.held_task
    st.caption(
        f"Given so far: {spending.retrieval} retrieval and {spending.task} task labels;"
        f" {held} questions are in people's hands."
    )


def draw_versions(study: str) -> None:
    """Earlier guidelines, newest first."""
    versions = studies.list_guidelines(engine(), study)
    if len(versions) < 2:
        return
    with st.expander(f"Earlier guidelines: {len(versions)} versions"):
        by_number = {one.version: one for one in versions}
        number = st.selectbox(
            "Version",
            list(by_number),
            format_func=lambda version: (
                f"{version}, by {by_number[version].person},"
                f" {frame.day(by_number[version].created_at)}"
            ),
            key=f"version-{study}",
        )
        st.code(by_number[number].text, language=None, wrap_lines=True)
