"""Quantities, policies and priors: against hand-made fractions and the definitions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from model.errors import ModelError
from model.rat.cells import CELL_NAMES, SixCells, compatible
from model.rat.counts import CountTable
from model.rat.derived import (
    QUANTITIES,
    PerQuantity,
    Quantity,
    Rates,
    cell_probabilities,
    estimate_cells,
    estimates,
    labels_behind,
    losses,
    prior_only,
    quantities,
    summarise,
)
from model.rat.policy import POLICY_PRESETS, Policy, get_policy, parse_policy
from model.rat.priors import BetaPrior, RatPriors, check_priors, draw_prior, get_priors
from tests.model.rat.rat_oracles import table_of

SHARE = st.floats(0, 1)
RATES = st.tuples(SHARE, SHARE, SHARE, SHARE, SHARE)


def _rates(values: tuple[float, ...]) -> Rates:
    return Rates(*(np.array([value]) for value in values))


# ρ=1/2, α₀=1/5, α₁=1/10, τ₀=1/4, τ₁=4/5, in hundredths of hundredths:
# failed: abstained .1, wrong .5·.8·.75=.3, right .1; found: abstained .05, wrong .09, right .36.
EXAMPLE = _rates((0.5, 0.2, 0.1, 0.25, 0.8))


def test_cells_and_quantities_of_a_worked_example() -> None:
    cells = [float(cell[0]) for cell in cell_probabilities(EXAMPLE)]
    assert cells == pytest.approx([0.10, 0.05, 0.30, 0.10, 0.09, 0.36])
    found = [float(values[0]) for values in quantities(EXAMPLE)]
    # G = .1+.36; success .1+.36; abstention .15; truthfulness .46-.39; correct .46/.85.
    assert found == pytest.approx([0.5, 0.2, 0.1, 0.25, 0.8, 0.46, 0.46, 0.15, 0.07, 0.46 / 0.85])


@pytest.mark.parametrize(
    ("policy", "value"),
    [
        ("rat", 0.10 + 0.36),
        ("correct_or_silent", 0.10 + 0.10 + 0.36),
        # CRAG: right 1, silent 0, wrong -1, moved to [0, 1]: (1 + .07) / 2.
        ("truthfulness", 1.07 / 2),
        ("cautious", 0.10 + 0.05 / 2 + 0.36),
    ],
)
def test_adherence_under_each_preset(policy: str, value: float) -> None:
    found = quantities(EXAMPLE, get_policy(policy)).policy_adherence
    assert float(found[0]) == pytest.approx(value)


@given(values=RATES)
@settings(max_examples=60, deadline=None)
def test_cells_add_up_to_one_and_losses_to_what_adherence_lacks(values: tuple[float, ...]) -> None:
    rates = _rates(values)
    assert float(np.sum(cell_probabilities(rates))) == pytest.approx(1)
    for policy in POLICY_PRESETS.values():
        lost = np.sum(losses(rates, policy))
        kept = quantities(rates, policy).policy_adherence
        assert float(lost + kept[0]) == pytest.approx(1)


def test_answered_correct_is_undefined_where_nothing_is_answered() -> None:
    assert np.isnan(quantities(_rates((0.5, 1.0, 1.0, 0.5, 0.5))).answered_correct[0])


def test_names_and_order_are_the_same_everywhere() -> None:
    assert tuple(PerQuantity._fields) == tuple(str(quantity) for quantity in QUANTITIES)
    assert tuple(Rates._fields) == RatPriors._fields == PerQuantity._fields[:5]
    assert PerQuantity(*range(10)).of(Quantity.TASK_SUCCESS) == 6


def test_summary_of_normal_draws_has_normal_bounds() -> None:
    draws = stats.norm.ppf((np.arange(100_000) + 0.5) / 100_000)
    summary = summarise(draws, 0.9)
    assert summary.mean == pytest.approx(0, abs=1e-9)
    assert summary.sd == pytest.approx(1, abs=1e-3)
    assert (summary.lower, summary.upper) == pytest.approx((-1.6449, 1.6449), abs=1e-3)


@pytest.mark.parametrize("interval", [0, 1, 1.5, float("nan")])
def test_an_interval_outside_zero_and_one_is_refused(interval: float) -> None:
    with pytest.raises(ModelError, match="The interval is"):
        summarise(np.arange(3.0), interval)


def _marked(table: CountTable) -> set[str]:
    marks = prior_only(table)
    return {name for name, mark in zip(PerQuantity._fields, marks, strict=True) if mark}


FIVE = set(PerQuantity._fields[:5])
OF_TASK = {"task_success", "truthfulness", "answered_correct"}


@pytest.mark.parametrize(
    ("table", "marked"),
    [
        (table_of(), set(PerQuantity._fields)),
        (table_of(a1=3, a0=4), FIVE | OF_TASK | {"policy_adherence"}),
        (table_of(a1=3), FIVE | {"policy_adherence", "answered_correct"}),
        (table_of(a1_r0=1, a0=2), (FIVE | OF_TASK) - {"retrieval_success"}
            - {"abstain_given_failed_retrieval"}),
        (table_of(r1=2), (FIVE - {"retrieval_success"}) | OF_TASK | {"abstention"}),
        # A task label tells that there was an answer.
        (table_of(t1=2), FIVE),
        (table_of(r0_t1=2), {"abstain_given_retrieval", "correct_given_retrieval"}),
        (table_of(a1_r0=1, a1_r1=1, a0_r0_t0=1, a0_r1_t1=1), set()),
    ],
)  # fmt: skip
def test_quantities_without_a_label_are_marked_prior_only(
    table: CountTable, marked: set[str]
) -> None:
    assert _marked(table) == marked
    draws = draw_prior(np.random.default_rng(0), get_priors("uniform"), 10)
    found = estimates(draws, table)
    assert {n for n, e in zip(found._fields, found, strict=True) if e.prior_only} == marked


def test_labels_behind_counts_the_items_that_speak_about_each_quantity() -> None:
    table = table_of(a1_r0=3, a1=2, a0_r1_t1=4, a0_t0=5, a0_r1=6, r0=1, ax=9)
    behind = labels_behind(table)
    assert behind == PerQuantity(14, 3, 10, 0, 4, 19, 9, 20, 9, 9)


def test_estimates_of_cells_keep_their_order() -> None:
    found = estimate_cells(losses(Rates(*(np.repeat(rate, 5) for rate in EXAMPLE))))
    assert found.found_wrong.mean == pytest.approx(0.09)
    assert found.found_right.mean == 0


def test_patterns_leave_the_right_cells_open() -> None:
    patterns = np.array(
        [[1, -1, -1], [0, 1, -1], [-1, 0, -1], [-1, -1, 1], [-1, -1, -1]], dtype=np.int8
    )
    open_cells = [
        {name for name, is_open in zip(CELL_NAMES, row, strict=True) if is_open}
        for row in compatible(patterns)
    ]
    assert open_cells == [
        {"failed_abstained", "found_abstained"},
        {"found_wrong", "found_right"},
        {"failed_abstained", "failed_wrong", "failed_right"},
        {"failed_right", "found_right"},
        set(CELL_NAMES),
    ]


def test_a_custom_policy_is_read_by_cell_name() -> None:
    values = dict(zip(CELL_NAMES, (1, 0.25, 0, 0.5, 0, 1), strict=True))
    assert parse_policy(values) == Policy(1, 0.25, 0, 0.5, 0, 1)
    assert isinstance(parse_policy(values), SixCells)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"found_right": 1.2}, "'found_right' is 1.2; a number from 0 to 1"),
        ({"found_right": float("nan")}, "'found_right' is nan"),
        ({"found_right": "1"}, "'found_right' is '1'"),
        ({"found_right": True}, "'found_right' is True"),
        ({"found_right": None}, "'found_right' is None"),
        ({"found": 1}, "cell 'found' is unknown"),
    ],
)
def test_a_broken_policy_is_refused(change: dict[str, object], message: str) -> None:
    values: dict[str, object] = dict.fromkeys(CELL_NAMES, 1)
    with pytest.raises(ModelError, match=message):
        parse_policy(values | change)


def test_an_absent_cell_and_unknown_presets_are_named() -> None:
    with pytest.raises(ModelError, match="cell 'failed_abstained' is absent"):
        parse_policy(dict.fromkeys(CELL_NAMES[1:], 1))
    with pytest.raises(ModelError, match="one of rat, correct_or_silent, truthfulness, cautious"):
        get_policy("RAT")
    with pytest.raises(ModelError, match="one of uniform, jeffreys, weak"):
        get_priors("flat")


@pytest.mark.parametrize("shape", [0.0, -1.0, float("inf"), float("nan")])
def test_a_prior_that_is_no_density_is_refused(shape: float) -> None:
    broken = get_priors("weak")._replace(correct_given_retrieval=BetaPrior(1, shape))
    with pytest.raises(ModelError, match="correct_given_retrieval"):
        check_priors(broken)


def test_prior_draws_follow_their_betas() -> None:
    priors = get_priors("weak")._replace(retrieval_success=BetaPrior(3, 5))
    draws = draw_prior(np.random.default_rng(1), priors, 5000)
    for values, prior in zip(draws, priors, strict=True):
        assert stats.kstest(values, stats.beta(*prior).cdf).pvalue > 1e-4
