"""A replay as a document: what each strategy does with labels that are known already.

Labels are hidden but for a random pilot, each strategy buys them back for a budget, and the width
that its plan promised stands beside the one it got.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from model.allocation.replay import Replayed, predict, replay, studies_of_file
from model.allocation.simulate import Setting, Studies
from model.allocation.states import OPEN_CELLS, Integers, count_states
from model.allocation.strategies import StrategyName
from model.rat.counts import CountTable
from workflow import planning
from workflow.planning import PlanRequest
from workflow.reports import FitSettings

PREDICTIONS = 20  # simulated studies for each masking's own plan


def replay_steps(
    table: CountTable, settings: FitSettings, request: PlanRequest, pilot: int
) -> Iterator[list[dict[str, Any]]]:
    """Yield the rows so far, strategy by strategy; request.budget is what each may spend.

    Args:
        table: the counts of one system; items without all their labels are left out.
        settings: policy, priors and interval of the study.
        request: prices, target, budget, number of maskings (replicates) and seed.
        pilot: items that are labelled fully before the budget.

    Raises:
        ModelError: a price, the budget or the pilot is no good.
    """
    setting = to_setting(request, settings)
    cells, _ = fully_labelled(table)
    studies = studies_of_file(setting, cells, pilot, request.replicates)
    predicted = predict(setting, studies, PREDICTIONS)
    rows: list[dict[str, Any]] = []
    for name in StrategyName:
        found = replay(setting, studies, name, float(request.budget or 0), predicted)
        rows.append(to_row(found))
        yield rows


def replay_truth(setting: Setting, studies: Studies, budget: float) -> list[dict[str, Any]]:
    """The rows of every strategy on studies of a typed truth."""
    return [to_row(replay(setting, studies, name, budget)) for name in StrategyName]


def fully_labelled(table: CountTable) -> tuple[Integers, int]:
    """Items in each true cell, int64[6], and how many are left out for want of a label."""
    counts = count_states(table)
    cells = np.zeros(OPEN_CELLS.shape[1], dtype=np.int64)
    left_out = 0
    for state, count in enumerate(counts):
        opened = np.flatnonzero(OPEN_CELLS[state])
        if len(opened) == 1:
            cells[opened[0]] += count
        else:
            left_out += int(count)
    return cells, left_out


def to_setting(request: PlanRequest, settings: FitSettings) -> Setting:
    """The same in the words of the model."""
    wish = planning.to_wish(request, settings)
    return Setting(wish.target, wish.costs, wish.priors, request.seed)


def to_row(found: Replayed) -> dict[str, Any]:
    """One strategy, as it stands in the document."""
    predicted = found.predicted_half_width
    return {
        "name": found.name,
        "sd": round(found.sd, 5),
        "half_width": round(found.half_width, 5),
        "predicted_half_width": None if np.isnan(predicted) else round(predicted, 5),
        "abs_error": round(found.abs_error, 5),
        "coverage": round(found.coverage, 4),
        "mc_se": round(found.mc_se, 6),
        "labels": {
            "retrieval": round(found.retrieval_labels, 1),
            "task": round(found.task_labels, 1),
        },
        "cost": round(found.cost, 2),
    }
