"""What each strategy asks now: its own labels, in its own order, and what follows on an item."""

import pandas as pd
import pytest

from model.allocation.packages import LabelCosts
from model.allocation.states import UNOBSERVED, Label, state_of
from model.allocation.strategies import StrategyName
from model.allocation.targets import Target
from model.rat.counts import CountTable, tabulate
from model.rat.priors import PRIOR_PRESETS
from workflow.ranking import BY_WORTH, Ranked, rank_questions
from workflow.recommending import recommend

TARGET, COSTS = Target(), LabelCosts()
FRESH = state_of(0, UNOBSERVED, UNOBSERVED)
REFUSAL = state_of(1, UNOBSERVED, UNOBSERVED)
FOUND = state_of(0, 1, UNOBSERVED)
RIGHT, WRONG = state_of(0, UNOBSERVED, 1), state_of(0, UNOBSERVED, 0)


def table() -> CountTable:
    """Refusals and answers without labels, with one of them, and with both."""
    rows = [
        (1, None, None, 30),
        (0, None, None, 60),
        (0, 1, None, 4),
        (0, None, 1, 5),
        (0, 1, 1, 6),
        (0, 1, 0, 3),
        (0, 0, 0, 4),
    ]
    frame = pd.DataFrame(rows, columns=["abstained", "retrieval", "task", "count"])
    return tabulate(frame.astype({"abstained": "Int8", "retrieval": "Int8", "task": "Int8"}))


def ranked(strategy: StrategyName) -> list[Ranked]:
    found = recommend(table(), TARGET, COSTS, PRIOR_PRESETS["uniform"])
    return rank_questions(strategy, TARGET, COSTS, found)


@pytest.mark.parametrize(
    ("strategy", "labels"),
    [
        (StrategyName.ALL_RETRIEVAL, {Label.RETRIEVAL}),
        (StrategyName.ALL_TASK, {Label.TASK}),
        (StrategyName.MIXED, {Label.RETRIEVAL, Label.TASK}),
    ],
)
def test_a_strategy_asks_its_own_labels_only(strategy: StrategyName, labels: set[Label]) -> None:
    assert {row.label for row in ranked(strategy)} == labels


def test_task_first_asks_retrieval_after_a_right_answer_and_nothing_after_a_wrong_one() -> None:
    fresh = next(row for row in ranked(StrategyName.TASK_FIRST) if row.state == FRESH)
    assert fresh.label == Label.TASK
    assert fresh.then == ((RIGHT, Label.RETRIEVAL),)
    assert WRONG not in dict(fresh.then)


def test_both_completes_an_item_whatever_the_first_label_said() -> None:
    fresh = next(row for row in ranked(StrategyName.BOTH) if row.state == FRESH)
    assert {label for _, label in fresh.then} == {Label.TASK}
    assert len(fresh.then) == 2


def test_a_refusal_has_retrieval_to_ask_and_nothing_after_it() -> None:
    for strategy in (StrategyName.BOTH, StrategyName.TASK_FIRST, StrategyName.OPTIMAL):
        row = next(row for row in ranked(strategy) if row.state == REFUSAL)
        assert (row.label, row.then) == (Label.RETRIEVAL, ())


def test_what_was_begun_comes_first_where_a_strategy_completes_items() -> None:
    rows = ranked(StrategyName.RETRIEVAL_FIRST)
    ranks = {row.state: row.rank for row in rows}
    assert ranks[FOUND] < ranks[FRESH] == ranks[REFUSAL]


@pytest.mark.parametrize("strategy", sorted(BY_WORTH))
def test_the_others_take_what_is_worth_most_for_its_price(strategy: StrategyName) -> None:
    rows = ranked(strategy)
    scores = [row.score for row in rows]
    assert scores == sorted(scores, reverse=True)
    assert len({row.rank for row in rows}) == len(rows)
    assert len({(row.state, row.label) for row in rows}) == len(rows)


def test_the_optimal_mix_begins_with_the_best_of_all_that_can_be_bought() -> None:
    best = recommend(table(), TARGET, COSTS, PRIOR_PRESETS["uniform"])[0]
    first = ranked(StrategyName.OPTIMAL)[0]
    assert (first.state, first.label, first.score) == (best.state, best.label, best.per_cost)
