"""How many labels until the interval is narrow enough? Studies that follow a rule to their end.

Unlike simulate.py, which spends a given budget, this stops each study when it is done: by the
next-label rule or by a strategy of the table.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from model.allocation.information import list_options
from model.allocation.next_label import score_options
from model.allocation.packages import Outcomes, Package, tabulate_outcomes
from model.allocation.pool import draw_upcoming
from model.allocation.posteriors import Posteriors
from model.allocation.simulate import Setting, Studies, posteriors_of
from model.allocation.spending import Assignment, spend
from model.allocation.states import NUM_STATES, Integers
from model.allocation.strategies import Situation
from model.allocation.targets import evaluate, summarise
from model.rat.cells import Array
from model.rat.derived import Rates

Rule = Callable[[Situation], Assignment]


class Goal(NamedTuple):
    """Stop at this half-width, or when this much money is gone; look after each `step` of it.

    A step must pay for the dearest label, or nothing is ever bought.
    """

    half_width: float
    limit: float
    step: float


class Journey(NamedTuple):
    """Where each study stands or stopped, each [num_studies].

    A study without items left, or without money, keeps a half-width above the wanted one.
    """

    hidden: Integers
    labels: Array
    cost: Array
    half_width: Array
    is_covered: Array
    is_done: NDArray[np.bool_]


def follow_next(situation: Situation) -> Assignment:
    """The best package of the next-label rule, for items of its state only."""
    options = list_options(situation.outcomes, situation.counts)
    scores = score_options(
        situation.target, situation.outcomes, options, situation.counts, situation.posteriors
    )
    states = np.array([option.state for option in options])
    packages = np.array([option.package for option in options])
    is_there = situation.counts[:, states] > 0
    best = np.argmax(np.where(is_there, scores.per_cost, -1.0), axis=1)
    shares = np.zeros((len(best), NUM_STATES, len(Package)))
    shares[np.arange(len(best)), states[best], packages[best]] = 1
    return Assignment(shares)


def travel(setting: Setting, studies: Studies, rule: Rule, goal: Goal) -> Journey:
    """Return where studies stop that follow a rule until their interval is narrow enough.

    Args:
        setting: target, costs, priors, seed.
        studies: the simulated studies.
        rule: what to ask, given where a study stands.
        goal: when to stop.
    """
    outcomes = tabulate_outcomes(setting.target, setting.costs)
    nothing = np.zeros(len(studies.hidden))
    journey = Journey(
        studies.hidden.copy(),
        nothing.copy(),
        nothing.copy(),
        nothing + np.inf,
        nothing.copy(),
        nothing > 0,
    )
    number = 0
    while not journey.is_done.all():
        _step(setting, outcomes, studies, rule, goal, journey, number)
        number += 1
    return journey


def _step(
    setting: Setting,
    outcomes: Outcomes,
    studies: Studies,
    rule: Rule,
    goal: Goal,
    journey: Journey,
    number: int,
) -> None:
    """Look at the studies under way, stop those that are there, buy labels for the rest."""
    going = np.flatnonzero(~journey.is_done)
    counts = journey.hidden[going].sum(axis=2)
    posteriors = posteriors_of(setting, counts, number)
    rng = np.random.default_rng([setting.seed, number, 1])
    values = evaluate(rng, setting.target, counts, posteriors)
    summary = summarise(values, posteriors.weights, setting.target.interval)
    truth = studies.true_value[going]
    journey.half_width[going] = summary.half_width
    journey.is_covered[going] = (summary.lower <= truth) & (truth <= summary.upper)
    is_there = (summary.half_width <= goal.half_width) | (journey.cost[going] >= goal.limit)
    journey.is_done[going] = is_there
    left = np.flatnonzero(~is_there)
    if len(left):
        kept = Posteriors(Rates(*(r[left] for r in posteriors.rates)), posteriors.weights[left])
        money = np.maximum(goal.limit - journey.cost[going[left]], goal.step)
        situation = Situation(setting.target, outcomes, counts[left], kept, money)
        _buy(setting, rule(situation), situation, goal, journey, going[left], number)


def _buy(
    setting: Setting,
    assignment: Assignment,
    situation: Situation,
    goal: Goal,
    journey: Journey,
    going: Integers,
    number: int,
) -> None:
    """One step of labels; a study in which nothing can be bought any more is done."""
    rng = np.random.default_rng([setting.seed, number, 2])
    max_items = int(goal.step / min(setting.costs)) + 1
    upcoming = draw_upcoming(rng, journey.hidden[going], max_items)
    step = np.array([goal.step])
    spent = spend(journey.hidden[going], upcoming, assignment, situation.outcomes, step)
    journey.hidden[going] = spent.hidden[0]
    journey.labels[going] += spent.num_retrieval[0] + spent.num_task[0]
    journey.cost[going] += spent.cost[0]
    journey.is_done[going] = spent.cost[0] == 0
