"""Simulation-based calibration: are posteriors right on average over the prior?

Draw rates from the prior, items from the rates, hide labels by a mask, fit, and rank the truth
among independent posterior draws: the ranks are uniform if and only if the posterior is right
(Talts, Betancourt, Simpson, Vehtari and Gelman 2018). A chi-square per quantity, Bonferroni over
quantities, so that a right engine fails with the named false-alarm rate.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chisquare

from model.rat.cells import UNOBSERVED
from model.rat.counts import CountTable, from_cells
from model.rat.derived import QUANTITIES, Quantity, Rates, quantities
from model.rat.priors import RatPriors, draw_prior

RANK_DRAWS = 99  # ranks 0 to 99
# Each divides the 100 ranks evenly; the most bins that still expect EXPECTED ranks each.
BINS = (20, 10, 5, 4, 2)
EXPECTED = 5  # fewer make the chi-square a poor guide to a false-alarm rate
FALSE_ALARM = 1e-3

Items = NDArray[np.int8]  # [num_items, 3]: abstained, retrieval, task
Mask = Callable[[np.random.Generator, Items], Items]
Fit = Callable[[int, CountTable, RatPriors], Rates]


class Study(NamedTuple):
    """What is simulated: how often, how many items, the prior, and which labels are seen."""

    num_simulations: int
    num_items: int
    prior: RatPriors
    mask: Mask


class Calibration(NamedTuple):
    """P-values by quantity; `is_calibrated` at the named false-alarm rate over all of them."""

    p_values: dict[Quantity, float]
    is_calibrated: bool


def calibrate(seed: int, study: Study, fit: Fit, fitted_prior: RatPriors) -> Calibration:
    """Rank the truth of every simulation and test the ranks.

    Args:
        seed: of everything random.
        study: what to simulate.
        fit: (seed, table, prior) -> draws of the rates, RANK_DRAWS or more.
        fitted_prior: the study's own, or another one to see the test fail.
    """
    rng = np.random.default_rng(seed)
    ranks = np.array([_ranks(rng, study, fit, fitted_prior) for _ in range(study.num_simulations)])
    p_values = {quantity: _p_value(ranks[:, place]) for place, quantity in enumerate(QUANTITIES)}
    worst = min(p_values.values())
    return Calibration(p_values, worst > FALSE_ALARM / len(QUANTITIES))


def all_retrieval(rng: np.random.Generator, items: Items) -> Items:
    """Retrieval labels on three in ten items, no task labels."""
    return _hide(items, rng.random(len(items)) < 0.3, np.zeros(len(items), bool))


def all_task(rng: np.random.Generator, items: Items) -> Items:
    """Task labels on three in ten answered items, no retrieval labels."""
    return _hide(items, np.zeros(len(items), bool), rng.random(len(items)) < 0.3)


def mixed(rng: np.random.Generator, items: Items) -> Items:
    """Retrieval and task labels on two in ten items each, independently."""
    return _hide(items, rng.random(len(items)) < 0.2, rng.random(len(items)) < 0.2)


def task_first(rng: np.random.Generator, items: Items) -> Items:
    """Adaptive: task on three in ten, retrieval where the task was right and on some refusals."""
    chosen = rng.random(len(items)) < 0.3
    sees_retrieval = chosen & ((items[:, 2] == 1) | (items[:, 0] == 1))
    return _hide(items, sees_retrieval, chosen)


def unknown_abstention(rng: np.random.Generator, items: Items) -> Items:
    """Mixed labels; of three in ten items A is not known, and so their task is not asked.

    A task seen only where A happened to be 0 would tell of A by its absence.
    """
    seen = mixed(rng, items)
    is_unknown = rng.random(len(items)) < 0.3
    seen[is_unknown, 0] = UNOBSERVED
    seen[is_unknown, 2] = UNOBSERVED
    return seen


MASKS: dict[str, Mask] = {
    "all_retrieval": all_retrieval,
    "all_task": all_task,
    "mixed": mixed,
    "task_first (adaptive)": task_first,
    "unknown abstention": unknown_abstention,
}


def simulate_items(rng: np.random.Generator, rates: Rates, num_items: int) -> Items:
    """Complete items from one draw of the rates; T is unobserved where A=1."""
    found, abstain_failed, abstain_found, right_failed, right_found = (rate[0] for rate in rates)
    retrieval = rng.random(num_items) < found
    abstained = rng.random(num_items) < np.where(retrieval, abstain_found, abstain_failed)
    task = rng.random(num_items) < np.where(retrieval, right_found, right_failed)
    columns = (abstained, retrieval, np.where(abstained, UNOBSERVED, task))
    return np.stack(columns, axis=1).astype(np.int8)


def count(items: Items) -> CountTable:
    """The count table of observed items."""
    return from_cells(items, np.ones(len(items)))


def _hide(items: Items, sees_retrieval: NDArray[np.bool_], sees_task: NDArray[np.bool_]) -> Items:
    seen = items.copy()
    seen[~sees_retrieval, 1] = UNOBSERVED
    seen[~sees_task, 2] = UNOBSERVED
    return seen


def _ranks(
    rng: np.random.Generator, study: Study, fit: Fit, fitted_prior: RatPriors
) -> NDArray[np.int64]:
    truth = draw_prior(rng, study.prior, 1)
    seen = study.mask(rng, simulate_items(rng, truth, study.num_items))
    draws = fit(int(rng.integers(2**31)), count(seen), fitted_prior)
    chosen = rng.choice(len(draws.retrieval_success), RANK_DRAWS, replace=False)
    found = np.stack(quantities(Rates(*(rate[chosen] for rate in draws))))
    ranks: NDArray[np.int64] = (found < np.stack(quantities(truth))).sum(axis=1)
    return ranks


def num_bins(num_simulations: int) -> int:
    """How many bins the ranks of so many simulations fill."""
    return next((bins for bins in BINS if num_simulations >= EXPECTED * bins), BINS[-1])


def _p_value(ranks: NDArray[np.int64]) -> float:
    """Chi-square of the ranks in equal bins."""
    bins = num_bins(len(ranks))
    counts = np.bincount(ranks * bins // (RANK_DRAWS + 1), minlength=bins)
    return float(chisquare(counts).pvalue)
