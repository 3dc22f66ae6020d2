"""What a plan is asked for: system, target, prices, and a budget or a wanted precision."""

from typing import NamedTuple

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
FIRST_REQUEST = PlanRequest(budget=FIRST_BUDGET)
ALONE = "nothing: this system alone"
AGAINST_HELP = (
    "With another system, the plan narrows the difference of the two, and each gets half of the"
    " money."
)
SHARING_HELP = (
    "Systems that were given the same passages for the same query share the retrieval label: it is"
    " bought once. Leave this out if you label for this system only."
)
AFTER_HELP = (
    "What the task label costs when the same person has just judged retrieval of the same answer:"
    " query and passages are read already. Enter the full price if that saves nothing."
)


class Asked(NamedTuple):
    """What shall become sharper; `against` is the system whose difference is wanted, if any."""

    quantity: Quantity
    population: Population
    against: str | None


def draw_target(key: str, before: PlanRequest, others: list[str]) -> Asked:
    """Which number, of which queries, and of one system or of a difference.

    Args:
        key: tells the fields of different studies and systems apart.
        before: what was asked last.
        others: the other systems of the study.
    """
    sizes = [1.7, 1.1, 1] if others else [2, 0.01, 1.2]
    left, middle, right = st.columns(sizes, vertical_alignment="bottom")
    names = list(QUANTITY_WORDS)
    quantity = left.selectbox(
        "What do you want to know better?",
        names,
        index=names.index(before.quantity),
        format_func=QUANTITY_WORDS.__getitem__,
        key=f"{key}-quantity",
    )
    with middle:
        against = _against(key, before, others) if others else None
    population = right.segmented_control(
        "Population",
        list(POPULATIONS),
        format_func=POPULATIONS.__getitem__,
        default=before.population,
        required=True,
        key=f"{key}-population",
        help=POPULATION_HELP,
    )
    return Asked(quantity, population or Population.FUTURE, against)


def draw_prices(key: str, before: PlanRequest) -> PlanRequest:
    """What labels cost, and the goal: a budget or a precision.

    Args:
        key: tells the fields of different studies and systems apart.
        before: what was asked last.
    """
    first, second, third, choice, goal = st.columns([1, 1, 1, 1.2, 1], vertical_alignment="bottom")
    costs = before.costs
    with first:
        retrieval = _price("Price of a retrieval label", f"{key}-r", costs.retrieval)
    with second:
        task = _price("Price of a task label", f"{key}-t", costs.task)
    with third:
        words, value = "… task right after it", costs.task_after_retrieval
        after = _price(words, f"{key}-a", value, AFTER_HELP)
    chosen = choice.segmented_control(
        "Plan for",
        [BUDGET, PRECISION],
        default=BUDGET if before.half_width is None else PRECISION,
        required=True,
        key=f"{key}-goal",
    )
    asked = PlanRequest(costs=LabelCosts(retrieval, task, after))
    with goal:
        return GOALS[chosen or BUDGET](key, before, asked)


def draw_sharing(key: str, before: PlanRequest, sharing: float) -> float:
    """The systems among which the price of a retrieval label is split; 1.0 where none share it.

    Args:
        key: tells the fields of different studies and systems apart.
        before: what was asked last.
        sharing: how many systems a retrieval label of this one serves, on average.
    """
    if sharing <= 1:
        return 1.0
    is_first = before == FIRST_REQUEST
    is_split = st.checkbox(
        f"Split the price of a retrieval label among the {sharing:.3g} systems it serves",
        value=is_first or before.systems_sharing > 1,
        key=f"{key}-sharing",
        help=SHARING_HELP,
    )
    return sharing if is_split else 1.0


def _against(key: str, before: PlanRequest, others: list[str]) -> str | None:
    """The system to tell this one apart from."""
    choices = [None, *others]
    known = before.against if before.against in others else None
    return st.selectbox(
        "Compared with",
        choices,
        index=choices.index(known),
        format_func=lambda name: ALONE if name is None else name,
        key=f"{key}-against",
        help=AGAINST_HELP,
    )


def _price(words: str, key: str, value: float, explained: str | None = None) -> float:
    return float(
        st.number_input(
            words, min_value=0.01, value=float(value), step=0.1, key=key, help=explained
        )
    )


def _budget(key: str, before: PlanRequest, asked: PlanRequest) -> PlanRequest:
    budget = st.number_input(
        "Budget, in the same unit",
        min_value=0.01,
        value=float(before.budget or FIRST_BUDGET),
        step=10.0,
        key=f"{key}-budget",
    )
    return asked._replace(budget=float(budget))


def _precision(key: str, before: PlanRequest, asked: PlanRequest) -> PlanRequest:
    points = st.number_input(
        "± in percentage points",
        min_value=0.1,
        max_value=50.0,
        value=100 * before.half_width if before.half_width else FIRST_POINTS,
        step=0.5,
        key=f"{key}-points",
    )
    return asked._replace(half_width=float(points) / 100)


GOALS = {BUDGET: _budget, PRECISION: _precision}
