"""A plan as the JSON document of `ratchet plan`: strategies compared, in words and numbers.

It grows strategy by strategy, so that a screen shows the first lines while the rest is computed.
The names and nesting are a contract with scripts; what is added never changes what is there.
"""

import time
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from model.allocation.packages import LabelCosts, Package
from model.allocation.plan import Curve, PlanWish, Reach, Start, draw_curve, find_best, find_reach
from model.allocation.plan import start_plan as start_plan
from model.allocation.strategies import StrategyName
from model.allocation.targets import Population, Target
from model.allocation.worth import find_label_worths
from model.rat.cells import Array
from model.rat.counts import CountTable
from model.rat.derived import Quantity, cell_probabilities
from model.rat.exact import fit_exact
from workflow.executor import spread
from workflow.plan_words import answer_in_words, list_notes
from workflow.recommending import price_list
from workflow.reports import FitSettings
from workflow.words import LABELS_OF

POSTERIOR_DRAWS = 4000
# All of these are shown in this order; the first ones are cheap and come first.
ORDER = tuple(StrategyName)


class PlanRequest(NamedTuple):
    """What a lead asks for; costs are for one vote, of which every label wants `votes`.

    `systems_sharing`: of how many systems a retrieval label is the label, on average.
    `against`: another system, from which the difference is wanted.
    """

    costs: LabelCosts = LabelCosts()
    quantity: Quantity = Quantity.POLICY_ADHERENCE
    population: Population = Population.FUTURE
    budget: float | None = None
    half_width: float | None = None
    votes: int = 1
    systems_sharing: float = 1.0
    against: str | None = None
    replicates: int = 200
    num_budgets: int = 8
    num_draws: int = 1000
    seed: int = 0


def to_wish(request: PlanRequest, settings: FitSettings) -> PlanWish:
    """The same in the words of the model: the price of a label is that of all its votes.

    A retrieval label of a context that several systems share is paid once for all of them.
    """
    retrieval, task, after = (cost * request.votes for cost in request.costs)
    return PlanWish(
        Target(request.quantity, settings.policy, request.population, settings.interval or 0.95),
        LabelCosts(retrieval / request.systems_sharing, task, after),
        settings.priors,
        request.budget,
        request.half_width,
        request.replicates,
        request.num_budgets,
        request.num_draws,
        request.seed,
    )


class Against(NamedTuple):
    """Another system, from which the first one's difference is wanted."""

    system: str
    table: CountTable


def plan_steps(
    table: CountTable,
    settings: FitSettings,
    request: PlanRequest,
    system: str,
    against: Against | None = None,
) -> Iterator[dict[str, Any]]:
    """Yield the document as it grows, first without a strategy; the last one is whole.

    Args:
        table: the counts of one system.
        settings: policy, priors and interval of the study.
        request: what is asked for.
        system: its name.
        against: another system; then the plan is for the difference of both.

    Raises:
        ModelError: a cost or a budget is no good, the half-width cannot be reached, or no label
            informs the target.
        RatchetError: the Dask cluster that is named does not answer.
    """
    began = time.monotonic()
    wish = to_wish(request, settings)
    start = start_plan(table, wish, against.table if against is not None else None)
    document = _first(table, wish, start, system, against)
    yield document
    curves: list[Curve] = []
    for curve in spread(partial(draw_curve, start), ORDER):
        curves.append(curve)
        document = _with_curves(document, curves, request, start)
        document["seconds"] = round(time.monotonic() - began, 2)
        yield document
    yield document | {
        "notes": list_notes(table, start),
        "is_complete": True,
        "seconds": round(time.monotonic() - began, 2),
    }


def plan(
    table: CountTable,
    settings: FitSettings,
    request: PlanRequest,
    system: str,
    against: Against | None = None,
) -> dict[str, Any]:
    """The whole document at once; raises as `plan_steps` does."""
    *_, document = plan_steps(table, settings, request, system, against)
    return document


