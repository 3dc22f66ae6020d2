"""Replays: what a masking hides and keeps, what truth it is held against, what plans promise."""

import numpy as np
import pytest

from model.allocation.packages import LabelCosts
from model.allocation.replay import mask, predict, replay, studies_of_file, studies_of_truth
from model.allocation.simulate import Setting
from model.allocation.states import NUM_CELLS, OPEN_CELLS
from model.allocation.strategies import StrategyName
from model.allocation.targets import Population, Target
from model.errors import ModelError
from model.rat.cells import CELL_ABSTAINED, CELL_RETRIEVAL, CELL_TASK
from model.rat.derived import Rates, cell_probabilities
from model.rat.priors import get_priors

CELLS = np.array([40, 5, 30, 10, 25, 90])
PILOT = 20
ADHERES = np.where(
    CELL_ABSTAINED == 1, CELL_RETRIEVAL == 0, (CELL_RETRIEVAL == 1) & (CELL_TASK == 1)
)
IS_KNOWN = OPEN_CELLS.sum(axis=1) == 1
SETTING = Setting(Target(), LabelCosts(), get_priors("uniform"), 3, num_draws=400)
TRUTH = Rates(*(np.asarray(rate) for rate in (0.5, 0.6, 0.1, 0.2, 0.8)))


def test_a_masking_keeps_every_item_and_knows_the_pilot_alone() -> None:
    hidden = mask(np.random.default_rng(1), CELLS, PILOT, 50)
    assert (hidden.sum(axis=1) == CELLS).all()
    assert (hidden[:, IS_KNOWN].sum(axis=(1, 2)) == PILOT).all()
    # Each item stands in a state that leaves its own cell open.
    assert not hidden[:, ~OPEN_CELLS].any()
    # A is known of all; refusals and answers wait in two states, nothing is half-labelled.
    assert (hidden.sum(axis=(0, 2)) > 0).sum() == NUM_CELLS + 2


def test_pilots_are_drawn_evenly_from_all_items() -> None:
    hidden = mask(np.random.default_rng(2), CELLS, PILOT, 4000)
    pilots = hidden[:, IS_KNOWN].sum(axis=1)
    share, number = CELLS / CELLS.sum(), CELLS.sum()
    # Hypergeometric: mean n p, variance n p (1 - p) (N - n) / (N - 1).
    variance = PILOT * share * (1 - share) * (number - PILOT) / (number - 1)
    error = np.sqrt(variance / 4000)
    assert (np.abs(pilots.mean(axis=0) - PILOT * share) < 4.5 * error).all()
    assert pilots.var(axis=0) == pytest.approx(variance, rel=0.12)


@pytest.mark.parametrize("pilot", [-1, 201])
def test_a_pilot_that_is_not_there_is_refused(pilot: int) -> None:
    with pytest.raises(ModelError, match=rf"pilot of {pilot} items .* there are 200"):
        mask(np.random.default_rng(1), CELLS, pilot, 3)


@pytest.mark.parametrize("population", list(Population))
def test_a_file_is_held_against_the_share_of_all_its_items(population: Population) -> None:
    setting = SETTING._replace(target=Target(population=population))
    studies = studies_of_file(setting, CELLS, PILOT, 5)
    assert studies.true_value == pytest.approx(CELLS[ADHERES].sum() / CELLS.sum())


def test_a_typed_truth_is_held_against_its_rates_and_drawn_from_them() -> None:
    studies = studies_of_truth(SETTING, TRUTH, 500, PILOT, 400)
    # (1 - ρ) α₀ + ρ (1 - α₁) τ₁ = .3 + .36
    assert studies.true_value == pytest.approx(0.66)
    shares = studies.hidden.sum(axis=(0, 1)) / (400 * 500)
    assert shares == pytest.approx(np.stack(cell_probabilities(TRUTH)), abs=0.005)


def test_with_every_label_bought_this_test_set_is_known_exactly() -> None:
    setting = SETTING._replace(target=Target(population=Population.TEST_SET))
    studies = studies_of_file(setting, CELLS, PILOT, 6)
    found = replay(setting, studies, StrategyName.BOTH, 400.0)
    assert (found.half_width, found.abs_error, found.sd) == pytest.approx((0, 0, 0), abs=1e-12)
    assert found.coverage == 1
    # 180 items wait; the answers among them, 139.5 expected, have a task to label as well.
    assert found.retrieval_labels == 180
    waiting = 180 * CELLS[CELL_ABSTAINED == 0].sum() / CELLS.sum()
    assert found.task_labels == pytest.approx(waiting, abs=5)
    assert found.cost == pytest.approx(found.retrieval_labels + found.task_labels)
    assert np.isnan(found.predicted_half_width)


def test_predictions_start_from_what_the_pilot_shows_and_nothing_more() -> None:
    studies = studies_of_file(SETTING, CELLS, PILOT, 4)
    predicted = predict(SETTING, studies, 5)
    known = np.repeat(studies.hidden.sum(axis=2), 5, axis=0)
    assert (predicted.hidden.sum(axis=2) == known).all()
    # What waits is drawn from the posterior: it differs between the five, and from the file.
    assert len(np.unique(predicted.hidden[:5].sum(axis=1), axis=0)) == 5


def test_plans_promise_the_width_that_comes_out_and_a_wrong_pilot_does_not() -> None:
    studies = studies_of_file(SETTING, CELLS, 40, 60)
    predicted = predict(SETTING, studies, 8)
    kept = replay(SETTING, studies, StrategyName.TASK_FIRST, 60.0, predicted)
    assert kept.half_width == pytest.approx(kept.predicted_half_width, rel=0.05)
    elsewhere = studies_of_file(SETTING, np.array([100, 0, 0, 0, 0, 100]), 40, 60)
    broken = replay(SETTING, studies, StrategyName.TASK_FIRST, 60.0, predict(SETTING, elsewhere, 8))
    assert broken.half_width > 1.2 * broken.predicted_half_width


def test_the_same_seed_gives_the_same_replay() -> None:
    found = [
        replay(SETTING, studies_of_truth(SETTING, TRUTH, 200, PILOT, 8), StrategyName.OPTIMAL, 30.0)
        for _ in range(2)
    ]
    assert found[0]._replace(predicted_half_width=0) == found[1]._replace(predicted_half_width=0)
