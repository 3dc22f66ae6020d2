"""The optimal mix and the next label, against closed forms and fits of every outcome."""

import numpy as np
import pytest

from model.allocation.follow import Goal, follow_next, travel
from model.allocation.information import Option, find_information
from model.allocation.next_label import score_options
from model.allocation.optimal import find_design
from model.allocation.packages import LabelCosts, Package, tabulate_outcomes
from model.allocation.plan import simulate_truths
from model.allocation.posteriors import Posteriors, draw_posteriors
from model.allocation.simulate import Setting
from model.allocation.states import Integers, Label, observe, state_of, table_of
from model.allocation.targets import Target
from model.allocation.worth import find_label_worths
from model.rat.cells import Array
from model.rat.derived import Quantity, Rates, cell_probabilities, quantities
from model.rat.exact import fit_exact
from model.rat.policy import POLICY_PRESETS
from model.rat.priors import get_priors
from tests.model.allocation.studies import PILOT, U, counts_of

UNIFORM = get_priors("uniform")
FRESH, SILENT = state_of(0, U, U), state_of(1, U, U)


def _posteriors(counts: Integers, num_draws: int = 20_000) -> Posteriors:
    return draw_posteriors(np.random.default_rng(6), counts[None], UNIFORM, num_draws)


def test_the_design_shares_labels_as_neyman_does() -> None:
    # ρ = a q₁ + (1−a) q₀ with a known sharply: n₁/n₀ = a √(q₁(1−q₁)) / ((1−a) √(q₀(1−q₀))).
    counts = counts_of(
        {
            (1, U, U): 40_000,
            (0, U, U): 60_000,
            (1, 0, U): 400,
            (1, 1, U): 100,
            (0, 0, U): 100,
            (0, 1, U): 100,
        }
    )
    target = Target(Quantity.RETRIEVAL_SUCCESS)
    outcomes = tabulate_outcomes(target, LabelCosts())
    options = (Option(SILENT, Package.RETRIEVAL), Option(FRESH, Package.RETRIEVAL))
    information = find_information(target, outcomes, options, _posteriors(counts))
    design = find_design(information, counts[None], np.array([10_000.0]), is_finite=False)
    silent, answered = design.items[0]
    wanted = 0.4 * np.sqrt(0.2 * 0.8) / (0.6 * np.sqrt(0.5 * 0.5))
    # Labels already there count too: 500 and 200 of them.
    assert (silent + 500) / (answered + 200) == pytest.approx(wanted, rel=0.06)
    assert silent + answered == pytest.approx(10_000, rel=1e-6)


def test_a_label_of_a_rate_is_worth_what_conjugacy_says() -> None:
    # Of Beta(α, β), one more Bernoulli label takes Var · 1/(α+β+1) away, on average.
    counts = counts_of({(1, U, U): 10, (0, 1, U): 30, (0, 1, 1): 12, (0, 1, 0): 5})
    target = Target(Quantity.CORRECT_GIVEN_RETRIEVAL)
    outcomes = tabulate_outcomes(target, LabelCosts())
    option = (Option(state_of(0, 1, U), Package.TASK),)
    scores = score_options(target, outcomes, option, counts[None], _posteriors(counts, 200_000))
    alpha, beta = 13, 6
    variance = alpha * beta / ((alpha + beta) ** 2 * (alpha + beta + 1))
    assert scores.variance_drop[0, 0] == pytest.approx(variance / (alpha + beta + 1), rel=0.03)
    assert scores.cost[0, 0] == 1


