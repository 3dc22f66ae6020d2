"""Does a plan keep its word? Hide labels that are known, spend a budget, compare with the truth.

A masking hides everything but a random pilot of fully labelled items. From the pilot alone a plan
predicts the width after the budget; then each strategy spends it on the real labels. From a typed
truth the studies are simulated instead.
"""

from typing import NamedTuple

import numpy as np

from model.allocation.pool import hide
from model.allocation.posteriors import draw_posteriors
from model.allocation.simulate import Results, Setting, Studies, simulate
from model.allocation.states import NUM_CELLS, NUM_STATES, Integers, state_of
from model.allocation.strategies import StrategyName
from model.allocation.targets import Population, true_value
from model.errors import ModelError
from model.rat.cells import CELL_ABSTAINED, CELL_RETRIEVAL, CELL_TASK, UNOBSERVED, Array
from model.rat.derived import Rates, cell_probabilities


class Replayed(NamedTuple):
    """A strategy after its budget, means over maskings; predicted is nan for a typed truth."""

    name: StrategyName
    sd: float
    half_width: float
    predicted_half_width: float
    abs_error: float
    coverage: float
    mc_se: float
    retrieval_labels: float
    task_labels: float
    cost: float


def mask(rng: np.random.Generator, cells: Integers, pilot: int, num_maskings: int) -> Integers:
    """Return studies that know A of every item and all of a random pilot, int64[n, 15, 6].

    Args:
        rng: source of the pilots.
        cells: items in each true cell, int64[6], or int64[num_maskings, 6].
        pilot: how many items are labelled fully.
        num_maskings: how many studies.

    Raises:
        ModelError: there are fewer items than the pilot needs.
    """
    left = np.broadcast_to(cells, (num_maskings, NUM_CELLS)).copy()
    if not 0 <= pilot <= left.sum(axis=1).min():
        raise ModelError(
            f"A pilot of {pilot} items was asked for and there are"
            f" {int(left.sum(axis=1).min())} fully labelled ones; from 0 to that many were"
            " expected. Choose another pilot."
        )
    hidden = np.zeros((num_maskings, NUM_STATES, NUM_CELLS), dtype=np.int64)
    rest, wanted = left.sum(axis=1), np.full(num_maskings, pilot)
    for cell in range(NUM_CELLS):
        rest = rest - left[:, cell]
        drawn = rng.hypergeometric(left[:, cell], rest, wanted)
        wanted = wanted - drawn
        abstained = int(CELL_ABSTAINED[cell])
        task = UNOBSERVED if abstained else int(CELL_TASK[cell])
        known = state_of(abstained, int(CELL_RETRIEVAL[cell]), task)
        hidden[:, known, cell] += drawn
        hidden[:, state_of(abstained, UNOBSERVED, UNOBSERVED), cell] += left[:, cell] - drawn
    return hidden


def studies_of_truth(
    setting: Setting, truth: Rates, items: int, pilot: int, replicates: int
) -> Studies:
    """Return studies of a typed truth: items drawn anew, then masked but for a pilot.

    Raises:
        ModelError: the pilot is larger than the study.
    """
    rng = np.random.default_rng([setting.seed, 20])
    many = Rates(*(np.full(replicates, float(rate)) for rate in truth))
    cells = rng.multinomial(items, np.stack(cell_probabilities(many), axis=1))
    hidden = mask(rng, cells, pilot, replicates)
    return Studies(hidden, true_value(setting.target, hidden, many))


def studies_of_file(setting: Setting, cells: Integers, pilot: int, maskings: int) -> Studies:
    """Return maskings of items whose labels are all known; the truth is that of all of them.

    Raises:
        ModelError: the pilot is larger than the file.
    """
    rng = np.random.default_rng([setting.seed, 20])
    hidden = mask(rng, cells, pilot, maskings)
    whole = setting.target._replace(population=Population.TEST_SET)
    nothing = Rates(*(np.zeros(maskings) for _ in Rates._fields))
    return Studies(hidden, true_value(whole, hidden, nothing))


def predict(setting: Setting, studies: Studies, per_study: int) -> Studies:
    """Return what a plan would simulate from each study as it stands: truths of its posterior."""
    rng = np.random.default_rng([setting.seed, 21])
    counts = studies.hidden.sum(axis=2)
    posteriors = draw_posteriors(rng, counts, setting.priors, setting.num_draws)
    chosen = np.stack(
        [rng.choice(setting.num_draws, per_study, p=weights) for weights in posteriors.weights]
    )
    rows = np.arange(len(counts))[:, None]
    truth = Rates(*(rate[rows, chosen].ravel() for rate in posteriors.rates))
    hidden = hide(rng, np.repeat(counts, per_study, axis=0), truth)
    return Studies(hidden, true_value(setting.target, hidden, truth))


def replay(
    setting: Setting,
    studies: Studies,
    name: StrategyName,
    budget: float,
    predicted: Studies | None = None,
) -> Replayed:
    """Return how a strategy does on known labels, and what a plan would have said of it.

    Args:
        setting: target, costs, priors, seed.
        studies: maskings, or studies of a typed truth.
        name: the strategy.
        budget: money, above 0.
        predicted: the studies of `predict`, or None.
    """
    budgets = np.array([budget])
    found = simulate(setting, studies, name, budgets)
    promised = float("nan")
    if predicted is not None:
        promised = float(simulate(setting, predicted, name, budgets).half_width[0].mean())
    return _summarise(name, found, studies.true_value, promised)


def _summarise(
    name: StrategyName, found: Results, truth: Array, predicted_half_width: float
) -> Replayed:
    widths = found.half_width[0]
    return Replayed(
        name,
        sd=float(found.sd[0].mean()),
        half_width=float(widths.mean()),
        predicted_half_width=predicted_half_width,
        abs_error=float(np.abs(found.mean[0] - truth).mean()),
        coverage=float(found.is_covered[0].mean()),
        mc_se=float(widths.std(ddof=1) / np.sqrt(len(widths))),
        retrieval_labels=float(found.num_retrieval[0].mean()),
        task_labels=float(found.num_task[0].mean()),
        cost=float(found.cost[0].mean()),
    )
