"""Who gets which label? The strategies that are compared, in one table with one signature.

A strategy looks at where a study stands and says which package the items of each state get. The
paper's three (All-R, All-T, both) know nothing of the labels so far; `settle` and `optimal` do.
"""

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import NamedTuple

import numpy as np

from model.allocation.information import find_information, list_options
from model.allocation.optimal import find_design, to_assignment
from model.allocation.packages import Outcomes, Package
from model.allocation.posteriors import Posteriors
from model.allocation.spending import Assignment
from model.allocation.states import NUM_STATES, Integers
from model.allocation.targets import Population, Target, find_settled
from model.rat.cells import Array
from model.rat.derived import cell_probabilities


class StrategyName(StrEnum):
    """The strategies, by the names of the command line and of the charts."""

    ALL_RETRIEVAL = "all_retrieval"
    ALL_TASK = "all_task"
    BOTH = "both"
    MIXED = "mixed"
    TASK_FIRST = "task_first"
    RETRIEVAL_FIRST = "retrieval_first"
    SETTLE = "settle"
    OPTIMAL = "optimal"


class Situation(NamedTuple):
    """Where many studies stand. counts: int64[num_studies, 15]; budgets: money left of each."""

    target: Target
    outcomes: Outcomes
    counts: Integers
    posteriors: Posteriors
    budgets: Array


Strategy = Callable[[Situation], Assignment]
MIXED_SHARE = 0.5
# So few items wanted that their turn comes when all others have had theirs.
LAST = 1e-6


def all_retrieval(situation: Situation) -> Assignment:
    """R of every item that has none."""
    return _everywhere(situation, Package.RETRIEVAL)


def all_task(situation: Situation) -> Assignment:
    """T of every answered item that has none."""
    return _everywhere(situation, Package.TASK)


def both(situation: Situation) -> Assignment:
    """R and T of every item, whatever the first says."""
    return _everywhere(situation, Package.BOTH)


def mixed(situation: Situation, share: float = MIXED_SHARE) -> Assignment:
    """R of a share of the items, T of the others."""
    shares = share * _everywhere(situation, Package.RETRIEVAL).shares
    return Assignment(shares + (1 - share) * _everywhere(situation, Package.TASK).shares)


def task_first(situation: Situation) -> Assignment:
    """T, then R where T leaves the target open."""
    return _open_items(situation, Package.TASK_THEN_RETRIEVAL)


def retrieval_first(situation: Situation) -> Assignment:
    """R, then T where R leaves the target open."""
    return _open_items(situation, Package.RETRIEVAL_THEN_TASK)


def settle(situation: Situation) -> Assignment:
    """Of each open state the order that settles an item at the lower expected cost."""
    cells = np.stack(cell_probabilities(situation.posteriors.rates), axis=1)
    mean = (cells * situation.posteriors.weights[:, None, :]).sum(axis=2)
    task, retrieval = (
        np.einsum("nc,sc->ns", mean, situation.outcomes.cost[package])
        for package in (Package.TASK_THEN_RETRIEVAL, Package.RETRIEVAL_THEN_TASK)
    )
    is_task = (task <= retrieval)[:, :, None]
    return Assignment(
        np.where(is_task, task_first(situation).shares, retrieval_first(situation).shares)
    )


def optimal(situation: Situation) -> Assignment:
    """The mix that is expected to leave the least variance for the money (optimal.py)."""
    options = list_options(situation.outcomes, situation.counts)
    if not options:
        return _everywhere(situation, Package.RETRIEVAL)
    information = find_information(
        situation.target, situation.outcomes, options, situation.posteriors
    )
    is_finite = situation.target.population == Population.TEST_SET
    design = find_design(information, situation.counts, situation.budgets, is_finite)
    return _then_the_rest(to_assignment(information, design), settle(situation))


STRATEGIES: Mapping[StrategyName, Strategy] = {
    StrategyName.ALL_RETRIEVAL: all_retrieval,
    StrategyName.ALL_TASK: all_task,
    StrategyName.BOTH: both,
    StrategyName.MIXED: mixed,
    StrategyName.TASK_FIRST: task_first,
    StrategyName.RETRIEVAL_FIRST: retrieval_first,
    StrategyName.SETTLE: settle,
    StrategyName.OPTIMAL: optimal,
}


def _everywhere(situation: Situation, package: Package) -> Assignment:
    """One package for every state."""
    shares = np.zeros((len(situation.counts), NUM_STATES, len(Package)))
    shares[:, :, package] = 1
    return Assignment(shares)


def _open_items(situation: Situation, package: Package) -> Assignment:
    """One package for the states that are not settled yet."""
    shares = _everywhere(situation, package).shares
    shares[:, find_settled(situation.target)] = 0
    return Assignment(shares)


def _then_the_rest(first: Assignment, rest: Assignment) -> Assignment:
    """What the design leaves out comes after all it wants, if there is money left."""
    wanted = first.wanted if first.wanted is not None else first.shares.sum(axis=2)
    is_left_out = wanted == 0
    shares = np.where(is_left_out[:, :, None], rest.shares, first.shares)
    return Assignment(shares, np.where(is_left_out, LAST, wanted))
