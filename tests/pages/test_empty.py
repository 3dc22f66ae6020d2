"""Every reason for an empty desk has its words, and a budget its numbers."""

from db.budgets import Budgets, Spending
from pages.desk.empty import TEXTS, describe_budgets
from workflow.labelling import Empty, EmptyReason


def test_every_reason_has_words() -> None:
    assert set(TEXTS) == set(EmptyReason)


def test_a_spent_budget_is_told_with_what_is_given_and_held() -> None:
    empty = Empty(EmptyReason.BUDGET_SPENT, None, Spending(7, 2, 1, 0), Budgets(8, None, 12))
    assert describe_budgets(empty) == (
        "7 of 8 retrieval labels are given and 1 in people's hands;"
        " 9 of 12 labels in all are given and 1 in people's hands."
        " The lead can raise it on the Studies screen."
    )
