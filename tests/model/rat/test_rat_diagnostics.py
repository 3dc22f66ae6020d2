"""R-hat and effective sample size: against NumPyro's own and against processes of known size."""

import numpy as np
import pytest
from numpyro.diagnostics import effective_sample_size, split_gelman_rubin

from model.rat.diagnostics import bulk_ess, diagnose, ess, rank_rhat, split_chains


def _autoregressive(correlation: float, shape: tuple[int, int, int]) -> np.ndarray:
    """x_t = φ x_{t-1} + √(1-φ²) noise, stationary from the start."""
    rng = np.random.default_rng(1)
    draws = rng.normal(size=shape)
    for step in range(1, shape[-1]):
        noise = np.sqrt(1 - correlation**2) * draws[..., step]
        draws[..., step] = correlation * draws[..., step - 1] + noise
    return draws


@pytest.mark.parametrize("correlation", [0.0, 0.5, 0.9, -0.4])
def test_ess_of_an_autoregression_is_near_its_closed_form(correlation: float) -> None:
    draws = _autoregressive(correlation, (20, 4, 2000))
    # Σ of all autocorrelations is (1+φ)/(1-φ).
    truth = 8000 * (1 - correlation) / (1 + correlation)
    assert bulk_ess(draws).mean() == pytest.approx(truth, rel=0.06)


def test_plain_ess_agrees_with_numpyro() -> None:
    draws = np.cumsum(_autoregressive(0.7, (3, 4, 500)), axis=-1) * 0.02
    draws += _autoregressive(0.3, (3, 4, 500))
    theirs = [effective_sample_size(chains) for chains in draws]
    assert ess(draws) == pytest.approx(theirs, rel=0.02)


def test_rank_rhat_of_normal_draws_is_near_the_plain_one() -> None:
    draws = _autoregressive(0.5, (5, 4, 1000))
    theirs = np.array([split_gelman_rubin(chains) for chains in draws])
    # The rank version also compares spreads, so it may be a little larger, never smaller by much.
    assert (np.abs(rank_rhat(draws) - theirs) < 0.005).all()


def test_split_keeps_both_halves_of_each_chain() -> None:
    draws = np.arange(14.0).reshape(1, 2, 7)
    assert split_chains(draws).tolist() == [[[0, 1, 2], [7, 8, 9], [4, 5, 6], [11, 12, 13]]]


def test_good_chains_pass() -> None:
    found = diagnose(_autoregressive(0.2, (10, 4, 500)), divergences=0)
    assert found.ok
    assert found.reason == ""
    assert found.rhat_max < 1.01


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ("shifted", "chains disagree"),
        ("wider", "chains disagree"),
        ("drifting", "chains disagree"),
        ("sticky", "effective draws|chains disagree"),
        ("stuck", "chains disagree: R-hat nan"),
    ],
)
def test_bad_chains_fail_with_a_reason(fault: str, reason: str) -> None:
    draws = _autoregressive(0.2, (10, 4, 500))
    if fault == "shifted":
        draws[3, 1] += 1
    if fault == "wider":
        draws[3, 1] *= 3
    if fault == "drifting":
        draws[3] += np.linspace(0, 2, 500)
    if fault == "sticky":
        draws = _autoregressive(0.98, (10, 4, 500))
    if fault == "stuck":
        draws[3] = 0.5
    found = diagnose(draws, divergences=0)
    assert not found.ok
    assert np.isnan(found.rhat_max) == (fault == "stuck")
    assert any(part in found.reason for part in reason.split("|"))


def test_a_divergence_fails_the_fit() -> None:
    found = diagnose(_autoregressive(0.2, (10, 4, 500)), divergences=2)
    assert not found.ok
    assert found.reason == "2 divergent transitions; none was expected"
    assert found.divergences == 2
