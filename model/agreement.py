"""How far annotators agree, beyond chance, with intervals; what is undefined is explained.

Raw: the share of agreeing pairs of votes, item by item (Gwet 2014, eq. 2.20).
Kappa: (p_o − p_e)/(1 − p_e), p_e from each rater's own margins (Cohen 1960); weighted: squared
distances (Cohen 1968). Alpha: 1 − D_o/D_e over coincidences (Krippendorff 2011).
AC1: p_e = Σ π(1 − π)/(q − 1), which does not collapse where nearly all votes are one (Gwet 2008).
Kappa and alpha come from scikit-learn and krippendorff; intervals from resampled items.
"""

from collections.abc import Callable
from enum import StrEnum
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

RESAMPLES = 1000
# An interval of fewer resamples than this share would leave out those without variation.
MIN_DEFINED = 0.9
Ratings = NDArray[np.float64]


class Measure(StrEnum):
    """Ways to measure agreement."""

    RAW = "raw"
    COHEN_KAPPA = "cohen_kappa"
    WEIGHTED_KAPPA = "weighted_kappa"
    KRIPPENDORFF_ALPHA = "krippendorff_alpha"
    GWET_AC1 = "gwet_ac1"


class Agreement(NamedTuple):
    """A measure of agreement; without a value `why` says why there is none.

    `items` are those with two votes or more. Without an interval there are too few of them.
    """

    measure: Measure
    value: float | None
    lower: float | None
    upper: float | None
    items: int
    why: str = ""


def measure_agreement(
    measure: Measure, ratings: Ratings, interval: float = 0.95, seed: int = 0
) -> Agreement:
    """Return a measure with its interval, or why it is undefined.

    Args:
        measure: which one; the kappas want exactly two raters.
        ratings: float64[num_items, num_raters], a category or its rank as a number, nan: no vote.
        interval: probability of the interval.
        seed: of the resampling.
    """
    kept = _comparable(measure, np.asarray(ratings, dtype=np.float64))
    items = int(((~np.isnan(kept)).sum(axis=1) >= 2).sum())
    why = _undefined(measure, kept)
    if why:
        return Agreement(measure, None, None, None, items, why)
    patterns, counts = _patterns(kept)
    value = _MEASURES[measure](np.repeat(patterns, counts, axis=0))
    lower, upper = _interval(measure, patterns, counts, interval, seed)
    return Agreement(measure, float(value), lower, upper, items)


def _comparable(measure: Measure, ratings: Ratings) -> Ratings:
    """Items with two votes or more; AC1 learns how frequent a category is from single votes too."""
    votes = (~np.isnan(ratings)).sum(axis=1)
    least = 1 if measure == Measure.GWET_AC1 and (votes >= 2).any() else 2
    kept: Ratings = ratings[votes >= least]
    return kept


def _undefined(measure: Measure, ratings: Ratings) -> str:
    """Why there is no value; empty where there is one."""
    if ratings.shape[1] < 2 or not len(ratings):
        return "undefined: no item has the votes of two people"
    if measure in (Measure.COHEN_KAPPA, Measure.WEIGHTED_KAPPA) and ratings.shape[1] != 2:
        return f"undefined: it compares two people, and there are {ratings.shape[1]}"
    if measure == Measure.RAW:
        return ""
    if len(np.unique(ratings[~np.isnan(ratings)])) < 2:
        return f"undefined: no variation (raw agreement 100 %, n={len(ratings)})"
    return ""


def _patterns(ratings: Ratings) -> tuple[Ratings, Any]:
    """One row for all items with the same votes, and how many they are; nan equals nan here."""
    keys = np.where(np.isnan(ratings), -np.inf, ratings)
    merged, counts = np.unique(keys, axis=0, return_counts=True)
    return np.where(np.isinf(merged), np.nan, merged), counts


