"""What `ratchet plan` and `simulate` do, in the words of the command line."""

import time
from typing import Any, NamedTuple

import numpy as np

from model.allocation.packages import LabelCosts, check_costs
from model.allocation.replay import studies_of_truth
from model.allocation.targets import Population
from model.rat.derived import Quantity, Rates
from model.rat.priors import get_priors
from workflow import planning, replaying
from workflow.commands import FitWish, read_policy, read_source
from workflow.errors import RatchetError
from workflow.planning import PlanRequest
from workflow.reports import FitSettings
from workflow.words import STRATEGY_WORDS

TRUTH_NAMES = "rho alpha0 alpha1 tau0 tau1"


class Offer(NamedTuple):
    """Prices and target, as typed."""

    costs: LabelCosts
    target: str
    population: str
    votes: int
    shared_by: float

    def request(self, **more: Any) -> PlanRequest:
        """The request of a plan.

        Raises:
            RatchetError: the target is no quantity, or the votes are none.
        """
        if self.target not in tuple(Quantity):
            raise RatchetError(
                f"--target is {self.target!r}; one of {', '.join(Quantity)} was expected."
            )
        if self.votes < 1 or not self.shared_by >= 1:
            raise RatchetError(
                f"--votes is {self.votes} and --shared-by {self.shared_by:g}; 1 or more was"
                " expected of each."
            )
        check_costs(self.costs)
        return PlanRequest(
            self.costs,
            Quantity(self.target),
            Population(self.population),
            votes=self.votes,
            systems_sharing=self.shared_by,
            **more,
        )


class SimulateWish(NamedTuple):
    """Arguments of `simulate` beside the source and the prices."""

    truth: str | None
    items: int
    pilot: int
    budget: float
    replicates: int
    seed: int = 0
    prior: str = "uniform"
    policy: str = "rat"


def plan(
    source: FitWish, offer: Offer, ends: PlanRequest, against: str | None = None
) -> dict[str, Any]:
    """The document of `ratchet plan`; several systems come under "plans".

    With `against` it is the plan for the difference of two systems.

    Raises:
        StoreError: there is no such study or file.
        ModelError: a price or budget is no good, or the plan cannot reach what is asked.
    """
    request = offer.request(
        budget=ends.budget,
        half_width=ends.half_width,
        replicates=ends.replicates,
        seed=source.seed,
    )
    if against is not None:
        return _plan_difference(source, request, against)
    settings, tables = read_source(source)
    plans = {
        system: planning.plan(table, settings, request, system) for system, table in tables.items()
    }
    return next(iter(plans.values())) if len(plans) == 1 else {"plans": plans}


def plan_text(document: dict[str, Any]) -> str:
    """The same for people."""
    plans = document.get("plans", {document.get("system"): document})
    return "\n\n".join(_one_plan(found) for found in plans.values())


def simulate(source: FitWish | None, offer: Offer, wish: SimulateWish) -> dict[str, Any]:
    """The document of `ratchet simulate`: each strategy on known labels, or on a typed truth.

    Raises:
        StoreError: there is no such study or file.
        ModelError: a price, budget, pilot or rate is no good.
    """
    began = time.monotonic()
    _check(source, wish)
    request = offer.request(budget=wish.budget, replicates=wish.replicates, seed=wish.seed)
    if source is None:
        systems = {"typed truth": _of_truth(request, wish)}
        return _simulated(systems, {}, request, wish, began)
    settings, tables = read_source(source)
    systems, left_out = {}, {}
    for system, table in tables.items():
        _, left_out[system] = replaying.fully_labelled(table)
        *_, systems[system] = replaying.replay_steps(table, settings, request, wish.pilot)
    return _simulated(systems, left_out, request, wish, began)


def simulate_text(document: dict[str, Any]) -> str:
    """The same as tables for people."""
    lines = []
    for system, rows in document["systems"].items():
        lines.append(
            f"{system}: budget {document['budget']:g}, pilot {document['pilot']},"
            f" {document['replicates']} studies, {document['population'].replace('_', ' ')}"
        )
        missing = document["left_out"].get(system)
        if missing:
            lines.append(f"  {missing} items without all their labels were left out")
        lines.append(
            f"  {'strategy':<34}{'sd':>8}{'±':>8}{'planned ±':>11}{'error':>8}{'covered':>9}"
            f"{'R':>7}{'T':>7}"
        )
        lines += [_simulated_line(row) for row in rows]
    return "\n".join(lines)


