"""Targets: the formulas of derived.py again, both populations, and what cannot be asked for."""

import numpy as np
import pytest

from model.allocation.posteriors import draw_posteriors
from model.allocation.states import Integers, table_of
from model.allocation.targets import (
    Population,
    Target,
    check_target,
    evaluate,
    summarise,
    true_value,
)
from model.errors import ModelError
from model.rat.derived import QUANTITIES, Quantity, Rates, quantities
from model.rat.exact import fit_exact
from model.rat.policy import POLICY_PRESETS
from model.rat.population import complete, finite_quantities
from model.rat.priors import get_priors
from tests.model.allocation.studies import APART, PILOT, U, counts_of

UNIFORM = get_priors("uniform")


@pytest.mark.parametrize("policy", POLICY_PRESETS)
@pytest.mark.parametrize("quantity", QUANTITIES)
def test_a_target_is_the_quantity_of_its_name(quantity: Quantity, policy: str) -> None:
    rng = np.random.default_rng(1)
    truth = Rates(*rng.uniform(0.05, 0.95, (5, 7)))
    target = Target(quantity, POLICY_PRESETS[policy])
    wanted = quantities(truth, POLICY_PRESETS[policy]).of(quantity)
    found = true_value(target, np.zeros((7, 15, 6), dtype=np.int64), truth)
    assert found == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize("counts", [PILOT, APART], ids=["pilot", "apart"])
@pytest.mark.parametrize(
    "quantity",
    [Quantity.POLICY_ADHERENCE, Quantity.ANSWERED_CORRECT, Quantity.RETRIEVAL_SUCCESS],
)
def test_this_test_set_is_as_wide_as_when_every_item_is_drawn(
    counts: Integers, quantity: Quantity
) -> None:
    rng = np.random.default_rng(3)
    copies = np.repeat(counts[None], 32, axis=0)
    posteriors = draw_posteriors(rng, copies, UNIFORM)
    values = evaluate(rng, Target(quantity, population=Population.TEST_SET), copies, posteriors)
    summary = summarise(values, posteriors.weights, 0.95)
    table = table_of(counts)
    rates = fit_exact(1, table, UNIFORM, 40_000).rates
    wanted = finite_quantities(complete(rng, table, rates)).of(quantity)
    assert summary.mean.mean() == pytest.approx(wanted.mean(), abs=0.003)
    assert summary.sd.mean() == pytest.approx(wanted.std(), rel=0.04)
    bounds = np.quantile(wanted, [0.025, 0.975])
    assert summary.half_width.mean() == pytest.approx(np.ptp(bounds) / 2, rel=0.04)


def test_a_settled_test_set_has_no_width() -> None:
    counts = counts_of({(1, 0, U): 9, (0, U, 0): 5, (0, 1, 1): 30})[None]
    rng = np.random.default_rng(3)
    posteriors = draw_posteriors(rng, counts, UNIFORM)
    target = Target(population=Population.TEST_SET)
    summary = summarise(
        evaluate(rng, target, counts, posteriors), posteriors.weights, target.interval
    )
    # 39 of 44 items are settled as adherent.
    assert summary.mean[0] == pytest.approx(39 / 44, abs=1e-9)
    assert summary.half_width[0] == pytest.approx(0, abs=1e-9)


def test_weighted_bounds_are_those_of_repeated_draws() -> None:
    rng = np.random.default_rng(8)
    values, copies = rng.normal(size=(3, 400)), rng.integers(1, 9, (3, 400))
    summary = summarise(values, copies / copies.sum(axis=1, keepdims=True), 0.9)
    for row in range(3):
        repeated = np.repeat(values[row], copies[row])
        assert summary.mean[row] == pytest.approx(repeated.mean())
        assert summary.sd[row] == pytest.approx(repeated.std())
        low, high = np.quantile(repeated, [0.05, 0.95])
        assert summary.lower[row] == pytest.approx(low, abs=0.02)
        assert summary.upper[row] == pytest.approx(high, abs=0.02)


def test_a_target_that_no_label_informs_is_refused() -> None:
    with pytest.raises(ModelError, match="No label informs abstention"):
        check_target(Target(Quantity.ABSTENTION), PILOT)
    everything = counts_of({(1, 0, U): 9, (0, 1, 1): 30})
    with pytest.raises(ModelError, match="all 39 items are settled"):
        check_target(Target(), everything)
    check_target(Target(), PILOT)


def test_an_interval_that_is_no_probability_is_refused() -> None:
    with pytest.raises(ModelError, match="interval is 95"):
        check_target(Target(interval=95), PILOT)
