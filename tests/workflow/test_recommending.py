"""Recommendations: their order and words, the audit, and the probabilities that are logged."""

import numpy as np
import pytest

from model.allocation.packages import LabelCosts
from model.allocation.states import Label, state_of, table_of
from model.allocation.targets import Population, Target
from model.errors import ModelError
from model.rat.derived import Quantity
from model.rat.priors import get_priors
from tests.model.allocation.studies import PILOT, U, counts_of
from workflow.recommending import open_states, recommend, selection_probability

UNIFORM = get_priors("uniform")


def test_the_best_label_for_its_price_comes_first() -> None:
    rows = recommend(table_of(PILOT), Target(), LabelCosts(), UNIFORM)
    assert [row.per_cost for row in rows] == sorted((row.per_cost for row in rows), reverse=True)
    assert all(row.per_cost == pytest.approx(row.variance_drop / row.cost) for row in rows)
    dear = recommend(table_of(PILOT), Target(), LabelCosts(task=50.0), UNIFORM)
    assert rows[0].label == Label.TASK
    assert dear[0].label == Label.RETRIEVAL
    assert "% of the remaining uncertainty" in rows[0].reason


def test_only_what_the_target_needs_is_recommended() -> None:
    target = Target(Quantity.CORRECT_GIVEN_RETRIEVAL, population=Population.FUTURE)
    best = recommend(table_of(PILOT), target, LabelCosts(), UNIFORM)[0]
    assert best.state == state_of(0, U, U)
    with pytest.raises(ModelError, match="No label informs abstention"):
        recommend(table_of(PILOT), Target(Quantity.ABSTENTION), LabelCosts(), UNIFORM)


def test_probabilities_of_all_items_add_up_to_one() -> None:
    target = Target()
    best = recommend(table_of(PILOT), target, LabelCosts(), UNIFORM)[0].state
    states = open_states(target, PILOT)
    for share in (0.0, 0.2, 0.7):
        total = sum(
            PILOT[state] * selection_probability(target, PILOT, state, best, share)
            for state in states
        )
        assert total == pytest.approx(1)


def test_weighting_by_the_logged_probability_gives_back_the_share_of_all_items() -> None:
    # Items of the best state are drawn more often; one over the probability puts that right.
    target = Target()
    counts = counts_of({(1, U, U): 300, (0, U, U): 700, (0, 1, 1): 10})
    best = state_of(0, U, U)
    states = open_states(target, counts)
    rng = np.random.default_rng(7)
    is_audit = rng.random(20_000) < 0.2
    weights = counts[states] / counts[states].sum()
    drawn = np.where(is_audit, rng.choice(states, 20_000, p=weights), best)
    probabilities = {
        state: selection_probability(target, counts, state, best, 0.2) for state in states
    }
    inverse = np.array([1 / probabilities[state] for state in drawn])
    is_refusal = drawn == state_of(1, U, U)
    assert np.mean(is_refusal) < 0.1
    assert (inverse * is_refusal).sum() / inverse.sum() == pytest.approx(0.3, abs=0.02)