def _first(
    table: CountTable, wish: PlanWish, start: Start, system: str, against: Against | None
) -> dict[str, Any]:
    """All that needs no simulation."""
    posterior = fit_exact(wish.seed, table, wish.priors, POSTERIOR_DRAWS)
    cells: Array = np.stack(cell_probabilities(posterior.rates)).mean(axis=1)
    return {
        "system": system,
        "target": wish.target.quantity,
        "population": wish.target.population,
        "interval": wish.target.interval,
        "costs": wish.costs._asdict(),
        "now": {"sd": _round(start.sd), "half_width": _round(start.half_width)},
        "budget": wish.budget,
        "half_width": wish.half_width,
        "max_cost": start.max_cost,
        "strategies": [],
        "best": None,
        "curve": [],
        "labels_until": [],
        "worth": _worth(wish.target, cells),
        "next": _next(wish, [(system, table), *([] if against is None else [against])]),
        "notes": [],
        "sentence": "",
        "replicates": wish.replicates,
        "seconds": 0.0,
        "is_complete": False,
    } | ({} if against is None else {"against": against.system})


def _next(wish: PlanWish, sides: Sequence[tuple[str, CountTable]]) -> list[dict[str, Any]]:
    """The price list, best first; of a difference, that of both systems.

    Variances of two systems add, so a drop of either is a drop of their difference.
    """
    rows = [
        {"system": system} | row
        for system, table in sides
        for row in price_list(table, wish.target, wish.costs, wish.priors, wish.seed)
    ]
    return sorted(rows, key=lambda row: -float(row["per_cost"]))


def _with_curves(
    document: dict[str, Any], curves: list[Curve], request: PlanRequest, start: Start
) -> dict[str, Any]:
    """The document with the strategies that are there."""
    best = find_best(curves)
    wanted = request.half_width or best.points[-1].half_width
    reaches = [find_reach(curve, wanted) for curve in curves]
    if request.half_width is not None:
        best = _cheapest(curves, reaches, best)
    return document | {
        "strategies": [_strategy(curve) for curve in curves],
        "best": best.name,
        "curve": [row for curve in curves for row in _rows(curve)],
        "labels_until": [_reach(reach) for reach in reaches],
        "sentence": answer_in_words(request.half_width, best, curves, reaches, start),
    }


def _cheapest(curves: list[Curve], reaches: list[Reach], otherwise: Curve) -> Curve:
    """The strategy that gets there for the least money."""
    there = [(reach.cost, number) for number, reach in enumerate(reaches) if reach.cost is not None]
    return curves[min(there)[1]] if there else otherwise


def _strategy(curve: Curve) -> dict[str, Any]:
    end = curve.points[-1]
    return {
        "name": curve.name,
        "expected_sd": _round(end.sd),
        "expected_half_width": _round(end.half_width),
        "expected_abs_error": None if end.abs_error is None else _round(end.abs_error),
        "coverage": None if end.coverage is None else _round(end.coverage),
        "mc_se": _round(end.mc_se, 6),
        "labels": {
            "retrieval": round(end.retrieval_labels, 1),
            "task": round(end.task_labels, 1),
        },
        "cost": round(end.cost, 2),
    }


def _rows(curve: Curve) -> list[dict[str, Any]]:
    return [
        {
            "strategy": curve.name,
            "cost": round(point.cost, 2),
            "expected_half_width": _round(point.half_width),
            "mc_se": _round(point.mc_se, 6),
        }
        for point in curve.points
    ]


def _reach(reach: Reach) -> dict[str, Any]:
    return {
        "strategy": reach.name,
        "half_width": _round(reach.half_width),
        "labels": None if reach.labels is None else round(reach.labels, 1),
        "cost": None if reach.cost is None else round(reach.cost, 2),
        "narrowest": _round(reach.narrowest),
    }


def _worth(target: Target, cells: Array) -> list[dict[str, Any]]:
    return [
        {
            "abstained": row.abstained,
            "labels": LABELS_OF[Package(row.package)],
            "share_settled": _round(row.share_settled),
            "bits": _round(row.bits),
        }
        for row in find_label_worths(target, cells)
    ]


def _round(value: float, digits: int = 5) -> float:
    return round(float(value), digits)
