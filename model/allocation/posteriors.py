"""The exact posterior of many simulated studies at once, as weighted draws of the five rates.

The same mathematics as rat/retrospective.py and rat/weighted.py, with one more axis. Studies that
need what the batch leaves out (R labels where A is unknown, priors that outweigh those of A) go
through the exact engine one by one: slower, never wrong.
"""

from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from model.allocation.hidden_lattice import HiddenPairs, Urns, draw_hidden
from model.allocation.states import Integers, Tallies, table_of, tallies
from model.rat.cells import Array
from model.rat.derived import Rates
from model.rat.exact import fit_exact
from model.rat.priors import BetaPrior, RatPriors
from model.rat.weighted import LARGEST, SMALLEST

DEFAULT_DRAWS = 1000
# So many studies at a time stay in the processor's cache.
CHUNK = 64
THREADS = 2


class Posteriors(NamedTuple):
    """Draws of each rate and their weights, each float64[num_studies, num_draws].

    The weights of a study add up to 1.
    """

    rates: Rates
    weights: Array


class _Beta(NamedTuple):
    """Shapes of one Beta a study, float64[num_studies, 1]."""

    alpha: Array
    beta: Array


class _Left(NamedTuple):
    """A factor ρ^-e and what the shapes for A=1 and A=0 give up of it (retrospective.Power)."""

    exponent: float
    on_abstained: Array
    on_answered: Array


class _Shapes(NamedTuple):
    """Shapes before any hidden count, the powers left, and the tallies they come from."""

    abstained: _Beta
    found_if_abstained: _Beta
    found_if_answered: _Beta
    found_task: _Beta
    failed_task: _Beta
    found: _Left
    failed: _Left
    counts: Tallies


def draw_posteriors(
    rng: np.random.Generator,
    counts: Integers,
    priors: RatPriors,
    num_draws: int = DEFAULT_DRAWS,
) -> Posteriors:
    """Return posterior draws of many studies.

    Args:
        rng: source of the draws.
        counts: items in each state, int64[num_studies, 15].
        priors: the five Beta priors of all of them.
        num_draws: draws of each study.
    """
    chunks = [counts[start : start + CHUNK] for start in range(0, len(counts), CHUNK)]

    def draw(chunk: Integers, own: np.random.Generator) -> Posteriors:
        return _draw_chunk(own, chunk, priors, num_draws)

    # NumPy draws outside of Python's lock; a generator a chunk makes the threads' order harmless.
    with ThreadPoolExecutor(THREADS) as pool:
        parts = list(pool.map(draw, chunks, rng.spawn(len(chunks))))
    rates = Rates(*(np.concatenate(rate) for rate in zip(*(p.rates for p in parts), strict=True)))
    return Posteriors(rates, np.concatenate([part.weights for part in parts]))


def _draw_chunk(
    rng: np.random.Generator, counts: Integers, priors: RatPriors, num_draws: int
) -> Posteriors:
    observed = tallies(counts)
    exponents = _exponents(priors)
    if min(exponents) <= 0 or (observed.unknown_found + observed.unknown_failed).any():
        return _one_by_one(rng, counts, priors, num_draws)
    shapes = _find_shapes(observed, priors)
    return _propose(rng, shapes, num_draws)


def _one_by_one(
    rng: np.random.Generator, counts: Integers, priors: RatPriors, num_draws: int
) -> Posteriors:
    fits = [fit_exact(rng, table_of(study), priors, num_draws).rates for study in counts]
    rates = Rates(*(np.stack(rate) for rate in zip(*fits, strict=True)))
    return Posteriors(rates, np.full((len(counts), num_draws), 1 / num_draws))


def _exponents(priors: RatPriors) -> tuple[float, float]:
    """e = p₁ + q₁ − p for ρ, p₀ + q₀ − q for 1−ρ."""
    rho, if_failed, if_found = priors[:3]
    return sum(if_found) - rho.alpha, sum(if_failed) - rho.beta


def _find_shapes(counts: Tallies, priors: RatPriors) -> _Shapes:
    """retrospective.find_shapes where both exponents are above 0."""
    _, if_failed, if_found, failed_right, found_right = priors
    abstained = _beta(
        BetaPrior(if_found.alpha + if_failed.alpha, if_found.beta + if_failed.beta),
        counts.abstained,
        counts.answered,
    )
    silent = _beta(
        BetaPrior(if_found.alpha, if_failed.alpha), counts.abstained_found, counts.abstained_failed
    )
    answered = _beta(
        BetaPrior(if_found.beta, if_failed.beta),
        counts.answered_found + counts.found_right + counts.found_wrong,
        counts.answered_failed + counts.failed_right + counts.failed_wrong,
    )
    shares = _Beta(abstained.alpha / (silent.alpha + silent.beta), abstained.beta / _sum(answered))
    exponents = _exponents(priors)
    found = _left(exponents[0], _Beta(silent.alpha, answered.alpha), shares)
    failed = _left(exponents[1], _Beta(silent.beta, answered.beta), shares)
    return _Shapes(
        abstained=_lower(
            abstained,
            found.on_abstained + failed.on_abstained,
            found.on_answered + failed.on_answered,
        ),
        found_if_abstained=_lower(silent, found.on_abstained, failed.on_abstained),
        found_if_answered=_lower(answered, found.on_answered, failed.on_answered),
        found_task=_beta(found_right, counts.found_right, counts.found_wrong),
        failed_task=_beta(failed_right, counts.failed_right, counts.failed_wrong),
        found=found,
        failed=failed,
        counts=counts,
    )