@pytest.mark.parametrize("label", [Label.RETRIEVAL, Label.TASK])
def test_the_expected_fall_of_the_variance_is_that_of_fits_of_every_outcome(label: Label) -> None:
    counts = counts_of(
        {(1, 0, U): 9, (1, 1, U): 2, (0, U, U): 30, (0, 1, 1): 7, (0, 1, 0): 3, (0, 0, 0): 4}
    )
    outcomes = tabulate_outcomes(Target(), LabelCosts())
    package = Package.RETRIEVAL if label == Label.RETRIEVAL else Package.TASK
    option = (Option(FRESH, package),)
    scores = score_options(Target(), outcomes, option, counts[None], _posteriors(counts, 400_000))
    now = _adherence(counts)
    cells = np.stack(cell_probabilities(fit_exact(2, table_of(counts), UNIFORM, 400_000).rates))
    answered = cells[2:] / cells[2:].sum(axis=0)
    after = 0.0
    for end in {observe(FRESH, cell, label) for cell in range(2, 6)}:
        same = [cell for cell in range(2, 6) if observe(FRESH, cell, label) == end]
        chance = answered[[cell - 2 for cell in same]].sum(axis=0).mean()
        moved = counts.copy()
        moved[FRESH] -= 1
        moved[end] += 1
        after += chance * _adherence(moved).var()
    assert scores.variance_drop[0, 0] == pytest.approx(now.var() - after, rel=0.08)


def _adherence(counts: Integers) -> Array:
    return quantities(fit_exact(4, table_of(counts), UNIFORM, 1_000_000).rates).policy_adherence


def test_the_information_of_a_coin_is_one_bit() -> None:
    # One label of τ₁ where τ₁ is 0 or 1 for certain, either with probability ½.
    half, sure = np.full((1, 2), 0.5), np.array([[1e-12, 1 - 1e-12]])
    rates = Rates(half, half, half, half, sure)
    posteriors = Posteriors(rates, np.full((1, 2), 0.5))
    outcomes = tabulate_outcomes(Target(), LabelCosts())
    option = (Option(state_of(0, 1, U), Package.TASK),)
    scores = score_options(Target(), outcomes, option, PILOT[None], posteriors)
    assert scores.information_gain[0, 0] == pytest.approx(1, abs=1e-6)


def test_three_of_four_cases_are_settled_by_retrieval_alone() -> None:
    # The paper: R alone settles adherence unless the answer came after good retrieval.
    cells = np.array([0.2, 0.05, 0.1, 0.1, 0.15, 0.4])
    rows = find_label_worths(Target(), cells)
    found = {(row.abstained, row.package): row for row in rows}
    assert found[1, Package.RETRIEVAL].share_settled == 1
    assert found[0, Package.RETRIEVAL].share_settled == pytest.approx(0.2 / 0.75)
    assert found[0, Package.TASK].share_settled == pytest.approx(0.25 / 0.75)
    assert found[0, Package.BOTH].share_settled == 1
    # Both labels carry all that there is: H(.4/.75).
    share = 0.4 / 0.75
    entropy = -share * np.log2(share) - (1 - share) * np.log2(1 - share)
    assert found[0, Package.BOTH].bits == pytest.approx(entropy)
    # T alone: H − P(T=1)·H(.8), P(T=1) = .5/.75
    left = 0.5 / 0.75 * (-0.8 * np.log2(0.8) - 0.2 * np.log2(0.2))
    assert found[0, Package.TASK].bits == pytest.approx(entropy - left)
    truthful = find_label_worths(Target(policy=POLICY_PRESETS["truthfulness"]), cells)
    assert truthful[2].share_settled == 1


def test_following_the_next_label_stops_at_the_goal_and_covers_the_truth() -> None:
    setting = Setting(Target(), LabelCosts(), UNIFORM, seed=3, num_draws=400)
    studies = simulate_truths(setting, PILOT, 40)
    journey = travel(setting, studies, follow_next, Goal(half_width=0.09, limit=400, step=8))
    assert (journey.half_width <= 0.09).all()
    assert journey.labels.mean() < 150
    assert np.array_equal(journey.labels, journey.cost)
    # 40 studies at 95 %: fewer than 33 covered has probability 1e-4.
    assert journey.is_covered.sum() >= 33
