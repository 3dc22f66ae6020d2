"""NUTS and its NumPyro model: against kept answers, the exact engine and closed forms."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from numpyro import handlers
from numpyro.infer import Predictive
from scipy import stats

from model.errors import ModelError
from model.rat.coordinates import to_rates
from model.rat.counts import CountTable, merge
from model.rat.derived import Rates, estimates, quantities
from model.rat.diagnostics import ess, split_chains
from model.rat.exact import fit_exact
from model.rat.layout import Layout, TaskLayout, choose_layout
from model.rat.likelihood import log_joint, rat_model
from model.rat.nuts import DEFAULT_SETTINGS, fit_nuts, fit_nuts_all, num_compilations
from model.rat.posterior import Engine, Posterior
from model.rat.priors import BetaPrior, RatPriors, get_priors
from model.rat.problem import SamplerSettings, pattern_counts, prior_shapes
from model.rat.tally import tally
from tests.model.rat.rat_oracles import load_cases, table_of

pytestmark = pytest.mark.usefixtures("kept_programs")

UNIFORM = get_priors("uniform")
SURE = UNIFORM._replace(retrieval_success=BetaPrior(30, 12))
TABLES = {
    "task and retrieval apart": table_of(a1_r0=40, a1_r1=3, a0_r0=30, a0_r1=50, a0_t0=40, a0_t1=60),
    "task first": table_of(a1_r0=40, a1_r1=3, a0_r0_t1=3, a0_r1_t1=50, a0_t0=40, a0=100),
    "retrieval first": table_of(a1_r0=40, a1_r1=3, a0_r0=30, a0_r1_t1=20, a0_r1_t0=20, a0=100),
    "abstention unknown": table_of(r0=30, r1=20, ax=100),
    "abstention partly unknown": table_of(a1=30, a1_r0=9, a0=50, r0=30, r1=20, a0_r1_t1=8, a0_t0=9),
    "many task labels": table_of(a1=19_800, a0_t0=4_000, a0_t1=6_000, a0=20_000),
    "many apart": table_of(
        a1_r0=4_000, a1_r1=300, a0_r0=3_000, a0_r1=5_000, a0_t0=4_000, a0_t1=6_000
    ),
    "always abstains": table_of(a1_r0=40, a1_r1=3, a1=5),
    "never abstains": table_of(a0_r0=40, a0_r1_t0=3, a0_t0=5),
    "empty": table_of(),
}


class Comparison:
    """Means and sds of all quantities with their Monte Carlo errors, float64[num_quantities]."""

    def __init__(self, fit: Posterior, num_chains: int) -> None:
        draws = np.stack(quantities(fit.rates)).reshape(10, num_chains, -1)
        centred = draws - draws.mean(axis=(1, 2), keepdims=True)
        self.mean, self.sd = draws.mean(axis=(1, 2)), draws.std(axis=(1, 2))
        size = draws.shape[1] * draws.shape[2]
        independent = np.full(10, min(fit.diagnostics.ess_min, size))
        if fit.engine is Engine.NUTS:
            # Never more than the draws: the estimate is noisy where chains are antithetic.
            size_of_mean = np.minimum(ess(split_chains(draws)), size)
            size_of_square = np.minimum(ess(split_chains(centred**2)), size)
        else:
            size_of_mean = size_of_square = independent
        self.mean_error = self.sd / np.sqrt(size_of_mean)
        self.sd_error = (centred**2).std(axis=(1, 2)) / np.sqrt(size_of_square) / (2 * self.sd)


def _distance(one: Comparison, other: Comparison) -> float:
    """The largest difference of a mean or sd in Monte Carlo standard errors."""
    means = np.abs(one.mean - other.mean) / np.hypot(one.mean_error, other.mean_error)
    sds = np.abs(one.sd - other.sd) / np.hypot(one.sd_error, other.sd_error)
    return float(max(means.max(), sds.max()))


def test_nuts_agrees_with_the_kept_answers_and_passes_its_diagnostics() -> None:
    for case in load_cases():
        fit = fit_nuts(1, case.table, UNIFORM)
        assert fit.engine is Engine.NUTS
        assert fit.diagnostics.ok, (case.name, fit.diagnostics)
        assert fit.diagnostics.divergences == 0
        assert fit.diagnostics.rhat_max < 1.01
        found = estimates(fit.rates, case.table)
        error = Comparison(fit, DEFAULT_SETTINGS.num_chains)
        for position, (quantity, truth) in enumerate(case.posterior.items()):
            estimate = getattr(found, quantity)
            # The kept answers are rounded to four digits.
            assert abs(estimate.mean - truth["mean"]) < 4 * error.mean_error[position] + 5e-5
            assert abs(estimate.sd - truth["sd"]) < 4 * error.sd_error[position] + 5e-5
            assert abs(estimate.lower - truth["lower"]) < 0.02
            assert abs(estimate.upper - truth["upper"]) < 0.02


@pytest.mark.parametrize("name", TABLES)
def test_nuts_agrees_with_the_exact_engine(name: str) -> None:
    nuts, exact = fit_nuts(2, TABLES[name], UNIFORM), fit_exact(3, TABLES[name], UNIFORM, 40_000)
    assert nuts.diagnostics.ok, nuts.diagnostics
    # 20 figures a table, ten tables: 4.5 errors are passed by chance once in 700 runs of all.
    assert _distance(Comparison(nuts, 4), Comparison(exact, 1)) < 4.5


@pytest.mark.parametrize("priors", [get_priors("jeffreys"), SURE])
def test_nuts_agrees_with_the_exact_engine_under_other_priors(priors: RatPriors) -> None:
    table = TABLES["task first"]
    nuts, exact = fit_nuts(4, table, priors), fit_exact(3, table, priors, 40_000)
    assert nuts.diagnostics.ok, nuts.diagnostics
    assert _distance(Comparison(nuts, 4), Comparison(exact, 1)) < 4.5


def test_agreement_notices_another_prior() -> None:
    table = TABLES["task first"]
    nuts, exact = fit_nuts(4, table, get_priors("weak")), fit_exact(3, table, UNIFORM, 40_000)
    assert _distance(Comparison(nuts, 4), Comparison(exact, 1)) > 4.5


def test_new_labels_never_compile_again() -> None:
    fit_nuts(0, TABLES["empty"], UNIFORM)
    compiled = num_compilations()
    events: list[str] = []

    def note(event: str, duration_secs: float, **kwargs: str | int) -> None:
        if "backend_compile" in event:
            events.append(event)

    jax.monitoring.register_event_duration_secs_listener(note)
    for number, name in enumerate(("task first", "abstention unknown", "many apart")):
        fit_nuts(number, TABLES[name], get_priors("weak"))
    assert num_compilations() == compiled == 1
    assert events == []
    # The twin: other settings are another program, and the listener sees it compile.
    fit_nuts(0, TABLES["empty"], UNIFORM, SamplerSettings(2, 100, 9))
    assert events


def test_same_seed_gives_the_same_draws_and_another_seed_others() -> None:
    table = TABLES["task first"]
    first, same, other = (fit_nuts(seed, table, UNIFORM) for seed in (7, 7, 8))
    assert np.array_equal(np.stack(first.rates), np.stack(same.rates))
    assert not np.array_equal(np.stack(first.rates), np.stack(other.rates))


def test_several_systems_at_once_get_the_draws_that_each_gets_alone() -> None:
    tables = [TABLES[name] for name in ("task first", "empty", "many apart")]
    together = fit_nuts_all([7, 8, 9], tables, UNIFORM)
    for seed, table, fit in zip((7, 8, 9), tables, together, strict=True):
        assert np.array_equal(np.stack(fit.rates), np.stack(fit_nuts(seed, table, UNIFORM).rates))
    with pytest.raises(ModelError, match="1 seeds came with 3 tables"):
        fit_nuts_all([7], tables, UNIFORM)


def test_order_and_splitting_of_the_table_change_nothing() -> None:
    table = TABLES["task first"]
    turned = CountTable(table.cells[::-1], table.counts[::-1])
    halves = merge(CountTable(table.cells[:3], table.counts[:3]), CountTable(*_rest(table)))
    draws = [np.stack(fit_nuts(7, t, UNIFORM).rates) for t in (table, merge(turned), halves)]
    assert np.array_equal(draws[0], draws[1])
    assert np.array_equal(draws[0], draws[2])


_map = jax.jit(to_rates)
_jacobian = jax.jit(jax.jacobian(lambda place, layout: to_rates(place, layout).rates))


def _rest(table: CountTable) -> tuple[np.ndarray, np.ndarray]:
    return table.cells[3:], table.counts[3:]


def test_everything_runs_in_double_precision() -> None:
    assert jnp.zeros(1).dtype == np.float64
    fit = fit_nuts(0, TABLES["empty"], UNIFORM)
    assert all(rate.dtype == np.float64 for rate in fit.rates)
    assert all(((rate > 0) & (rate < 1)).all() for rate in fit.rates)


def test_density_is_beta_times_the_probability_of_each_pattern() -> None:
    table = table_of(a1_r0=3, a0_r1_t1=2, a0_t0=4, r1=5, ax=9)
    rho, a0, a1, t0, t1 = rates = (0.6, 0.3, 0.1, 0.2, 0.7)
    truth = sum(
        stats.beta(*prior).logpdf(rate)
        for prior, rate in zip(get_priors("weak"), rates, strict=True)
    )
    truth += 3 * np.log((1 - rho) * a0) + 2 * np.log(rho * (1 - a1) * t1) + 5 * np.log(rho)
    truth += 4 * np.log((1 - rho) * (1 - a0) * (1 - t0) + rho * (1 - a1) * (1 - t1))
    found = jax.jit(log_joint)(
        jnp.array(rates), prior_shapes(get_priors("weak")), pattern_counts(table)
    )
    assert float(found) == pytest.approx(truth, abs=1e-12)


def test_model_draws_rates_from_the_prior() -> None:
    priors = get_priors("weak")._replace(retrieval_success=BetaPrior(3, 7))
    draws = Predictive(rat_model, num_samples=4000)(
        jax.random.key(0), prior_shapes(priors), num_items=50
    )
    assert draws["cells"].shape == (4000, 6)
    assert (np.asarray(draws["cells"]).sum(axis=1) == 50).all()
    for values, prior in zip(np.asarray(draws["rates"]).T, priors, strict=True):
        assert stats.kstest(values, stats.beta(*prior).cdf).pvalue > 1e-4


def test_model_simulates_items_from_given_rates() -> None:
    rates = jnp.array([0.5, 0.2, 0.1, 0.25, 0.8])
    given = handlers.condition(rat_model, data={"rates": rates})
    draws = Predictive(given, num_samples=4000)(
        jax.random.key(1), prior_shapes(UNIFORM), num_items=100
    )
    # The worked example of the derived quantities: P of the six cells, in hundredths.
    truth = np.array([10, 5, 30, 10, 9, 36])
    error = np.sqrt(truth * (1 - truth / 100) / 4000)
    assert (np.abs(np.asarray(draws["cells"]).mean(axis=0) - truth) < 4.5 * error).all()


@pytest.mark.parametrize(
    "choices",
    [
        (False, TaskLayout.BY_RETRIEVAL),
        (False, TaskLayout.BY_TASK),
        (False, TaskLayout.BY_MARGINS),
        (True, TaskLayout.BY_RETRIEVAL),
    ],
)
def test_log_volume_is_the_jacobian_of_the_map(choices: tuple[bool, TaskLayout]) -> None:
    layout = Layout(*choices, np.zeros(5), np.ones(5))
    for seed in range(4):
        place = np.random.default_rng(seed).normal(size=5) * 2
        _, log_determinant = np.linalg.slogdet(np.asarray(_jacobian(place, layout)))
        found = float(_map(place, layout).log_volume)
        assert found == pytest.approx(log_determinant, abs=1e-6)


@pytest.mark.parametrize("odds", [-3.0, -0.4, 0.0, 1.5])
def test_margins_layout_has_the_margins_and_the_odds_ratio_it_is_given(odds: float) -> None:
    layout = Layout(False, TaskLayout.BY_MARGINS, np.zeros(5), np.ones(5))
    rates = Rates(*np.asarray(_map(np.array([0.3, -0.2, 0.9, -0.5, odds]), layout).rates))
    answered_found = rates.retrieval_success * (1 - rates.abstain_given_retrieval)
    answered_failed = (1 - rates.retrieval_success) * (1 - rates.abstain_given_failed_retrieval)
    found = answered_found / (answered_found + answered_failed)
    right1, right0 = rates.correct_given_retrieval, rates.correct_given_failed_retrieval
    assert found == pytest.approx(1 / (1 + np.exp(-0.9)))
    assert found * right1 + (1 - found) * right0 == pytest.approx(1 / (1 + np.exp(0.5)))
    ratio = right1 * (1 - right0) / ((1 - right1) * right0)
    assert np.log(ratio) == pytest.approx(odds, abs=1e-9)


@pytest.mark.parametrize(
    ("name", "layout"),
    [
        ("task and retrieval apart", (False, TaskLayout.BY_MARGINS)),
        ("task first", (False, TaskLayout.BY_TASK)),
        ("retrieval first", (False, TaskLayout.BY_RETRIEVAL)),
        ("abstention unknown", (True, TaskLayout.BY_RETRIEVAL)),
        ("many task labels", (False, TaskLayout.BY_TASK)),
    ],
)
def test_layout_follows_the_labels(name: str, layout: tuple[bool, TaskLayout]) -> None:
    assert choose_layout(tally(TABLES[name]), UNIFORM)[:2] == layout


def test_a_wrong_layout_gives_the_same_answer_only_slower(monkeypatch: pytest.MonkeyPatch) -> None:
    table = table_of(a1_r0=4, a0_r1_t1=5, a0_t0=4, a0=9)
    centre, scale = np.zeros(5), np.ones(5)
    other = Layout(False, TaskLayout.BY_RETRIEVAL, centre, scale)
    monkeypatch.setattr("model.rat.nuts.choose_layout", lambda *_: other)
    nuts, exact = fit_nuts(5, table, UNIFORM), fit_exact(3, table, UNIFORM, 40_000)
    assert _distance(Comparison(nuts, 4), Comparison(exact, 1)) < 4.5


def test_a_failed_fit_is_carried_with_its_reason() -> None:
    # Eight draws a chain cannot be worth 100 of them.
    fit = fit_nuts(0, TABLES["task first"], UNIFORM, SamplerSettings(2, 100, 8))
    assert not fit.diagnostics.ok
    assert fit.diagnostics.reason
    assert fit.rates.retrieval_success.shape == (16,)


@pytest.mark.parametrize(
    "settings",
    [
        SamplerSettings(num_chains=1),
        SamplerSettings(num_warmup=99),
        SamplerSettings(num_samples=7),
        SamplerSettings(target_acceptance=1.0),
    ],
)
def test_settings_that_cannot_be_judged_are_refused(settings: SamplerSettings) -> None:
    with pytest.raises(ModelError, match="num_chains ≥ 2"):
        fit_nuts(0, TABLES["empty"], UNIFORM, settings)


def test_a_prior_that_is_no_density_is_refused() -> None:
    broken = UNIFORM._replace(retrieval_success=BetaPrior(0, 1))
    with pytest.raises(ModelError, match="retrieval_success"):
        fit_nuts(0, TABLES["empty"], broken)
