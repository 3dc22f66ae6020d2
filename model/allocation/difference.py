"""How sharp would the difference of two systems be? Both simulated, each with half of the money.

The posteriors of two systems do not depend on each other: variances add, and so do squared
half-widths where posteriors are about normal, as they are after some dozen labels.
"""

from typing import NamedTuple

import numpy as np

from model.allocation.simulate import Results, Setting, Studies, simulate
from model.allocation.strategies import StrategyName
from model.rat.cells import Array


class Sides(NamedTuple):
    """One system, or two whose difference is wanted; the second one's setting has a seed apart."""

    setting: Setting
    studies: Studies
    against: Studies | None = None

    @property
    def true_value(self) -> Array:
        """Of the target, or of its difference, float64[num_studies]."""
        if self.against is None:
            return self.studies.true_value
        return np.asarray(self.studies.true_value - self.against.true_value)


def simulate_sides(sides: Sides, name: StrategyName, budgets: Array) -> Results:
    """Return how a strategy does at each budget, on one system or on the difference of two.

    Args:
        sides: the simulated studies of each system.
        name: the strategy; each system follows it by itself.
        budgets: money for both together, float64[num_budgets], ascending.
    """
    if sides.against is None:
        return simulate(sides.setting, sides.studies, name, budgets)
    other = sides.setting._replace(seed=sides.setting.seed + 1)
    first = simulate(sides.setting, sides.studies, name, budgets / 2)
    second = simulate(other, sides.against, name, budgets / 2)
    mean = first.mean - second.mean
    half_width = np.hypot(first.half_width, second.half_width)
    return Results(
        mean=mean,
        sd=np.hypot(first.sd, second.sd),
        half_width=half_width,
        is_covered=np.abs(mean - sides.true_value) <= half_width,
        num_retrieval=first.num_retrieval + second.num_retrieval,
        num_task=first.num_task + second.num_task,
        cost=first.cost + second.cost,
    )
