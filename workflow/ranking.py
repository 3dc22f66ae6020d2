"""Which questions does a strategy ask now, and in which order?

The optimal mix and settling take the next-label rule (what is worth most for its price); the fixed
strategies know nothing of worth: they complete what they began and take any other item as it comes.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from model.allocation.packages import LabelCosts, Outcomes, Package, Step, tabulate_outcomes
from model.allocation.states import OPEN_CELLS, PATTERNS, Label
from model.allocation.strategies import StrategyName
from model.allocation.targets import Target
from model.rat.cells import UNOBSERVED
from workflow.recommending import Recommendation
from workflow.words import LABEL_WORDS, LABELS_OF, describe_state

PACKAGES: Mapping[StrategyName, tuple[Package, ...]] = {
    StrategyName.ALL_RETRIEVAL: (Package.RETRIEVAL,),
    StrategyName.ALL_TASK: (Package.TASK,),
    StrategyName.BOTH: (Package.BOTH,),
    StrategyName.MIXED: (Package.RETRIEVAL, Package.TASK),
    StrategyName.TASK_FIRST: (Package.TASK_THEN_RETRIEVAL,),
    StrategyName.RETRIEVAL_FIRST: (Package.RETRIEVAL_THEN_TASK,),
    StrategyName.SETTLE: (Package.TASK_THEN_RETRIEVAL, Package.RETRIEVAL_THEN_TASK),
    StrategyName.OPTIMAL: tuple(Package),
}
BY_WORTH = frozenset({StrategyName.SETTLE, StrategyName.OPTIMAL})
COMPLETES = frozenset({StrategyName.BOTH, StrategyName.TASK_FIRST, StrategyName.RETRIEVAL_FIRST})


class Ranked(NamedTuple):
    """Ask this label of items in this state; lower ranks first, equal ones are equally good.

    `then` holds (state, label) of what follows on the same item.
    """

    state: int
    label: Label
    rank: int
    score: float
    words: str
    reason: str
    then: tuple[tuple[int, Label], ...]


class _Candidate(NamedTuple):
    """A package that a strategy may begin on items of a state, with its worth."""

    package: Package
    label: Label
    found: Recommendation


def rank_questions(
    strategy: StrategyName,
    target: Target,
    costs: LabelCosts,
    recommendations: list[Recommendation],
) -> list[Ranked]:
    """Return what a strategy asks, best first; one row for each state and label.

    Args:
        strategy: what the lead chose.
        target: what shall become sharper.
        costs: the prices.
        recommendations: all that can be bought, best first.
    """
    outcomes = tabulate_outcomes(target, costs)
    candidates = list(_candidates(strategy, outcomes, recommendations))
    candidates.sort(key=lambda one: -one.found.per_cost)
    rows: dict[tuple[int, Label], Ranked] = {}
    for number, candidate in enumerate(candidates):
        state = candidate.found.state
        rank = number if strategy in BY_WORTH else _fixed_rank(strategy, state)
        rows.setdefault((state, candidate.label), _to_row(candidate, outcomes, rank))
    return sorted(rows.values(), key=lambda row: row.rank)


def _candidates(
    strategy: StrategyName, outcomes: Outcomes, recommendations: list[Recommendation]
) -> Iterator[_Candidate]:
    """Packages with the same effect are recommended once; a strategy may know the other name."""
    for found in recommendations:
        for package in PACKAGES[strategy]:
            label = _asked(outcomes.first, (package, found.state))
            if label is not None and _is_same(outcomes, package, found):
                yield _Candidate(package, label, found)


def _is_same(outcomes: Outcomes, package: Package, found: Recommendation) -> bool:
    named = next(one for one in Package if LABELS_OF[one] == found.labels)
    ours, theirs = (package, found.state), (named, found.state)
    return bool(
        (outcomes.end_state[ours] == outcomes.end_state[theirs]).all()
        and (outcomes.cost[ours] == outcomes.cost[theirs]).all()
        and _asked(outcomes.first, ours) == _asked(outcomes.first, theirs)
    )


def _asked(step: Step, place: tuple[int, ...]) -> Label | None:
    if step.num_retrieval[place].any():
        return Label.RETRIEVAL
    return Label.TASK if step.num_task[place].any() else None


def _fixed_rank(strategy: StrategyName, state: int) -> int:
    """What was begun comes first in the strategies that complete items."""
    pattern = PATTERNS[state]
    is_begun = (pattern.retrieval == UNOBSERVED) != (pattern.task == UNOBSERVED)
    return 0 if strategy in COMPLETES and is_begun else 1


def _to_row(candidate: _Candidate, outcomes: Outcomes, rank: int) -> Ranked:
    found = candidate.found
    words = f"{LABEL_WORDS[candidate.label]} of {describe_state(found.state)}"
    then = _following(outcomes, candidate.package, found.state)
    return Ranked(found.state, candidate.label, rank, found.per_cost, words, found.reason, then)


def _following(outcomes: Outcomes, package: Package, state: int) -> tuple[tuple[int, Label], ...]:
    """Where the first label leads, and what the package asks there."""
    follows = set()
    for cell in np.flatnonzero(OPEN_CELLS[state]).tolist():
        label = _asked(outcomes.second, (package, state, cell))
        if label is not None:
            follows.add((int(outcomes.first.end_state[package, state, cell]), label))
    return tuple(sorted(follows))
