"""States, packages, pool and spending: single items, counted by hand."""

import numpy as np
import pytest

from model.allocation.packages import LabelCosts, Package, check_costs, tabulate_outcomes
from model.allocation.pool import draw_upcoming, hide
from model.allocation.spending import Assignment, spend
from model.allocation.states import (
    NUM_STATES,
    OPEN_CELLS,
    Label,
    can_ask,
    count_states,
    observe,
    state_of,
    table_of,
    tallies,
)
from model.allocation.targets import Target, find_settled
from model.errors import ModelError
from model.rat.cells import Array, SixCells
from model.rat.derived import Quantity, Rates
from model.rat.policy import POLICY_PRESETS
from model.rat.tally import tally
from tests.model.allocation.studies import APART, PILOT, U, counts_of

FRESH, SILENT = state_of(0, U, U), state_of(1, U, U)
RIGHT, WRONG = state_of(0, U, 1), state_of(0, U, 0)
CELL = SixCells(*range(6))
TRUTH = Rates(*(np.array([share]) for share in (0.6, 0.5, 0.1, 0.2, 0.8)))


def test_there_are_fifteen_states_and_their_counts_survive_a_table() -> None:
    assert NUM_STATES == 15
    assert np.array_equal(count_states(table_of(APART)), APART)


def test_the_sufficient_counts_are_those_of_the_engines() -> None:
    counts = np.arange(15) + 1
    found = tallies(counts[None])
    wanted = tally(table_of(counts))
    assert [float(field[0]) for field in found] == list(wanted)


def test_a_task_label_is_asked_of_answers_only_and_nothing_twice() -> None:
    assert not can_ask(SILENT, Label.TASK)
    assert not can_ask(state_of(U, U, U), Label.TASK)
    assert not can_ask(RIGHT, Label.TASK)
    assert can_ask(RIGHT, Label.RETRIEVAL)
    assert observe(FRESH, CELL.failed_right, Label.TASK) == RIGHT
    assert observe(RIGHT, CELL.failed_right, Label.RETRIEVAL) == state_of(0, 0, 1)


def test_what_settles_adherence_is_what_the_paper_says() -> None:
    settled = find_settled(Target())
    assert settled[state_of(1, 0, U)]
    assert settled[WRONG]
    assert settled[state_of(0, 0, U)]
    assert not settled[RIGHT]
    assert not settled[state_of(0, 1, U)]
    assert not settled[FRESH]


def test_what_settles_depends_on_the_policy_and_the_quantity() -> None:
    # Right without support counts too: R no longer decides about an answer.
    credits = find_settled(Target(policy=POLICY_PRESETS["correct_or_silent"]))
    assert credits[RIGHT]
    assert not credits[state_of(0, 0, U)]
    truthful = find_settled(Target(policy=POLICY_PRESETS["truthfulness"]))
    assert truthful[SILENT]
    # τ₁ has its base in answers after good retrieval only.
    found = find_settled(Target(Quantity.CORRECT_GIVEN_RETRIEVAL))
    assert found[SILENT]
    assert found[state_of(0, 0, U)]
    assert not found[WRONG]


def test_task_first_stops_at_a_wrong_answer_and_goes_on_after_a_right_one() -> None:
    costs = LabelCosts(retrieval=3, task=2, task_after_retrieval=1)
    outcomes = tabulate_outcomes(Target(), costs)
    task_first = (Package.TASK_THEN_RETRIEVAL, FRESH)
    assert outcomes.cost[task_first][CELL.found_wrong] == 2
    assert outcomes.end_state[task_first][CELL.found_wrong] == WRONG
    assert outcomes.cost[task_first][CELL.failed_right] == 5
    assert outcomes.end_state[task_first][CELL.failed_right] == state_of(0, 0, 1)
    retrieval_first = (Package.RETRIEVAL_THEN_TASK, FRESH)
    assert outcomes.cost[retrieval_first][CELL.failed_right] == 3
    assert outcomes.cost[retrieval_first][CELL.found_wrong] == 4
    assert outcomes.cost[Package.BOTH, FRESH][CELL.failed_wrong] == 4
    # Half-labelled items pay for what is missing, at its own price.
    assert outcomes.cost[Package.BOTH, RIGHT][CELL.found_right] == 3
    assert outcomes.cost[Package.BOTH, state_of(0, 1, U)][CELL.found_right] == 2
    assert outcomes.cost[Package.TASK, SILENT].sum() == 0


@pytest.mark.parametrize("cost", [0.0, -1.0, float("nan"), float("inf")])
def test_a_cost_that_is_no_price_is_refused(cost: float) -> None:
    with pytest.raises(ModelError, match=r"task_after_retrieval.*above 0"):
        check_costs(LabelCosts(task_after_retrieval=cost))


