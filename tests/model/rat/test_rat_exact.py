"""The exact engine against enumeration, kept answers, closed forms and a sum over the grid."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from scipy.special import betaln, gammaln

from model.errors import ModelError
from model.rat import hidden_counts
from model.rat.counts import CountTable, from_cells, merge, tabulate, tally_labels
from model.rat.derived import estimates, quantities
from model.rat.exact import effective_size, fit_exact, resample
from model.rat.hidden_counts import HiddenPair, Urn, draw_hidden
from model.rat.posterior import Engine
from model.rat.priors import BetaPrior, RatPriors, get_priors
from tests.model.rat.rat_oracles import (
    SHARED,
    enumerate_posterior,
    error_of_mean,
    error_of_sd,
    load_cases,
    table_of,
)

ODD = RatPriors(
    BetaPrior(3, 1.5), BetaPrior(0.7, 2), BetaPrior(1.2, 4), BetaPrior(1, 3), BetaPrior(2, 0.6)
)
# A prior of ρ far stronger than those of α: its powers hide counts of their own.
SURE_OF_RETRIEVAL = get_priors("uniform")._replace(retrieval_success=BetaPrior(6.3, 3.8))
PRIORS = {
    "uniform": get_priors("uniform"),
    "jeffreys": get_priors("jeffreys"),
    "weak": get_priors("weak"),
    "odd": ODD,
    "sure of retrieval": SURE_OF_RETRIEVAL,
}
TABLES = {
    "joint and halves": table_of(
        a1_r0=2, a1_r1=1, a1=3, a0_r0_t1=1, a0_r1_t1=2, a0_r0=1, a0_t0=2, a0_t1=3, a0=2
    ),
    "task only": table_of(a1=3, a0_t0=3, a0_t1=4),
    "retrieval only": table_of(a1_r0=3, a1=4, a0_r1=3, a0_r0=1, a0=4),
    "nothing labelled": table_of(a1=3, a0=5),
    "abstention partly unknown": table_of(a1_r0=2, a1=2, a0_r1_t1=1, a0=3, r1=3, r0=2),
    "all kinds at once": table_of(a1_r0=1, a1=2, a0_r1_t1=1, a0_t1=2, a0_t0=1, r1=2, r0=1, t1=1),
    "always abstains": table_of(a1_r0=3, a1_r1=1, a1=4),
    "never abstains": table_of(a0_r0_t0=1, a0_r1_t1=2, a0_t1=3, a0=2),
}


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("name", TABLES)
def test_exact_agrees_with_enumeration_of_all_completions(name: str, prior: str) -> None:
    table, priors = TABLES[name], PRIORS[prior]
    truth = enumerate_posterior(table, priors)
    fit = fit_exact(5, table, priors, num_draws=60_000)
    draws = quantities(fit.rates)[:6]
    ess = fit.diagnostics.ess_min
    means = np.array([values.mean() for values in draws])
    sds = np.array([values.std() for values in draws])
    mean_errors = np.array([error_of_mean(values, ess) for values in draws])
    sd_errors = np.array([error_of_sd(values, ess) for values in draws])
    # 80 figures a prior: 4.5 standard errors are passed by chance once in 600 runs of all.
    assert np.abs((means - truth.mean) / mean_errors).max() < 4.5
    assert np.abs((sds - truth.sd) / sd_errors).max() < 4.5


def test_enumeration_tells_a_wrong_prior_apart() -> None:
    table = TABLES["joint and halves"]
    fit = fit_exact(5, table, PRIORS["weak"], num_draws=60_000)
    truth = enumerate_posterior(table, PRIORS["uniform"])
    draws = quantities(fit.rates)[:6]
    errors = [error_of_mean(values, fit.diagnostics.ess_min) for values in draws]
    gaps = [values.mean() - mean for values, mean in zip(draws, truth.mean, strict=True)]
    assert max(abs(gap) / error for gap, error in zip(gaps, errors, strict=True)) > 4.5


def test_exact_agrees_with_the_kept_answers() -> None:
    for case in load_cases():
        fit = fit_exact(1, case.table, get_priors("uniform"), num_draws=200_000)
        found = estimates(fit.rates, case.table)
        for quantity, truth in case.posterior.items():
            estimate = getattr(found, quantity)
            draws = getattr(quantities(fit.rates), quantity)
            close = 4 * error_of_mean(draws, fit.diagnostics.ess_min) + 5e-5
            assert abs(estimate.mean - truth["mean"]) < min(close, 0.003), (case.name, quantity)
            assert abs(estimate.sd - truth["sd"]) < 0.003, (case.name, quantity)
            # A bound in a tail is itself known to a few thousandths only.
            assert abs(estimate.lower - truth["lower"]) < 0.008, (case.name, quantity)
            assert abs(estimate.upper - truth["upper"]) < 0.008, (case.name, quantity)


def test_fully_labelled_table_has_the_closed_form_mean_of_adherence() -> None:
    table = table_of(a1_r0=8, a1_r1=2, a0_r0_t0=5, a0_r0_t1=1, a0_r1_t0=4, a0_r1_t1=20)
    # ρ ~ Beta(1+26, 1+14), α₀ ~ Beta(1+8, 1+6), α₁ ~ Beta(1+2, 1+24), τ₁ ~ Beta(1+20, 1+4).
    truth = (15 / 42) * (9 / 16) + (27 / 42) * (25 / 28) * (21 / 26)
    draws = quantities(fit_exact(2, table, get_priors("uniform"), 200_000).rates).policy_adherence
    assert abs(draws.mean() - truth) < 4 * draws.std() / np.sqrt(200_000)


@pytest.mark.parametrize("table", [table_of(), table_of(ax=7)])
def test_no_observation_returns_the_prior(table: CountTable) -> None:
    fit = fit_exact(3, table, get_priors("jeffreys"), 100_000)
    for rate in fit.rates:
        assert abs(rate.mean() - 0.5) < 0.006
        assert abs(rate.var() - 0.125) < 0.002


def test_real_answers_of_one_system_give_the_known_adherence() -> None:
    path = SHARED / "data" / "delucionqa.csv"
    if not path.exists():
        pytest.skip("the shared data are not beside this checkout")
    frame = pd.read_csv(path)
    names = {"retrieval_label": "retrieval", "task_label": "task"}
    table = tabulate(frame[frame["system"] == "Lucene Search"].rename(columns=names))
    assert tally_labels(table).items == 710
    fit = fit_exact(0, table, get_priors("uniform"), 100_000)
    adherence = estimates(fit.rates, table).policy_adherence
    assert adherence.mean == pytest.approx(0.671, abs=1e-3)
    assert adherence.sd == pytest.approx(0.018, abs=1e-3)


def _sum_over_grid(hidden: HiddenPair) -> tuple[float, float, float, float]:
    """Means and sds of k₀ and k₁ by summing the mixture weight over every pair."""
    wrong, right = hidden.first.size, hidden.second.size
    k0, k1 = np.arange(wrong + 1.0)[:, None], np.arange(right + 1.0)[None, :]
    log = _log_choose(wrong, k0) + _log_choose(right, k1)
    q0 = hidden.both
    log = log + betaln(q0.found + k0 + k1, q0.failed + wrong + right - k0 - k1)
    log = log + betaln(hidden.second.found + k1, hidden.first.found + k0)
    log = log + betaln(hidden.second.failed + right - k1, hidden.first.failed + wrong - k0)
    weight = np.exp(log - log.max())
    weight /= weight.sum()
    m0, m1 = float((weight * k0).sum()), float((weight * k1).sum())
    s0, s1 = (weight * (k0 - m0) ** 2).sum(), (weight * (k1 - m1) ** 2).sum()
    return m0, m1, float(np.sqrt(s0)), float(np.sqrt(s1))


def _log_choose(n: int, k: np.ndarray) -> np.ndarray:
    return np.asarray(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1))


def _pair(wrong: int, right: int, joint: tuple[int, int, int, int], alone: int) -> HiddenPair:
    """Uniform priors; joint labels n10, n11, n00, n01 and `alone` labels of each R alone."""
    n10, n11, n00, n01 = joint
    found, failed = n10 + n11 + alone + 1.0, n00 + n01 + alone + 1.0
    return HiddenPair(
        Urn(wrong, 1.0 + n10, 1.0 + n00, 1, 1),
        Urn(right, 1.0 + n11, 1.0 + n01, 1, 1),
        Urn(wrong + right, found, failed, 2.0 + n10 + n11, 2.0 + n00 + n01),
    )


HIDDEN = {
    "all pairs fit": _pair(30, 40, (2, 3, 1, 1), 5),
    "wide": _pair(700, 900, (0, 0, 0, 0), 0),
    "few joint": _pair(700, 900, (5, 20, 8, 3), 4),
    "thin diagonal": _pair(700, 900, (0, 0, 0, 0), 3000),
    "thin in k1": _pair(700, 900, (0, 900, 0, 400), 0),
    "thin in k0": _pair(700, 900, (900, 0, 400, 0), 30),
    "sharp": _pair(700, 900, (200, 900, 300, 100), 2000),
    "one sided": _pair(0, 1500, (3, 4, 5, 1), 10),
    "lopsided": _pair(2, 1500, (3, 4, 5, 1), 10),
}


@pytest.mark.parametrize("name", HIDDEN)
def test_zooming_lattice_agrees_with_the_sum_over_the_whole_grid(name: str) -> None:
    hidden = HIDDEN[name]
    draws = draw_hidden(np.random.default_rng(8), hidden, 40_000)
    weights = np.exp(draws.log_weights - draws.log_weights.max())
    weights /= weights.sum()
    ess = effective_size(draws.log_weights)
    m0, m1, s0, s1 = _sum_over_grid(hidden)
    assert ess > 0.5 * 40_000
    for values, mean, sd in ((draws.first, m0, s0), (draws.second, m1, s1)):
        average = float(weights @ values)
        spread = float(np.sqrt(weights @ (values - average) ** 2))
        assert abs(average - mean) <= 4.5 * sd / np.sqrt(ess)
        assert abs(spread - sd) <= 0.03 * sd


def test_lattice_of_a_million_items_scales_with_the_share_not_the_count() -> None:
    # With 10^6 items the binomial noise is gone: shares are as with 1,600 items, but smoother.
    small = _sum_over_grid(_pair(700, 900, (5, 20, 8, 3), 4))
    draws = draw_hidden(np.random.default_rng(1), _pair(437_500, 562_500, (5, 20, 8, 3), 4), 40_000)
    weights = np.exp(draws.log_weights)
    weights /= weights.sum()
    assert effective_size(draws.log_weights) > 0.9 * 40_000
    assert float(weights @ draws.first) / 437_500 == pytest.approx(small[0] / 700, abs=0.01)
    assert float(weights @ draws.second) / 562_500 == pytest.approx(small[1] / 900, abs=0.01)


def test_lattice_is_not_the_whole_grid_in_the_wide_case() -> None:
    # The twin of the test above: without it the zoom might never be used.
    assert hidden_counts.MAX_LATTICE_CELLS < 701 * 901 / 100


def test_same_seed_gives_the_same_draws_and_another_seed_others() -> None:
    table = TABLES["joint and halves"]
    first, same, other = (fit_exact(s, table, get_priors("uniform")) for s in (4, 4, 5))
    assert all(np.array_equal(a, b) for a, b in zip(first.rates, same.rates, strict=True))
    assert not np.array_equal(first.rates.retrieval_success, other.rates.retrieval_success)
    assert first.engine is Engine.EXACT
    assert first.diagnostics.ok


def test_judge_verdicts_do_not_move_the_exact_posterior() -> None:
    cells = np.array([[1, 0, -1, 1], [1, 0, -1, 0], [0, -1, 1, -1]], dtype=np.int8)
    table = from_cells(cells, np.array([2.0, 3.0, 4.0]), ("judge",))
    plain = table_of(a1_r0=5, a0_t1=4)
    with_judge = fit_exact(6, table, get_priors("uniform"))
    without = fit_exact(6, plain, get_priors("uniform"))
    assert np.array_equal(with_judge.rates.retrieval_success, without.rates.retrieval_success)


def test_impossible_requests_are_refused_with_what_to_do() -> None:
    with pytest.raises(ModelError, match="num_draws is 0"):
        fit_exact(0, table_of(a1=1), get_priors("uniform"), 0)
    broken = get_priors("uniform")._replace(retrieval_success=BetaPrior(0, 1))
    with pytest.raises(ModelError, match="retrieval_success is Beta"):
        fit_exact(0, table_of(a1=1), broken)


def test_contradicting_halves_are_refused_rather_than_answered_badly() -> None:
    # τ is known well, so the labels of T alone say R is rare; those of R alone say it is common.
    joint = table_of(a0_r0_t0=270, a0_r0_t1=30, a0_r1_t0=30, a0_r1_t1=270)
    halves = table_of(a1=1000, a0_t0=900, a0_t1=100, r1=400, r0=40)
    table = merge(joint, halves)
    with pytest.raises(ModelError, match="nuts engine"):
        fit_exact(0, table, get_priors("uniform"))


def test_resampling_keeps_each_draw_in_proportion_to_its_weight() -> None:
    weights = np.array([1.0, 0.0, 2.0, 5.0])
    with np.errstate(divide="ignore"):
        chosen = resample(np.random.default_rng(0), np.log(weights), 8000)
    assert np.bincount(chosen, minlength=4).tolist() == [1000, 0, 2000, 5000]


def test_exact_engine_starts_without_jax() -> None:
    code = (
        "import sys; from model.rat import exact, counts, priors, policy, derived, posterior\n"
        "heavy = ('jax', 'numpyro', 'blackjax')\n"
        "print([name for name in sys.modules if name.startswith(heavy)])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
