"""Many posteriors at once: the same answers as the exact engine and as the kept cases."""

import numpy as np
import pytest

from model.allocation.posteriors import draw_posteriors
from model.allocation.states import Integers, count_states, table_of
from model.rat.cells import Array
from model.rat.derived import QUANTITIES, quantities
from model.rat.exact import fit_exact
from model.rat.priors import RatPriors, get_priors
from tests.model.allocation.studies import APART, PILOT, RIDGE, TASK_ONLY, UNKNOWN
from tests.model.rat.rat_oracles import Case, load_cases

STUDIES = {"pilot": PILOT, "apart": APART, "task only": TASK_ONLY, "ridge": RIDGE}
COPIES = 64
# In sds. Jeffreys priors leave weights of heavy tails where labels of T alone say little of R.
TOLERANCE = {"uniform": 0.04, "weak": 0.04, "jeffreys": 0.12}


def moments(counts: Integers, priors: RatPriors, copies: int = COPIES) -> tuple[Array, Array]:
    """Means and sds of the quantities, over all draws of copies of one study."""
    rng = np.random.default_rng(5)
    posteriors = draw_posteriors(rng, np.repeat(counts[None], copies, axis=0), priors)
    weights = posteriors.weights / copies
    draws = quantities(posteriors.rates)
    mean = np.array([(weights * values).sum() for values in draws])
    apart = (weights * (values - m) ** 2 for values, m in zip(draws, mean, strict=True))
    return mean, np.sqrt([part.sum() for part in apart])


@pytest.mark.parametrize("prior", ["uniform", "jeffreys", "weak"])
@pytest.mark.parametrize("name", STUDIES)
def test_a_batch_agrees_with_the_exact_engine(name: str, prior: str) -> None:
    priors = get_priors(prior)
    mean, sd = moments(STUDIES[name], priors)
    exact = np.stack(quantities(fit_exact(1, table_of(STUDIES[name]), priors, 100_000).rates))
    assert np.max(np.abs(mean - exact.mean(axis=1)) / exact.std(axis=1)) < TOLERANCE[prior]
    assert np.max(np.abs(sd / exact.std(axis=1) - 1)) < TOLERANCE[prior]


def test_the_comparison_notices_another_prior() -> None:
    _, sd = moments(TASK_ONLY, get_priors("weak"))
    exact = fit_exact(1, table_of(TASK_ONLY), get_priors("uniform"), 100_000).rates
    assert abs(sd[0] / exact.retrieval_success.std() - 1) > 0.04


@pytest.mark.parametrize("case", load_cases(), ids=lambda case: case.name)
def test_a_batch_agrees_with_the_kept_answers(case: Case) -> None:
    mean, sd = moments(count_states(case.table), get_priors("uniform"), copies=200)
    for position, quantity in enumerate(QUANTITIES):
        if quantity in case.posterior:
            assert mean[position] == pytest.approx(case.posterior[quantity]["mean"], abs=0.005)
            assert sd[position] == pytest.approx(case.posterior[quantity]["sd"], abs=0.005)


def test_retrieval_labels_of_unknown_abstention_are_fitted_too() -> None:
    mean, sd = moments(UNKNOWN, get_priors("uniform"), copies=8)
    exact = fit_exact(1, table_of(UNKNOWN), get_priors("uniform"), 100_000).rates
    assert mean[0] == pytest.approx(exact.retrieval_success.mean(), abs=0.004)
    assert sd[0] == pytest.approx(exact.retrieval_success.std(), rel=0.06)


def test_studies_of_one_batch_do_not_mix() -> None:
    both = np.stack([PILOT, RIDGE])
    posteriors = draw_posteriors(np.random.default_rng(2), both, get_priors("uniform"), 20_000)
    for number, counts in enumerate(both):
        exact = fit_exact(3, table_of(counts), get_priors("uniform"), 20_000).rates
        found = posteriors.rates.retrieval_success[number] @ posteriors.weights[number]
        assert found == pytest.approx(exact.retrieval_success.mean(), abs=0.004)


def test_the_same_seed_gives_the_same_draws() -> None:
    studies = np.repeat(PILOT[None], 150, axis=0)
    first, second = (
        draw_posteriors(np.random.default_rng(9), studies, get_priors("uniform"), 200)
        for _ in range(2)
    )
    assert np.array_equal(first.rates.retrieval_success, second.rates.retrieval_success)
    assert np.array_equal(first.weights, second.weights)


def test_a_study_without_labels_has_the_prior_of_its_quantities() -> None:
    counts = np.zeros_like(PILOT)
    mean, _ = moments(counts, get_priors("uniform"), copies=200)
    # E G = E(1-ρ)·E α₀ + E ρ·E(1-α₁)·E τ₁ = 1/4 + 1/8; E P(A=0,T=1) = 1/4
    assert mean[5] == pytest.approx(0.375, abs=0.01)
    assert mean[6] == pytest.approx(0.25, abs=0.01)
