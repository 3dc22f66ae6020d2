"""Both engines are calibrated under every mask, and the check can fail."""

import pytest

from benchmarks.proof_sbc import BROKEN, NUM_ITEMS, SEED, UNIFORM, fit_by_nuts, fit_exactly
from benchmarks.sbc import MASKS, Study, calibrate

EXACT_SIMULATIONS = 300
NUTS_SIMULATIONS = 24

pytestmark = pytest.mark.usefixtures("kept_programs")


@pytest.mark.parametrize("mask", MASKS)
def test_exact_posteriors_are_calibrated(mask: str) -> None:
    study = Study(EXACT_SIMULATIONS, NUM_ITEMS, UNIFORM, MASKS[mask])
    assert calibrate(SEED, study, fit_exactly, UNIFORM).is_calibrated


def test_calibration_fails_when_another_prior_is_fitted() -> None:
    study = Study(EXACT_SIMULATIONS, NUM_ITEMS, UNIFORM, MASKS["mixed"])
    assert not calibrate(SEED, study, fit_exactly, BROKEN).is_calibrated


def test_nuts_posteriors_are_calibrated() -> None:
    study = Study(NUTS_SIMULATIONS, NUM_ITEMS, UNIFORM, MASKS["task_first (adaptive)"])
    assert calibrate(SEED, study, fit_by_nuts, UNIFORM).is_calibrated
