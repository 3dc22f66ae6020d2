"""Agreement against published worked examples, its intervals, and what is undefined."""

from fractions import Fraction

import numpy as np
import pytest

from model.agreement import _MEASURES, _RESAMPLED, Measure, Ratings, measure_agreement

pytestmark = pytest.mark.behaviour(13)
NAN = float("nan")


def spread(table: list[list[int]]) -> Ratings:
    """Two raters from a contingency table."""
    pairs = [
        (row, column)
        for row, cells in enumerate(table)
        for column, count in enumerate(cells)
        for _ in range(count)
    ]
    return np.array(pairs, dtype=float)


def value(measure: Measure, ratings: Ratings) -> float:
    found = measure_agreement(measure, ratings).value
    assert found is not None
    return found


# Two abstractors, 100 patients, three diagnoses: Gwet, Handbook of Inter-Rater Reliability (2014),
# the data set cont3x3abstractors of irrCAC 1.0, whose manual prints the three values.
ABSTRACTORS = spread([[13, 0, 0], [0, 20, 7], [0, 4, 56]])


@pytest.mark.parametrize(
    ("measure", "published", "exact"),
    [
        # p_o = 89/100, p_e = (13·13 + 27·24 + 60·63)/100².
        (Measure.COHEN_KAPPA, 0.7964094, (Fraction(89, 100) - Fraction(4597, 10**4))
         / (1 - Fraction(4597, 10**4))),
        # π = .13, .255, .615; p_e = Σ π(1 − π)/2 = .269925.
        (Measure.GWET_AC1, 0.8493305, (Fraction(89, 100) - Fraction(269925, 10**6))
         / (1 - Fraction(269925, 10**6))),
        # Squared distances: observed 11/100 of 1; the margins give 13·24 + 4·13·63 + 27·13 + 27·63
        # + 4·60·13 + 60·24 = 10,200 of 100².
        (Measure.WEIGHTED_KAPPA, 0.8921569, 1 - Fraction(1100, 10200)),
        (Measure.RAW, 0.89, Fraction(89, 100)),
    ],
)  # fmt: skip
def test_two_abstractors(measure: Measure, published: float, exact: Fraction) -> None:
    assert value(measure, ABSTRACTORS) == pytest.approx(published, abs=1e-6)
    assert value(measure, ABSTRACTORS) == pytest.approx(float(exact), abs=1e-12)


# Krippendorff, Computing Krippendorff's Alpha-Reliability (2011), example C: four observers, twelve
# units, missing values; and the same data as cac.raw4raters of irrCAC, which prints AC1 and alpha.
OBSERVERS = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
        [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
    ]
).T


@pytest.mark.parametrize(
    ("measure", "published"),
    [(Measure.KRIPPENDORFF_ALPHA, 0.743421), (Measure.GWET_AC1, 0.775444), (Measure.RAW, 0.818182)],
)
def test_four_observers_with_missing_votes(measure: Measure, published: float) -> None:
    assert value(measure, OBSERVERS) == pytest.approx(published, abs=1e-6)


def test_two_observers_of_binary_data() -> None:
    # The same paper, example A: 4 of 10 units differ, 14 zeros and 6 ones: 1 − 19·4/(14·6) = 2/21.
    meg = [0, 1, 0, 0, 0, 0, 0, 0, 1, 0]
    owen = [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]
    ratings = np.array([meg, owen], dtype=float).T
    found = value(Measure.KRIPPENDORFF_ALPHA, ratings)
    assert found == pytest.approx(2 / 21, abs=1e-12)
    assert round(found, 3) == 0.095


@pytest.mark.parametrize("measure", list(Measure))
@pytest.mark.parametrize("seed", range(5))
def test_what_is_resampled_is_what_the_libraries_compute(measure: Measure, seed: int) -> None:
    rng = np.random.default_rng(seed)
    ratings = rng.integers(0, 3, (40, 2)).astype(float)
    own = _RESAMPLED[measure](ratings, np.ones((1, 40)))[0]
    assert own == pytest.approx(_MEASURES[measure](ratings), abs=1e-12)


@pytest.mark.parametrize("measure", [m for m in Measure if m != Measure.RAW])
def test_votes_without_variation_are_explained(measure: Measure) -> None:
    found = measure_agreement(measure, np.ones((7, 2)))
    assert found.value is None
    assert found.why == "undefined: no variation (raw agreement 100 %, n=7)"
    assert measure_agreement(Measure.RAW, np.ones((7, 2))).value == 1.0


@pytest.mark.parametrize("measure", list(Measure))
@pytest.mark.parametrize(
    "ratings", [np.zeros((0, 2)), np.ones((4, 1)), np.array([[1, NAN], [NAN, 0]])]
)
def test_without_a_second_vote_nothing_is_claimed(measure: Measure, ratings: Ratings) -> None:
    found = measure_agreement(measure, ratings)
    assert found.value is None
    assert found.why == "undefined: no item has the votes of two people"


def test_kappa_of_three_people_is_refused_in_words() -> None:
    found = measure_agreement(Measure.COHEN_KAPPA, np.array([[0, 1, 1], [1, 1, 0.0]]))
    assert found.why == "undefined: it compares two people, and there are 3"


def test_few_items_give_a_value_without_interval() -> None:
    found = measure_agreement(Measure.COHEN_KAPPA, np.array([[0, 1], [1, 1.0], [1, 1]]))
    assert found.value is not None
    assert (found.lower, found.upper) == (None, None)


def test_the_interval_of_kappa_agrees_with_its_standard_error() -> None:
    # irrCAC prints the standard error .0589107 (Fleiss, Cohen and Everitt 1969): ± 1.96 of it.
    found = measure_agreement(Measure.COHEN_KAPPA, ABSTRACTORS)
    assert found.lower is not None
    assert found.upper is not None
    assert (found.upper - found.lower) / 2 == pytest.approx(1.96 * 0.0589107, rel=0.1)
    assert found.lower < found.value < found.upper  # type: ignore[operator]


def test_the_order_of_people_and_items_changes_nothing() -> None:
    for measure in (Measure.KRIPPENDORFF_ALPHA, Measure.GWET_AC1, Measure.RAW):
        assert value(measure, OBSERVERS[::-1, ::-1]) == pytest.approx(value(measure, OBSERVERS))
