"""The colours and words of all charts, in one place.

Outcomes keep one colour each: greens where the policy is kept, warm colours where it is broken.
They differ in lightness too, and every chart that uses them has words beside the colours.
"""

from typing import NamedTuple

from model.allocation.strategies import StrategyName
from model.rat.derived import Quantity

ACCENT = "#1f9a88"

QUANTITY_WORDS = {
    Quantity.POLICY_ADHERENCE: "Policy adherence",
    Quantity.TASK_SUCCESS: "Task success",
    Quantity.RETRIEVAL_SUCCESS: "Retrieval success",
    Quantity.ABSTENTION: "Abstention",
    Quantity.TRUTHFULNESS: "Truthfulness (right − wrong)",
    Quantity.ANSWERED_CORRECT: "Right, of those answered",
    Quantity.ABSTAIN_GIVEN_FAILED_RETRIEVAL: "Silent when nothing was found",
    Quantity.ABSTAIN_GIVEN_RETRIEVAL: "Silent although found",
    Quantity.CORRECT_GIVEN_FAILED_RETRIEVAL: "Right without support",
    Quantity.CORRECT_GIVEN_RETRIEVAL: "Right with support",
}


class CellLook(NamedTuple):
    """How an outcome looks in charts."""

    words: str
    colour: str


CELL_LOOKS = {
    "found_right": CellLook("Found, answered right", "#1b7f70"),
    "failed_abstained": CellLook("Not found, stayed silent", "#7cc4b5"),
    "found_wrong": CellLook("Found, answered wrong", "#b3471d"),
    "found_abstained": CellLook("Found, but refused", "#e0a63a"),
    "failed_wrong": CellLook("Not found, answered wrong", "#7d2f5a"),
    "failed_right": CellLook("Not found, lucky answer", "#c48bb0"),
}


class LineLook(NamedTuple):
    """How a strategy's line looks: dashes tell apart what shares a colour."""

    colour: str
    dash: tuple[int, ...]


SOLID, DASHED, DOTTED = (1, 0), (6, 3), (2, 3)
# Orange begins with retrieval, blue with task; solid ones ask the second label where it helps.
LINE_LOOKS = {
    StrategyName.ALL_RETRIEVAL: LineLook("#d2601a", DASHED),
    StrategyName.ALL_TASK: LineLook("#3b8fd1", DASHED),
    StrategyName.BOTH: LineLook("#8a8f8d", SOLID),
    StrategyName.MIXED: LineLook("#8a8f8d", DOTTED),
    StrategyName.TASK_FIRST: LineLook("#3b8fd1", SOLID),
    StrategyName.RETRIEVAL_FIRST: LineLook("#d2601a", SOLID),
    StrategyName.SETTLE: LineLook("#a56cc1", (8, 2, 2, 2)),
    StrategyName.OPTIMAL: LineLook(ACCENT, SOLID),
}
