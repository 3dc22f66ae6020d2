"""What is known after a budget is spent? Items in order, label by label, until money is out.

One pass serves a whole row of budgets: each label falls into the first budget that still pays for
it. The sequential rule of a package is followed item by item, never replaced by its average; an
item whose second label is too dear keeps its first, for to skip it would favour cheap outcomes.
"""

from typing import NamedTuple

import numpy as np

from model.allocation.packages import Outcomes, Step
from model.allocation.pool import Upcoming
from model.allocation.states import NUM_CELLS, NUM_STATES, Integers
from model.rat.cells import Array

# Sums of costs that should reach a budget exactly may miss it by rounding.
ROUNDING = 1e-9


class Assignment(NamedTuple):
    """Which package an item of a state gets, and in which order items come.

    shares: probabilities of the packages, float64[num_studies, 15, 5].
    wanted: how many items of each state to take, float64[num_studies, 15]; states advance in these
        proportions. None takes items in random order.
    """

    shares: Array
    wanted: Array | None = None


class Spent(NamedTuple):
    """The study after each budget, and what was bought.

    hidden: int64[num_budgets, num_studies, 15, 6]; num_retrieval, num_task, cost:
    [num_budgets, num_studies].
    """

    hidden: Integers
    num_retrieval: Integers
    num_task: Integers
    cost: Array


def spend(
    hidden: Integers,
    upcoming: Upcoming,
    assignment: Assignment,
    outcomes: Outcomes,
    budgets: Array,
) -> Spent:
    """Return the studies after each budget.

    Args:
        hidden: items in each state and true cell, int64[num_studies, 15, 6].
        upcoming: the items that may be asked about.
        assignment: packages and order.
        outcomes: what each package does.
        budgets: float64[num_budgets] or float64[num_studies, num_budgets], ascending.
    """
    package = _choose_packages(upcoming, assignment)
    place = (package, np.broadcast_to(upcoming.state, package.shape), upcoming.cell)
    is_wanted = upcoming.exists & (assignment.shares.sum(axis=2) > 0)[:, upcoming.state]
    prices = np.stack([np.where(is_wanted, step.cost[place], 0.0) for step in outcomes], axis=2)
    order = np.argsort(_times(upcoming, assignment, prices[:, :, 0]), axis=1)[:, :, None]
    paid = np.cumsum(np.take_along_axis(prices, order, axis=1).reshape(len(order), -1), axis=1)
    slots = np.empty(prices.shape, dtype=np.int64)
    np.put_along_axis(slots, order, _first_budget(paid, budgets).reshape(prices.shape), axis=1)
    slots[prices == 0] = budgets.shape[-1]
    first = _count_up(slots[:, :, 0], place, upcoming.state, outcomes.first, budgets.shape[-1])
    between = outcomes.first.end_state[place]
    second = _count_up(slots[:, :, 1], place, between, outcomes.second, budgets.shape[-1])
    return Spent(
        hidden + first.hidden + second.hidden,
        first.num_retrieval + second.num_retrieval,
        first.num_task + second.num_task,
        first.cost + second.cost,
    )


def _choose_packages(upcoming: Upcoming, assignment: Assignment) -> Integers:
    """By the item's own uniform; a share of 0 is never chosen."""
    limits = np.cumsum(assignment.shares, axis=2)[:, upcoming.state, :-1]
    return np.asarray((upcoming.choice[:, :, None] >= limits).sum(axis=2))


def _times(upcoming: Upcoming, assignment: Assignment, price: Array) -> Array:
    """Random places, or the share of its state's wanted items that comes before an item."""
    if assignment.wanted is None:
        times = upcoming.place
    else:
        wanted = assignment.wanted[:, upcoming.state]
        times = (upcoming.position + 0.5) / np.maximum(wanted, 1e-9)
    return np.where(price > 0, times, np.inf)


def _first_budget(paid: Array, budgets: Array) -> Integers:
    """The number of budgets that are too small for an item and all before it."""
    limits = np.broadcast_to(budgets, (len(paid), budgets.shape[-1])) + ROUNDING
    too_small: Integers = np.zeros(paid.shape, dtype=np.int64)
    for number in range(limits.shape[1]):
        too_small += paid > limits[:, [number]]
    return too_small


def _count_up(
    slot: Integers,
    place: tuple[Integers, Integers, Integers],
    before: Integers,
    step: Step,
    num: int,
) -> Spent:
    """Items moved, labels and money of one step up to each of `num` budgets."""
    num_studies = len(slot)
    cell = place[2]
    study = np.broadcast_to(np.arange(num_studies)[:, None], slot.shape)
    shape = (num + 1, num_studies, NUM_STATES, NUM_CELLS)

    def count(states: Integers) -> Integers:
        places = (slot, study, np.broadcast_to(states, slot.shape), cell)
        flat = np.ravel_multi_index(places, shape).ravel()
        return np.bincount(flat, minlength=int(np.prod(shape))).reshape(shape)

    def total(values: Array | Integers) -> Array:
        flat = np.ravel_multi_index((slot, study), shape[:2]).ravel()
        sums = np.bincount(flat, values[place].ravel(), minlength=shape[0] * shape[1])
        return np.asarray(np.cumsum(sums.reshape(shape[:2])[:-1], axis=0))

    moved = count(step.end_state[place]) - count(before)
    return Spent(
        hidden=np.cumsum(moved[:-1], axis=0),
        num_retrieval=total(step.num_retrieval).astype(np.int64),
        num_task=total(step.num_task).astype(np.int64),
        cost=total(step.cost),
    )