def _check(source: FitWish | None, wish: SimulateWish) -> None:
    """Numbers that no replay can use."""
    if not (np.isfinite(wish.budget) and wish.budget > 0):
        raise RatchetError(f"--budget is {wish.budget:g}; a finite number above 0 was expected.")
    if wish.replicates < 2:
        raise RatchetError(f"--replicates is {wish.replicates}; 2 or more was expected.")
    if wish.items < 1:
        raise RatchetError(f"--items is {wish.items}; 1 or more was expected.")
    if (source is None) == (wish.truth is None):
        raise RatchetError(
            'A file to replay or --truth "0.5 0.6 0.1 0.2 0.8" was expected, one of the two.'
        )


def _of_truth(request: PlanRequest, wish: SimulateWish) -> list[dict[str, Any]]:
    """Rows of studies that are drawn from the typed rates."""
    settings = FitSettings(read_policy(wish.policy), get_priors(wish.prior), 0.95)
    setting = replaying.to_setting(request, settings)
    truth = _parse_truth(wish.truth or "")
    studies = studies_of_truth(setting, truth, wish.items, wish.pilot, wish.replicates)
    return replaying.replay_truth(setting, studies, wish.budget)


def _plan_difference(source: FitWish, request: PlanRequest, against: str) -> dict[str, Any]:
    if source.system is None or source.system == against:
        raise RatchetError(
            f"--against is {against!r} and --system {source.system!r}; two different systems were"
            " expected. Name the first with --system."
        )
    settings, tables = read_source(source)
    _, others = read_source(source._replace(system=against))
    other = planning.Against(against, others[against])
    return planning.plan(tables[source.system], settings, request, source.system, other)


def _one_plan(document: dict[str, Any]) -> str:
    """One system: the sentence, the strategies, the price list, the notes."""
    name = document["system"]
    if "against" in document:
        name += f" − {document['against']}"
    lines = [f"{name}: {document['sentence']}"]
    lines.append(f"  {'strategy':<34}{'labels R':>9}{'labels T':>9}{'cost':>8}{'±':>8}{'until':>9}")
    until = {row["strategy"]: row for row in document["labels_until"]}
    for row in document["strategies"]:
        cost = until[row["name"]]["cost"]
        labels = row["labels"]
        lines.append(
            f"  {STRATEGY_WORDS[row['name']]:<34}{labels['retrieval']:>9.0f}{labels['task']:>9.0f}"
            f"{row['cost']:>8.0f}{row['expected_half_width']:>8.3f}"
            f"{'-' if cost is None else f'{cost:.0f}':>9}"
        )
    lines += ["", "  What the next label buys:"]
    lines += [f"  {row['reason']}" for row in document["next"][:4]]
    lines += [f"  {note}" for note in document["notes"]]
    return "\n".join(lines)


def _simulated(
    systems: dict[str, list[dict[str, Any]]],
    left_out: dict[str, int],
    request: PlanRequest,
    wish: SimulateWish,
    began: float,
) -> dict[str, Any]:
    return {
        "target": request.quantity,
        "population": request.population,
        "budget": wish.budget,
        "pilot": wish.pilot,
        "replicates": wish.replicates,
        "left_out": left_out,
        "systems": systems,
        "seconds": round(time.monotonic() - began, 2),
    }


def _simulated_line(row: dict[str, Any]) -> str:
    planned = row["predicted_half_width"]
    labels = row["labels"]
    return (
        f"  {STRATEGY_WORDS[row['name']]:<34}{row['sd']:>8.4f}{row['half_width']:>8.4f}"
        f"{'-' if planned is None else f'{planned:.4f}':>11}{row['abs_error']:>8.4f}"
        f"{row['coverage']:>9.3f}{labels['retrieval']:>7.0f}{labels['task']:>7.0f}"
    )


def _parse_truth(text: str) -> Rates:
    """Five rates strictly between 0 and 1."""
    try:
        values = [float(word) for word in text.replace(",", " ").split()]
    except ValueError:
        values = []
    if len(values) != len(Rates._fields) or not all(0 < value < 1 for value in values):
        raise RatchetError(
            f"--truth is {text!r}; five numbers between 0 and 1 were expected, {TRUTH_NAMES}, like"
            ' "0.5 0.6 0.1 0.2 0.8".'
        )
    return Rates(*(np.asarray(value) for value in values))
