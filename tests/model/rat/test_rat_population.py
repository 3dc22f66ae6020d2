"""The finite test set: settled items leave no width, open ones follow their multinomials."""

import numpy as np
import pytest

from model.rat.cells import SixCells
from model.rat.counts import CountTable
from model.rat.derived import Rates, cell_probabilities, estimates
from model.rat.exact import fit_exact
from model.rat.policy import POLICY_PRESETS, Policy
from model.rat.population import complete, finite_estimates, finite_quantities
from model.rat.priors import get_priors
from tests.model.rat.rat_oracles import table_of

NUM_DRAWS = 20_000
FIXED = Rates(*(np.full(NUM_DRAWS, rate) for rate in (0.6, 0.3, 0.1, 0.2, 0.8)))


def _complete(table: CountTable, rates: Rates = FIXED, seed: int = 0) -> SixCells[np.ndarray]:
    return complete(np.random.default_rng(seed), table, rates)


def test_adherence_has_no_width_when_every_item_is_settled() -> None:
    # Settled under `rat`: A=1 by R; A=0 by T=0 or by R=0 alone; (R=1,T=1) by both. G=1: 38+17.
    table = table_of(a1_r0=38, a1_r1=2, a0_t0=40, a0_r0=6, a0_r1_t1=17)
    fit = fit_exact(0, table, get_priors("uniform"))
    found = finite_estimates(_complete(table, fit.rates), table).policy_adherence
    assert found.mean == pytest.approx(55 / 103, abs=1e-12)
    assert (found.sd, found.upper - found.lower) == (0, 0)
    # The rate behind the test set is still unknown: the other population has a width.
    assert estimates(fit.rates, table).policy_adherence.sd > 0.01


def test_one_unsettled_item_gives_adherence_a_width() -> None:
    table = table_of(a1_r0=38, a1_r1=2, a0_t0=40, a0_r0=6, a0_r1_t1=17, a0_r1=1)
    found = finite_estimates(_complete(table), table).policy_adherence
    # The item is right with τ₁ = .8, so G is 55/104 or 56/104.
    assert found.mean == pytest.approx(55.8 / 104, abs=4 * 0.4 / 104 / np.sqrt(NUM_DRAWS))
    assert found.sd == pytest.approx(0.4 / 104, rel=0.05)


def test_a_custom_policy_is_settled_without_rounding_noise() -> None:
    # T is open on the found answers, but this policy gives both outcomes the same odd value.
    table = table_of(a1_r0=7, a0_r1=12)
    found = finite_estimates(_complete(table), table, Policy(1, 0, 0, 0, 0.1, 0.1)).policy_adherence
    assert found.mean == pytest.approx((7 + 1.2) / 19)
    assert (found.sd, found.upper - found.lower) == (0, 0)


@pytest.mark.parametrize(
    ("table", "open_cells"),
    [
        (table_of(a0_r1=50), ("found_wrong", "found_right")),
        (table_of(a1=50), ("failed_abstained", "found_abstained")),
        (table_of(a0_t1=50), ("failed_right", "found_right")),
        (table_of(t0=50), ("failed_wrong", "found_wrong")),
        (table_of(r0=50), ("failed_abstained", "failed_wrong", "failed_right")),
        (table_of(a0=50), ("failed_wrong", "failed_right", "found_wrong", "found_right")),
        (table_of(ax=50), SixCells._fields),
    ],
)
def test_open_items_follow_the_multinomial_of_the_cells_left_open(
    table: CountTable, open_cells: tuple[str, ...]
) -> None:
    completed = _complete(table)
    probability = np.array([p[0] for p in cell_probabilities(FIXED)])
    is_open = np.array([name in open_cells for name in SixCells._fields])
    probability = np.where(is_open, probability, 0) / probability[is_open].sum()
    counts = np.stack(completed)
    error = np.sqrt(50 * probability * (1 - probability) / NUM_DRAWS)
    assert (np.abs(counts.mean(axis=1) - 50 * probability) <= 4.5 * error + 1e-9).all()
    covariance = 50 * (np.diag(probability) - np.outer(probability, probability))
    assert np.abs(np.cov(counts) - covariance).max() < 0.5
    assert (counts.sum(axis=0) == 50).all()


def test_test_set_equals_the_rates_when_it_is_huge_and_unlabelled() -> None:
    labelled = table_of(a1_r0=30, a1_r1=4, a0_r0_t0=20, a0_r0_t1=6, a0_r1_t0=9, a0_r1_t1=31)
    cells = np.vstack([labelled.cells, [[-1, -1, -1]]]).astype(np.int8)
    table = CountTable(cells, np.append(labelled.counts, 1e9))
    fit = fit_exact(1, table, get_priors("uniform"))
    future = estimates(fit.rates, table)
    finite = finite_estimates(_complete(table, fit.rates), table)
    for one, other in zip(future, finite, strict=True):
        assert other[:4] == pytest.approx(one[:4], abs=1e-3)


def test_labelled_part_of_a_test_set_narrows_it_below_the_future() -> None:
    table = table_of(a1_r0=30, a1_r1=4, a0_r0_t0=20, a0_r0_t1=6, a0_r1_t0=9, a0_r1_t1=31, a0=40)
    fit = fit_exact(1, table, get_priors("uniform"))
    future = estimates(fit.rates, table).policy_adherence
    finite = finite_estimates(_complete(table, fit.rates), table).policy_adherence
    assert finite.sd < 0.6 * future.sd


@pytest.mark.parametrize("policy", POLICY_PRESETS)
def test_fully_labelled_quantities_are_the_observed_shares(policy: str) -> None:
    table = table_of(a1_r0=4, a1_r1=1, a0_r0_t0=3, a0_r0_t1=2, a0_r1_t0=1, a0_r1_t1=9)
    found = finite_quantities(_complete(table), POLICY_PRESETS[policy])
    worth = {"rat": 13, "correct_or_silent": 15, "truthfulness": 13.5, "cautious": 13.5}[policy]
    truth = (11 / 20, 4 / 9, 1 / 11, 2 / 5, 9 / 10, worth / 20, 11 / 20, 5 / 20, 7 / 20, 11 / 15)
    assert [float(values[0]) for values in found] == pytest.approx(truth)
    assert all(np.ptp(values) == 0 for values in found)


def test_shares_of_nothing_are_undefined_and_say_why() -> None:
    table = table_of(a1_r0=5)
    found = finite_estimates(_complete(table), table)
    assert np.isnan(found.abstain_given_retrieval.mean)
    assert found.abstain_given_retrieval.note == "undefined: no item with successful retrieval"
    assert found.answered_correct.note == "undefined: no item answered"
    assert found.policy_adherence.mean == 1
    assert found.policy_adherence.note == ""
    nothing = finite_estimates(_complete(table_of()), table_of())
    assert nothing.policy_adherence.note == "undefined: no item at all"
    assert np.isnan(nothing.policy_adherence.mean)


def test_shares_undefined_in_some_draws_say_how_often() -> None:
    # One answer of unknown R: P(R=1|A=0) = .54/.82, so α₁ has no item to divide by in 34 %.
    table = table_of(a0=1)
    found = finite_estimates(_complete(table), table).abstain_given_retrieval
    assert found.note.startswith("undefined in 34.")
    assert found.mean == 0


def test_a_million_open_items_cost_what_a_thousand_do() -> None:
    # Binomials of a million are drawn by rejection, not by trial: no item-sized array appears.
    few, many = table_of(a0=1000), table_of(a0=1_000_000)
    assert _complete(few).found_right.shape == _complete(many).found_right.shape == (NUM_DRAWS,)