def _beta(prior: BetaPrior, ones: Array | float, zeros: Array | float) -> _Beta:
    return _Beta(
        np.asarray(prior.alpha + ones, dtype=np.float64)[:, None],
        np.asarray(prior.beta + zeros, dtype=np.float64)[:, None],
    )


def _sum(shapes: _Beta) -> Array:
    return shapes.alpha + shapes.beta


def _lower(shapes: _Beta, alpha: Array, beta: Array) -> _Beta:
    return _Beta(shapes.alpha - alpha, shapes.beta - beta)


def _left(exponent: float, on: _Beta, shares: _Beta) -> _Left:
    """The share is P(A=1|R) at the means, clipped so that both lowered shapes stay positive."""
    abstained, answered = shares.alpha * on.alpha, shares.beta * on.beta
    kept = 1 - exponent / (on.alpha + on.beta)
    highest = on.alpha * (1 - kept / 2) / exponent
    lowest = 1 - on.beta * (1 - kept / 2) / exponent
    share = np.minimum(np.maximum(abstained / (abstained + answered), lowest), highest)
    return _Left(exponent, share * exponent, (1 - share) * exponent)


def _propose(rng: np.random.Generator, shapes: _Shapes, num_draws: int) -> Posteriors:
    hidden = draw_hidden(rng, _hidden_pairs(shapes), num_draws)
    wrong, right = shapes.counts.hidden_wrong[:, None], shapes.counts.hidden_right[:, None]
    hidden_found = hidden.first + hidden.second
    a = _draw(rng, shapes.abstained, num_draws)
    q1 = _draw(rng, shapes.found_if_abstained, num_draws)
    q0 = _draw(
        rng,
        _plus(shapes.found_if_answered, hidden_found, wrong + right - hidden_found),
        num_draws,
    )
    tau1 = _draw(rng, _plus(shapes.found_task, hidden.second, hidden.first), num_draws)
    tau0 = _draw(
        rng, _plus(shapes.failed_task, right - hidden.second, wrong - hidden.first), num_draws
    )
    silent_found, answered_found = a * q1, (1 - a) * q0
    silent_failed, answered_failed = a - silent_found, (1 - a) - answered_found
    found, failed = silent_found + answered_found, silent_failed + answered_failed
    log_weights = hidden.log_weights + _log_left(shapes.found, found, silent_found, answered_found)
    log_weights += _log_left(shapes.failed, failed, silent_failed, answered_failed)
    rates = Rates(found, silent_failed / failed, silent_found / found, tau0, tau1)
    return Posteriors(rates, _normalise(log_weights))


def _hidden_pairs(shapes: _Shapes) -> HiddenPairs:
    """The weight of (k₀, k₁): how many of the T=0 and T=1 items without R have R=1."""
    wrong, right = shapes.counts.hidden_wrong, shapes.counts.hidden_right
    one = np.ones_like(wrong)
    found, failed = shapes.found_task, shapes.failed_task
    answered = shapes.found_if_answered
    return HiddenPairs(
        first=Urns(wrong, found.beta[:, 0], failed.beta[:, 0], one, one),
        second=Urns(right, found.alpha[:, 0], failed.alpha[:, 0], one, one),
        both=Urns(
            wrong + right,
            answered.alpha[:, 0],
            answered.beta[:, 0],
            _sum(found)[:, 0],
            _sum(failed)[:, 0],
        ),
    )


def _plus(shapes: _Beta, ones: Array, zeros: Array) -> _Beta:
    return _Beta(shapes.alpha + ones, shapes.beta + zeros)


def _draw(rng: np.random.Generator, shapes: _Beta, num_draws: int) -> Array:
    """float64[num_studies, num_draws], never exactly 0 or 1."""
    size = (len(shapes.alpha), num_draws)
    return np.clip(rng.beta(shapes.alpha, shapes.beta, size), SMALLEST, LARGEST)


def _log_left(power: _Left, either: Array, abstained: Array, answered: Array) -> Array:
    """log of what is left of ρ^-e: e·(s ln P(A=1,R=1) + (1-s) ln P(A=0,R=1) − ln ρ)."""
    silent = power.on_abstained * np.log(np.maximum(abstained, SMALLEST))
    spoken = power.on_answered * np.log(np.maximum(answered, SMALLEST))
    return np.asarray(silent + spoken - power.exponent * np.log(np.maximum(either, SMALLEST)))


def _normalise(log_weights: Array) -> Array:
    weights = np.exp(log_weights - log_weights.max(axis=1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))
