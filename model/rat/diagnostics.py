"""Can the chains be trusted? Rank-normalised split R-hat and bulk effective sample size.

Source: Vehtari, Gelman, Simpson, Carpenter, Bürkner, "Rank-Normalization, Folding, and
Localization: An Improved R̂" (2021), equations 1-4 and 10-14.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import ndtri
from scipy.stats import rankdata

from model.rat.cells import Array
from model.rat.posterior import Diagnostics

MAX_RHAT = 1.01
MIN_ESS_PER_CHAIN = 100.0


class _Variances(NamedTuple):
    """Variance within chains and the estimate of the total, each [num_quantities]."""

    within: Array
    total: Array


def diagnose(draws: Array, divergences: int) -> Diagnostics:
    """Return the diagnostics of a fit; they are carried with it, not hidden.

    Args:
        draws: float64[num_quantities, num_chains, num_samples].
        divergences: number of divergent transitions after warm-up.
    """
    rhat_max = float(np.max(rank_rhat(draws)))
    ess_min = float(np.min(bulk_ess(draws)))
    reason = _find_fault(rhat_max, ess_min, divergences, num_chains=draws.shape[1])
    return Diagnostics(rhat_max, ess_min, divergences, ok=not reason, reason=reason)


def rank_rhat(draws: Array) -> Array:
    """Return the larger of the R-hat of the ranks and of the folded ranks, [num_quantities].

    Args:
        draws: float64[num_quantities, num_chains, num_samples]; chains that do not move give nan.
    """
    halves = split_chains(draws)
    folded = np.abs(halves - np.median(halves, axis=(-2, -1), keepdims=True))
    return np.maximum(_rhat(_rank_normalise(halves)), _rhat(_rank_normalise(folded)))


def bulk_ess(draws: Array) -> Array:
    """Return the effective sample size of the rank-normalised draws, [num_quantities].

    Args:
        draws: float64[num_quantities, num_chains, num_samples]; chains that do not move give nan.
    """
    return ess(_rank_normalise(split_chains(draws)))


def split_chains(draws: Array) -> Array:
    """Return each chain as two, [num_quantities, 2 num_chains, num_samples // 2]."""
    half = draws.shape[-1] // 2
    return np.concatenate([draws[..., :half], draws[..., -half:]], axis=-2)


def ess(draws: Array) -> Array:
    """Return num_draws / τ with Geyer's initial monotone sequence, [num_quantities].

    Args:
        draws: float64[num_quantities, num_chains, num_samples], already split.
    """
    num_chains, num_samples = draws.shape[-2:]
    within, total = _variances(draws)
    covariances = _autocovariances(draws).mean(axis=-2) * num_samples / (num_samples - 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        correlations = 1 - (within[..., None] - covariances) / total[..., None]
    correlations[..., 0] = 1
    num_draws = num_chains * num_samples
    tau = np.maximum(_geyer_sum(correlations), 1 / np.log10(num_draws))
    return np.asarray(num_draws / tau)


def _find_fault(rhat_max: float, ess_min: float, divergences: int, num_chains: int) -> str:
    """The first thing that is wrong, in words; nan counts as wrong."""
    min_ess = MIN_ESS_PER_CHAIN * num_chains
    if not rhat_max < MAX_RHAT:
        return f"chains disagree: R-hat {rhat_max:.3f}, below {MAX_RHAT} was expected"
    if not ess_min >= min_ess:
        return f"too few effective draws: {ess_min:.0f}, at least {min_ess:.0f} were expected"
    if divergences:
        return f"{divergences} divergent transitions; none was expected"
    return ""


def _rank_normalise(draws: Array) -> Array:
    """Φ⁻¹((rank - 3/8) / (n + 1/4)) over all chains of a quantity."""
    flat = draws.reshape(*draws.shape[:-2], -1)
    ranks = rankdata(flat, axis=-1)
    return np.asarray(ndtri((ranks - 0.375) / (flat.shape[-1] + 0.25)).reshape(draws.shape))


def _rhat(halves: Array) -> Array:
    """√(var⁺ / W)."""
    within, total = _variances(halves)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.sqrt(total / within))


def _variances(draws: Array) -> _Variances:
    """W = mean of s²; var⁺ = (n-1)/n W + variance of the chain means."""
    num_samples = draws.shape[-1]
    within = draws.var(axis=-1, ddof=1).mean(axis=-1)
    between = draws.mean(axis=-1).var(axis=-1, ddof=1)
    return _Variances(within, (num_samples - 1) / num_samples * within + between)


def _autocovariances(draws: Array) -> Array:
    """Σ (x_t - x̄)(x_{t+lag} - x̄) / n for every lag, by FFT padded against wrap-around."""
    num_samples = draws.shape[-1]
    centred = draws - draws.mean(axis=-1, keepdims=True)
    spectrum = np.fft.rfft(centred, n=2 * num_samples, axis=-1)
    power = np.fft.irfft(np.abs(spectrum) ** 2, axis=-1)
    return np.asarray(power[..., :num_samples] / num_samples)


def _geyer_sum(correlations: Array) -> Array:
    """τ = -1 + 2 Σ P_t, P_t = ρ_{2t} + ρ_{2t+1} up to its first negative, never rising."""
    even = correlations.shape[-1] // 2 * 2
    pairs = correlations[..., 0:even:2] + correlations[..., 1:even:2]
    is_initial = np.cumprod(pairs > 0, axis=-1)
    monotone = np.minimum.accumulate(pairs, axis=-1)
    return np.asarray(-1 + 2 * np.sum(monotone * is_initial, axis=-1))
