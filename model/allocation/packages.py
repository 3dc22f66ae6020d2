"""What does asking about one item cost, and where does it lead? Packages of labels and outcomes.

A package is the order in which an item's labels are bought and when to stop: `…_then_…` buys the
second label only if the first leaves the target open. All of it is one table over (package, state,
true cell), so that a simulation looks outcomes up and never branches.
"""

import math
from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from model.allocation.states import NUM_CELLS, NUM_STATES, OPEN_CELLS, Label, can_ask, observe
from model.allocation.targets import Target, find_settled
from model.errors import ModelError
from model.rat.cells import Array


class LabelCosts(NamedTuple):
    """The price of each label, in any one currency; T right after R shares the reading."""

    retrieval: float = 1.0
    task: float = 1.0
    task_after_retrieval: float = 1.0


class Package(IntEnum):
    """Which labels of an item are bought, in which order."""

    RETRIEVAL = 0
    TASK = 1
    BOTH = 2
    RETRIEVAL_THEN_TASK = 3
    TASK_THEN_RETRIEVAL = 4


_ORDERS = {
    Package.RETRIEVAL: (Label.RETRIEVAL,),
    Package.TASK: (Label.TASK,),
    Package.BOTH: (Label.RETRIEVAL, Label.TASK),
    Package.RETRIEVAL_THEN_TASK: (Label.RETRIEVAL, Label.TASK),
    Package.TASK_THEN_RETRIEVAL: (Label.TASK, Label.RETRIEVAL),
}
_STOPS_WHEN_SETTLED = (Package.RETRIEVAL_THEN_TASK, Package.TASK_THEN_RETRIEVAL)


class Step(NamedTuple):
    """One label of a package, each [package, state, cell]; cost 0 where nothing is asked."""

    end_state: NDArray[np.int64]
    num_retrieval: NDArray[np.int64]
    num_task: NDArray[np.int64]
    cost: Array


class Outcomes(NamedTuple):
    """What a package does to an item: its first and its second label."""

    first: Step
    second: Step

    @property
    def end_state(self) -> NDArray[np.int64]:
        """Where the whole package leads, [package, state, cell]."""
        return self.second.end_state

    @property
    def cost(self) -> Array:
        """The price of the whole package, [package, state, cell]."""
        return np.asarray(self.first.cost + self.second.cost)


def check_costs(costs: LabelCosts) -> LabelCosts:
    """Return the costs unchanged when each is finite and above 0.

    Raises:
        ModelError: a cost is not.
    """
    for name, cost in zip(LabelCosts._fields, costs, strict=True):
        if not (math.isfinite(cost) and cost > 0):
            raise ModelError(
                f"The cost of a label '{name}' is {cost:g}; a finite number above 0 was expected."
                " Correct it; 1 for each compares numbers of labels."
            )
    return costs


def tabulate_outcomes(target: Target, costs: LabelCosts) -> Outcomes:
    """Return the outcome of each package on each state and true cell."""
    outcomes = Outcomes(_no_step(), _no_step())
    settled = find_settled(target)
    for package in Package:
        for state in range(NUM_STATES):
            for cell in np.flatnonzero(OPEN_CELLS[state]):
                _ask(outcomes, (package, state, int(cell)), settled, costs)
    return outcomes


def _no_step() -> Step:
    """A step that asks nothing and leaves every item as it is."""
    shape = (len(Package), NUM_STATES, NUM_CELLS)
    stay = np.broadcast_to(np.arange(NUM_STATES)[None, :, None], shape).copy()
    return Step(
        stay, np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64), np.zeros(shape)
    )


def _ask(
    outcomes: Outcomes,
    place: tuple[Package, int, int],
    settled: NDArray[np.bool_],
    costs: LabelCosts,
) -> None:
    """Buy the labels of one package for one item, one after the other."""
    package, state, cell = place
    steps = iter(outcomes)
    has_read = False
    for label in _ORDERS[package]:
        is_done = package in _STOPS_WHEN_SETTLED and settled[state]
        if is_done or not can_ask(state, label):
            continue
        state = observe(state, cell, label)
        step = next(steps)
        if label == Label.RETRIEVAL:
            step.num_retrieval[place] = 1
            step.cost[place] = costs.retrieval
        else:
            step.num_task[place] = 1
            step.cost[place] = costs.task_after_retrieval if has_read else costs.task
        step.end_state[place] = state
        has_read = True
    for step in steps:
        step.end_state[place] = state
