"""Recommendations: their order, their words, and what they leave out."""

import pytest

from model.allocation.packages import LabelCosts
from model.allocation.states import Label, state_of, table_of
from model.allocation.targets import Population, Target
from model.errors import ModelError
from model.rat.derived import Quantity
from model.rat.priors import get_priors
from tests.model.allocation.studies import PILOT, U
from workflow.recommending import recommend

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