def test_hidden_labels_agree_with_what_is_seen_and_with_the_truth() -> None:
    counts = np.repeat(PILOT[None], 400, axis=0)
    truth = Rates(*(np.full(400, rate[0]) for rate in TRUTH))
    hidden = hide(np.random.default_rng(1), counts, truth)
    assert np.array_equal(hidden.sum(axis=2), counts)
    assert not hidden[:, ~OPEN_CELLS].any()
    # P(R=1 | A=1) = .6·.1 / (.6·.1 + .4·.5) of 330 items, 400 times: sd of the mean below .002
    share = hidden[:, SILENT, CELL.found_abstained].mean() / 330
    assert share == pytest.approx(0.06 / 0.26, abs=0.006)


def test_items_come_without_replacement_and_in_a_random_order_of_all() -> None:
    rng = np.random.default_rng(2)
    counts = np.repeat(counts_of({(1, U, U): 3, (0, U, U): 9})[None], 4000, axis=0)
    hidden = hide(rng, counts, Rates(*(np.full(4000, rate[0]) for rate in TRUTH)))
    upcoming = draw_upcoming(rng, hidden, 100)
    for state in (SILENT, FRESH):
        columns = upcoming.state == state
        drawn = [(upcoming.cell[:, columns] == cell).sum(axis=1) for cell in range(6)]
        assert np.array_equal(np.stack(drawn, axis=1), hidden[:, state])
    first = upcoming.state[np.argmin(np.where(upcoming.exists, upcoming.place, 2), axis=1)]
    # 3 of 12 items are abstentions: the first of all is one in 1/4 of 4000 orders, ± .007
    assert np.mean(first == SILENT) == pytest.approx(0.25, abs=0.03)


def test_a_million_items_cost_no_more_to_draw_from_than_a_thousand() -> None:
    rng = np.random.default_rng(2)
    small, large = (
        hide(rng, counts_of({(0, U, U): size})[None], TRUTH) for size in (1_000, 1_000_000)
    )
    shapes = [draw_upcoming(rng, hidden, 50).cell.shape for hidden in (small, large)]
    assert shapes[0] == shapes[1] == (1, 50)


def _one_package(package: Package, num_studies: int) -> Assignment:
    shares: Array = np.zeros((num_studies, NUM_STATES, len(Package)))
    shares[:, :, package] = 1
    return Assignment(shares)


def test_money_is_spent_to_the_last_label_and_never_more() -> None:
    rng = np.random.default_rng(4)
    costs = LabelCosts(retrieval=3, task=2, task_after_retrieval=1)
    outcomes = tabulate_outcomes(Target(), costs)
    counts = np.repeat(PILOT[None], 200, axis=0)
    hidden = hide(rng, counts, Rates(*(np.full(200, rate[0]) for rate in TRUTH)))
    budgets = np.array([0.0, 1.0, 50.0, 101.0])
    upcoming = draw_upcoming(rng, hidden, 102)
    spent = spend(
        hidden, upcoming, _one_package(Package.TASK_THEN_RETRIEVAL, 200), outcomes, budgets
    )
    assert np.all(spent.cost <= budgets[:, None])
    assert np.all(spent.cost[2:] > budgets[2:, None] - 3)
    assert np.array_equal(spent.cost, 3 * spent.num_retrieval + 2 * spent.num_task)
    # Nothing is lost and no truth changes: only what is known of it.
    assert np.array_equal(spent.hidden.sum(axis=2), np.repeat(hidden.sum(axis=1)[None], 4, axis=0))
    assert (spent.hidden >= 0).all()
    known = spent.hidden[3].sum(axis=2) - counts
    assert known[:, [FRESH, SILENT]].max() <= 0


def test_a_sequential_rule_with_little_money_does_not_favour_cheap_outcomes() -> None:
    # With money for one label at a time, the share of right answers stays that of the pool.
    rng = np.random.default_rng(5)
    outcomes = tabulate_outcomes(Target(), LabelCosts())
    counts = np.repeat(counts_of({(0, U, U): 500})[None], 4000, axis=0)
    hidden = hide(rng, counts, Rates(*(np.full(4000, rate[0]) for rate in TRUTH)))
    upcoming = draw_upcoming(rng, hidden, 2)
    package = _one_package(Package.TASK_THEN_RETRIEVAL, 4000)
    spent = spend(hidden, upcoming, package, outcomes, np.array([1.0]))
    after = spent.hidden[0].sum(axis=2)
    # P(T=1 | A=0) = (.6·.9·.8 + .4·.5·.2) / (.6·.9 + .4·.5) = .638, ± .0076 over 4000 studies
    assert after[:, RIGHT].mean() == pytest.approx(0.472 / 0.74, abs=0.03)
    assert after[:, RIGHT].sum() + after[:, WRONG].sum() == 4000