def _interval(
    measure: Measure, patterns: Ratings, counts: Any, interval: float, seed: int
) -> tuple[float | None, float | None]:
    """Quantiles of the measure over resampled items (Efron 1979, percentile)."""
    total = int(counts.sum())
    rng = np.random.default_rng(seed)
    resampled = rng.multinomial(total, counts / total, size=RESAMPLES).astype(np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        values = _RESAMPLED[measure](patterns, resampled)
    defined = values[np.isfinite(values)]
    if len(defined) < MIN_DEFINED * RESAMPLES or total < 2:
        return None, None
    tail = (1 - interval) / 2
    lower, upper = np.quantile(defined, (tail, 1 - tail))
    return float(lower), float(upper)


def _raw(ratings: Ratings) -> float:
    return float(_raw_of(ratings, np.ones((1, len(ratings))))[0])


# The libraries are imported where they are used: it takes a second, and most pages need none.
def _kappa(ratings: Ratings) -> float:
    from sklearn.metrics import cohen_kappa_score

    return float(cohen_kappa_score(ratings[:, 0], ratings[:, 1]))


def _weighted_kappa(ratings: Ratings) -> float:
    from sklearn.metrics import cohen_kappa_score

    labels = np.arange(ratings.min(), ratings.max() + 1)
    return float(
        cohen_kappa_score(ratings[:, 0], ratings[:, 1], labels=labels, weights="quadratic")
    )


def _alpha(ratings: Ratings) -> float:
    import krippendorff

    return float(krippendorff.alpha(ratings.T, level_of_measurement="nominal"))


def _ac1(ratings: Ratings) -> float:
    return float(_ac1_of(ratings, np.ones((1, len(ratings))))[0])


_MEASURES: dict[Measure, Callable[[Ratings], float]] = {
    Measure.RAW: _raw,
    Measure.COHEN_KAPPA: _kappa,
    Measure.WEIGHTED_KAPPA: _weighted_kappa,
    Measure.KRIPPENDORFF_ALPHA: _alpha,
    Measure.GWET_AC1: _ac1,
}


def _category_counts(patterns: Ratings) -> Any:
    """float64[num_patterns, num_categories]: votes for each category."""
    categories = np.unique(patterns[~np.isnan(patterns)])
    return (patterns[:, :, None] == categories).sum(axis=1).astype(np.float64)


def _raw_of(patterns: Ratings, weights: Any) -> Any:
    """Σ_c n_c(n_c − 1) / (m(m − 1)), mean over items with m ≥ 2 votes."""
    votes = _category_counts(patterns)
    number = votes.sum(axis=1)
    has_pair = number >= 2
    agreeing = (votes * (votes - 1)).sum(axis=1)
    share = np.divide(agreeing, number * (number - 1), where=has_pair, out=np.zeros(len(votes)))
    return (weights @ share) / (weights @ has_pair.astype(np.float64))


def _ac1_of(patterns: Ratings, weights: Any) -> Any:
    votes = _category_counts(patterns)
    share = votes / votes.sum(axis=1, keepdims=True)
    frequency = (weights @ share) / weights.sum(axis=1, keepdims=True)
    chance = (frequency * (1 - frequency)).sum(axis=1) / (votes.shape[1] - 1)
    return (_raw_of(patterns, weights) - chance) / (1 - chance)


def _alpha_of(patterns: Ratings, weights: Any) -> Any:
    """1 − (N − 1) Σ_items Σ_{c≠k} n_c n_k/(m − 1) / Σ_{c≠k} N_c N_k."""
    votes = _category_counts(patterns)
    number = votes.sum(axis=1)
    differing = (number**2 - (votes**2).sum(axis=1)) / (number - 1)
    totals = weights @ votes
    pairs = totals.sum(axis=1) ** 2 - (totals**2).sum(axis=1)
    return 1 - (totals.sum(axis=1) - 1) * (weights @ differing) / pairs


def _kappa_of(patterns: Ratings, weights: Any) -> Any:
    return _pair_kappa(patterns, weights, lambda first, second: (first != second).astype(float))


def _weighted_kappa_of(patterns: Ratings, weights: Any) -> Any:
    return _pair_kappa(patterns, weights, lambda first, second: (first - second) ** 2)


def _pair_kappa(patterns: Ratings, weights: Any, distance: Callable[[Any, Any], Any]) -> Any:
    """1 − observed distance / distance of independent raters with the same margins."""
    categories = np.unique(patterns)
    first, second = (patterns[:, [rater]] == categories for rater in (0, 1))
    total = weights.sum(axis=1)
    apart = distance(categories[:, None], categories[None, :])
    observed = (weights @ distance(patterns[:, 0], patterns[:, 1])) / total
    margins = [(weights @ one.astype(np.float64)) / total[:, None] for one in (first, second)]
    chance = np.einsum("bi,ij,bj->b", margins[0], apart, margins[1])
    return 1 - observed / chance


_RESAMPLED: dict[Measure, Callable[[Ratings, Any], Any]] = {
    Measure.RAW: _raw_of,
    Measure.COHEN_KAPPA: _kappa_of,
    Measure.WEIGHTED_KAPPA: _weighted_kappa_of,
    Measure.KRIPPENDORFF_ALPHA: _alpha_of,
    Measure.GWET_AC1: _ac1_of,
}
