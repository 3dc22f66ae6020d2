"""What is the posterior from human labels, at once and without Markov chains?

Where R is seen wherever A is, the five rates are conjugate; elsewhere weighted draws
(retrospective.py, weighted.py) are resampled evenly. The oracle of NUTS and the instant answer
after a click. Judge verdicts are left to NUTS.
"""

import numpy as np
from numpy.typing import NDArray

from model.errors import ModelError
from model.rat.cells import Array
from model.rat.counts import CountTable
from model.rat.derived import Rates
from model.rat.posterior import Diagnostics, Engine, Posterior
from model.rat.priors import RatPriors, check_priors
from model.rat.retrospective import Shapes, find_shapes
from model.rat.tally import Tally, tally
from model.rat.weighted import BetaShapes, WeightedDraws, draw_beta, propose

DEFAULT_DRAWS = 4000
# Rounds of proposals, as multiples of the draws wanted, until the weights are even enough.
PROPOSAL_ROUNDS = (1, 4, 16)
GOOD_EFFICIENCY = 0.3
MIN_EFFECTIVE_SIZE = 400.0


def fit_exact(
    rng: np.random.Generator | int,
    table: CountTable,
    priors: RatPriors,
    num_draws: int = DEFAULT_DRAWS,
) -> Posterior:
    """Return posterior draws from the human labels of a table; they are as good as independent.

    Args:
        rng: a generator or a seed.
        table: the counts; judge verdicts are summed out.
        priors: the five Beta priors.
        num_draws: number of equally weighted draws, 1 or more.

    Raises:
        ModelError: the priors or num_draws are no good, or the weights are too uneven (many labels
            of R alone on items without A, beside many of T alone, that contradict each other).
    """
    if num_draws < 1:
        raise ModelError(f"num_draws is {num_draws}; 1 or more was expected. 4000 is usual.")
    rng = np.random.default_rng(rng)
    counts = tally(table)
    check_priors(priors)
    if counts.hides_no_retrieval:
        return _posterior(_draw_conjugate(rng, counts, priors, num_draws), float(num_draws))
    draws = _draw_enough(rng, find_shapes(counts, priors), num_draws)
    chosen = resample(rng, draws.log_weights, num_draws)
    ess = min(effective_size(draws.log_weights), float(num_draws))
    return _posterior(Rates(*(rate[chosen] for rate in draws.rates)), ess)


def effective_size(log_weights: Array) -> float:
    """Return (Σw)²/Σw²: as many equally weighted draws would be worth as much (Kish 1965)."""
    weights = np.exp(log_weights - log_weights.max())
    return float(weights.sum() ** 2 / np.square(weights).sum())


def resample(rng: np.random.Generator, log_weights: Array, num_draws: int) -> NDArray[np.intp]:
    """Return positions int[num_draws], each in proportion to its weight (systematic resampling)."""
    cumulated = np.cumsum(np.exp(log_weights - log_weights.max()))
    combs = (np.arange(num_draws) + rng.uniform()) * (cumulated[-1] / num_draws)
    positions = np.searchsorted(cumulated, combs, side="right")
    return np.asarray(np.minimum(positions, len(log_weights) - 1), dtype=np.intp)


def _posterior(rates: Rates, ess: float) -> Posterior:
    """Independent draws: no chains to compare, nothing to diverge."""
    return Posterior(rates, Engine.EXACT, Diagnostics(float("nan"), ess, 0, ok=True))


def _draw_conjugate(
    rng: np.random.Generator, counts: Tally, priors: RatPriors, num_draws: int
) -> Rates:
    """Beta(α + number of 1s, β + number of 0s) for each rate."""
    found, failed = counts.all_answered_found, counts.all_answered_failed
    ones_and_zeros = (
        (
            counts.abstained_found + found + counts.unknown_found,
            counts.abstained_failed + failed + counts.unknown_failed,
        ),
        (counts.abstained_failed, failed),
        (counts.abstained_found, found),
        (counts.failed_right, counts.failed_wrong),
        (counts.found_right, counts.found_wrong),
    )
    pairs = zip(priors, ones_and_zeros, strict=True)
    shapes = (BetaShapes(prior.alpha + n1, prior.beta + n0) for prior, (n1, n0) in pairs)
    return Rates(*(draw_beta(rng, beta, num_draws) for beta in shapes))


def _draw_enough(rng: np.random.Generator, shapes: Shapes, num_draws: int) -> WeightedDraws:
    """Propose more until the weights are worth enough of the draws wanted, or say they are not."""
    draws = propose(rng, shapes, num_draws)
    for multiple in PROPOSAL_ROUNDS[1:]:
        if effective_size(draws.log_weights) >= GOOD_EFFICIENCY * num_draws:
            return draws
        draws = propose(rng, shapes, num_draws * multiple)
    ess = effective_size(draws.log_weights)
    if ess < min(MIN_EFFECTIVE_SIZE, GOOD_EFFICIENCY * num_draws):
        raise ModelError(
            f"The exact engine's {len(draws.log_weights)} proposals are worth {ess:.0f} draws; "
            f"{MIN_EFFECTIVE_SIZE:.0f} were expected. Use the nuts engine for this table."
        )
    return draws
