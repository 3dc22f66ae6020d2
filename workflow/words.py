"""How strategies, states and labels are named for people who plan labels."""

from collections.abc import Mapping

from model.allocation.packages import Package
from model.allocation.states import PATTERNS, Label
from model.allocation.strategies import StrategyName
from model.rat.cells import UNOBSERVED

STRATEGY_WORDS: Mapping[StrategyName, str] = {
    StrategyName.ALL_RETRIEVAL: "Retrieval only (All-R)",
    StrategyName.ALL_TASK: "Task only (All-T)",
    StrategyName.BOTH: "Both labels of every item",
    StrategyName.MIXED: "Half retrieval, half task",
    StrategyName.TASK_FIRST: "Task first",
    StrategyName.RETRIEVAL_FIRST: "Retrieval first",
    StrategyName.SETTLE: "Settle each item the cheaper way",
    StrategyName.OPTIMAL: "The optimal mix",
}
LABELS_OF: Mapping[Package, str] = {
    Package.RETRIEVAL: "retrieval",
    Package.TASK: "task",
    Package.BOTH: "both",
    Package.RETRIEVAL_THEN_TASK: "retrieval, then task if still open",
    Package.TASK_THEN_RETRIEVAL: "task, then retrieval if still open",
}
LABEL_WORDS: Mapping[Label, str] = {Label.RETRIEVAL: "retrieval", Label.TASK: "task"}


def describe_state(state: int) -> str:
    """What is known of an item, in words."""
    abstained, retrieval, task = PATTERNS[state]
    kind = {1: "a refusal", 0: "an answer", UNOBSERVED: "an item whose answer is unknown"}
    known = []
    if retrieval != UNOBSERVED:
        known.append(f"whose retrieval was {'enough' if retrieval else 'not enough'}")
    if task != UNOBSERVED:
        known.append(f"that is {'right' if task else 'wrong'}")
    return f"{kind[abstained]} {' and '.join(known) or 'without labels'}"
