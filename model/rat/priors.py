"""What is believed of the five rates before any label? Independent Beta priors.

Flat priors on the rates do not make a flat prior of adherence: show what they imply
(`derived.quantities` of `draw_prior`).
"""

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from model.errors import ModelError
from model.rat.derived import Rates


class BetaPrior(NamedTuple):
    """Beta(alpha, beta) of one rate; both shapes finite and above 0."""

    alpha: float
    beta: float


class RatPriors(NamedTuple):
    """One Beta prior for each of the five rates, in the order of `Rates`."""

    retrieval_success: BetaPrior
    abstain_given_failed_retrieval: BetaPrior
    abstain_given_retrieval: BetaPrior
    correct_given_failed_retrieval: BetaPrior
    correct_given_retrieval: BetaPrior


def same_for_all(prior: BetaPrior) -> RatPriors:
    """Return the priors that give each rate the same Beta."""
    return RatPriors(prior, prior, prior, prior, prior)


PRIOR_PRESETS: Mapping[str, RatPriors] = {
    "uniform": same_for_all(BetaPrior(1.0, 1.0)),
    "jeffreys": same_for_all(BetaPrior(0.5, 0.5)),
    "weak": same_for_all(BetaPrior(1.5, 1.5)),
}


def get_priors(name: str) -> RatPriors:
    """Return a preset: uniform Beta(1,1), jeffreys Beta(½,½) or weak Beta(1.5,1.5).

    Raises:
        ModelError: there is no preset of this name.
    """
    if name not in PRIOR_PRESETS:
        raise ModelError(
            f"Prior '{name}' is unknown; one of {', '.join(PRIOR_PRESETS)} was expected. "
            "Choose one of these."
        )
    return PRIOR_PRESETS[name]


def check_priors(priors: RatPriors) -> RatPriors:
    """Return the priors unchanged when every shape is finite and above 0.

    Raises:
        ModelError: a shape is not.
    """
    for name, prior in zip(RatPriors._fields, priors, strict=True):
        if not all(math.isfinite(shape) and shape > 0 for shape in prior):
            raise ModelError(
                f"The prior of {name} is Beta({prior.alpha:g}, {prior.beta:g}); two finite "
                "shapes above 0 were expected. Correct them or choose a preset."
            )
    return priors


def draw_prior(rng: np.random.Generator, priors: RatPriors, num_draws: int) -> Rates:
    """Return float64[num_draws] draws of each rate from its prior."""
    return Rates(*(rng.beta(prior.alpha, prior.beta, num_draws) for prior in priors))
