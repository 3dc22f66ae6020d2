"""Which item is asked next: every item once, audits at their share, probabilities that are true."""

from collections import Counter

import numpy as np
import pytest

from model.allocation.states import Label, state_of
from tests.model.allocation.studies import U
from workflow.choosing import Choice, Pool, choose
from workflow.recommending import Recommendation

FRESH, REFUSED = state_of(0, U, U), state_of(1, U, U)


def row(state: int, label: Label, per_cost: float) -> Recommendation:
    return Recommendation(state, label, "words", 1.0, per_cost, per_cost, 0.1, "reason")


def pool(system: str, state: int, size: int, per_cost: float) -> Pool:
    task = [row(state, Label.TASK, per_cost)] if state == FRESH else []
    return Pool(system, state, size, (*task, row(state, Label.RETRIEVAL, per_cost / 2)))


BEST = pool("A", FRESH, 20, 4.0)
OTHER = pool("A", REFUSED, 30, 1.0)


def first(pools: list[Pool], audit_share: float, number: int) -> list[Choice]:
    rng = np.random.default_rng(5)
    return [next(choose(rng, pools, audit_share)) for _ in range(number)]


@pytest.mark.parametrize("audit_share", [0.0, 0.2, 1.0])
def test_every_item_is_asked_once_and_then_it_ends(audit_share: float) -> None:
    found = list(choose(np.random.default_rng(1), [BEST, OTHER], audit_share))
    items = {(choice.pool.state, choice.number) for choice in found}
    assert len(found) == len(items) == 50


def test_without_an_audit_the_best_state_is_used_up_first() -> None:
    found = list(choose(np.random.default_rng(1), [OTHER, BEST], 0.0))
    assert [choice.pool.state for choice in found] == [FRESH] * 20 + [REFUSED] * 30
    # 1/20, 1/19, … of the best state, then 1/30, 1/29, … of the other.
    expected = [1 / left for left in [*range(20, 0, -1), *range(30, 0, -1)]]
    assert [choice.probability for choice in found] == pytest.approx(expected)


def test_the_logged_probability_is_how_often_an_item_is_drawn() -> None:
    found = first([BEST, OTHER], 0.2, 20_000)
    drawn = Counter((choice.pool.state, choice.number) for choice in found)
    logged = {(choice.pool.state, choice.number): choice.probability for choice in found}
    # .2/50 + .8/20 for an item of the best state, .2/50 for another.
    assert set(np.round(list(logged.values()), 12)) == {0.044, 0.004}
    for item, probability in logged.items():
        error = np.sqrt(probability * (1 - probability) / 20_000)
        assert drawn[item] / 20_000 == pytest.approx(probability, abs=4.5 * error)
    assert np.mean([choice.is_audit for choice in found]) == pytest.approx(0.2, abs=0.012)


def test_weighting_by_the_probability_gives_back_the_share_of_all_items() -> None:
    found = first([BEST, OTHER], 0.2, 20_000)
    inverse = np.array([1 / choice.probability for choice in found])
    is_refusal = np.array([choice.pool.state == REFUSED for choice in found])
    assert inverse @ is_refusal / inverse.sum() == pytest.approx(0.6, abs=0.02)
    # The twin: plain counting says a fifth of 3/5.
    assert is_refusal.mean() == pytest.approx(0.12, abs=0.012)


def test_states_that_tie_share_the_choice_by_their_items() -> None:
    found = first([BEST, pool("B", FRESH, 60, 4.0), OTHER], 0.0, 4000)
    systems = Counter(choice.pool.system for choice in found)
    assert systems["B"] / 4000 == pytest.approx(0.75, abs=0.03)
    assert {choice.probability for choice in found} == {1 / 80}


def test_an_audit_is_paid_back_with_the_figures_of_the_label_it_asks() -> None:
    audits = [choice for choice in first([BEST, OTHER], 1.0, 200) if choice.pool.state == FRESH]
    assert {choice.row.label for choice in audits} == {Label.RETRIEVAL}
    assert {choice.row.label for choice in first([BEST, OTHER], 0.0, 10)} == {Label.TASK}
