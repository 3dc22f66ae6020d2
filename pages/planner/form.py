"""What a plan is asked for: system, target, prices, and a budget or a wanted precision."""

import streamlit as st

from model.allocation.packages import LabelCosts
from model.allocation.targets import Population
from model.rat.derived import Quantity
from pages.charts.colours import QUANTITY_WORDS
from workflow.planning import PlanRequest

POPULATIONS = {Population.FUTURE: "Future queries", Population.TEST_SET: "This test set"}
POPULATION_HELP = (
    "Future queries: how the system will do on queries like these. This test set: how it did on"
    " exactly these; the interval closes when every item is settled."
)
BUDGET, PRECISION = "A budget", "A precision"
FIRST_BUDGET, FIRST_POINTS = 200.0, 5.0
AFTER_HELP = (
    "What the task label costs when the same person has just judged retrieval of the same answer:"
    " query and passages are read already. Enter the full price if that saves nothing."
)


def draw_form(key: str, before: PlanRequest | None, votes: int) -> PlanRequest:
    """The controls, filled with what was asked last; returns what is asked now.

    Args:
        key: tells the fields of different studies and systems apart.
        before: the request of the newest plan, if there is one.
        votes: how many answers each question of the study wants.
    """
    known = before or PlanRequest(budget=FIRST_BUDGET)
    quantity, population = _target(key, known)
    prices = st.columns([1, 1, 1, 1.2, 1], vertical_alignment="bottom")
    with prices[0]:
        retrieval = _price("Price of a retrieval label", f"{key}-r", known.costs.retrieval)
    with prices[1]:
        task = _price("Price of a task label", f"{key}-t", known.costs.task)
    with prices[2]:
        after = _price(
            "… task right after it", f"{key}-a", known.costs.task_after_retrieval, AFTER_HELP
        )
    with prices[3]:
        goal = st.segmented_control(
            "Plan for",
            [BUDGET, PRECISION],
            default=BUDGET if known.half_width is None else PRECISION,
            required=True,
            key=f"{key}-goal",
        )
    with prices[4]:
        budget, half_width = _goal(key, known, goal == PRECISION)
    return PlanRequest(
        costs=LabelCosts(retrieval, task, after),
        quantity=quantity,
        population=population,
        budget=budget,
        half_width=half_width,
        votes=votes,
    )


def _target(key: str, known: PlanRequest) -> tuple[Quantity, Population]:
    left, right = st.columns([2, 1.2], vertical_alignment="bottom")
    names = list(QUANTITY_WORDS)
    quantity = left.selectbox(
        "What do you want to know better?",
        names,
        index=names.index(known.quantity),
        format_func=QUANTITY_WORDS.__getitem__,
        key=f"{key}-quantity",
    )
    population = right.segmented_control(
        "Population",
        list(POPULATIONS),
        format_func=POPULATIONS.__getitem__,
        default=known.population,
        required=True,
        key=f"{key}-population",
        help=POPULATION_HELP,
    )
    return quantity, population or Population.FUTURE


def _price(words: str, key: str, value: float, explained: str | None = None) -> float:
    return float(
        st.number_input(
            words, min_value=0.01, value=float(value), step=0.1, key=key, help=explained
        )
    )


def _goal(key: str, known: PlanRequest, is_precision: bool) -> tuple[float | None, float | None]:
    """(budget, half-width); one of them is None."""
    if not is_precision:
        budget = st.number_input(
            "Budget, in the same unit",
            min_value=0.01,
            value=float(known.budget or FIRST_BUDGET),
            step=10.0,
            key=f"{key}-budget",
        )
        return float(budget), None
    points = st.number_input(
        "± in percentage points",
        min_value=0.1,
        max_value=50.0,
        value=100 * known.half_width if known.half_width else FIRST_POINTS,
        step=0.5,
        key=f"{key}-points",
    )
    return None, float(points) / 100
