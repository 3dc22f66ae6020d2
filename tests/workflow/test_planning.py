"""The plan as a document: how it grows, what it says, what it warns of."""

import pytest

from model.allocation.packages import LabelCosts
from model.allocation.states import table_of
from model.allocation.strategies import StrategyName
from model.rat.policy import get_policy
from model.rat.priors import get_priors
from tests.model.allocation.studies import PILOT, U, counts_of
from workflow.planning import PlanRequest, plan, plan_steps, to_wish
from workflow.reports import FitSettings

SETTINGS = FitSettings(get_policy("rat"), get_priors("uniform"), 0.95)
REQUEST = PlanRequest(budget=120.0, replicates=20, num_budgets=2, num_draws=200)
CONTRACT = {
    "system",
    "target",
    "now",
    "budget",
    "strategies",
    "best",
    "curve",
    "labels_until",
    "replicates",
    "seconds",
}


def test_the_document_grows_strategy_by_strategy() -> None:
    steps = list(plan_steps(table_of(PILOT), SETTINGS, REQUEST, "S"))
    assert [len(step["strategies"]) for step in steps] == [*range(9), 8]
    assert [step["is_complete"] for step in steps] == [False] * 9 + [True]
    last = steps[-1]
    assert last.keys() >= CONTRACT
    assert [row["name"] for row in last["strategies"]] == list(StrategyName)
    assert len(last["curve"]) == 8 * 3
    assert last["best"] in {"optimal", "settle", "task_first", "retrieval_first"}
    best = next(row for row in last["strategies"] if row["name"] == last["best"])
    assert best["expected_half_width"] == min(
        row["expected_half_width"] for row in last["strategies"]
    )
    assert f"±{100 * best['expected_half_width']:.1f} points" in last["sentence"]
    assert last["notes"] == []


def test_a_wanted_precision_is_answered_with_labels_money_and_who_misses_it() -> None:
    request = REQUEST._replace(budget=None, half_width=0.07, num_budgets=4)
    document = plan(table_of(PILOT), SETTINGS, request, "S")
    until = {row["strategy"]: row for row in document["labels_until"]}
    best = until[document["best"]]
    assert best["cost"] == min(row["cost"] for row in until.values() if row["cost"] is not None)
    assert f"{best['labels']:.0f} labels" in document["sentence"]
    assert "to ±7.0 points" in document["sentence"]
    assert until["all_retrieval"]["cost"] is None
    assert "Retrieval only (All-R)" in document["sentence"].split(";")[1]


def test_a_file_without_joint_labels_is_told_what_they_are_worth() -> None:
    nothing = counts_of({(1, U, U): 150, (0, U, U): 250, (0, 1, U): 20, (0, U, 1): 20})
    notes = plan(table_of(nothing), SETTINGS, REQUEST, "S")["notes"]
    assert "Retrieval labels alone cannot show" in notes[0]
    before, after = (float(part.split(" ")[0]) for part in notes[1].split("±")[1:])
    assert after < before


def test_votes_multiply_the_price_and_shared_contexts_divide_it() -> None:
    request = PlanRequest(LabelCosts(3, 2, 1), budget=9, votes=2, systems_sharing=3, replicates=20)
    assert to_wish(request, SETTINGS).costs == LabelCosts(2, 4, 2)


def test_what_labels_settle_is_said_for_refusals_and_answers() -> None:
    worth = plan(table_of(PILOT), SETTINGS, REQUEST, "S")["worth"]
    assert [(row["abstained"], row["labels"]) for row in worth] == [
        (1, "retrieval"),
        (0, "retrieval"),
        (0, "task"),
        (0, "both"),
    ]
    assert worth[0]["share_settled"] == worth[3]["share_settled"] == 1
    assert worth[1]["bits"] + worth[2]["bits"] > worth[3]["bits"] > worth[1]["bits"]
    assert worth[3]["bits"] == pytest.approx(1, abs=0.1)
