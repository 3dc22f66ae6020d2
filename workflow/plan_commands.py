"""What `ratchet plan`, `next` and `simulate` do, in the words of the command line."""

import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sqlalchemy import Engine as Database

from db.engine import reading
from db.states import Pattern, find_item_in_state
from db.studies import get_study
from model.allocation.packages import LabelCosts, check_costs
from model.allocation.replay import Replayed, predict, replay, studies_of_file, studies_of_truth
from model.allocation.simulate import Setting, Studies
from model.allocation.states import (
    OPEN_CELLS,
    PATTERNS,
    UNOBSERVED,
    Integers,
    count_states,
)
from model.allocation.strategies import StrategyName
from model.allocation.targets import Population, Target
from model.rat.counts import CountTable
from model.rat.derived import Quantity, Rates
from model.rat.policy import get_policy
from model.rat.priors import get_priors
from workflow import database, importing, planning
from workflow.commands import FitWish, is_file, read_source
from workflow.errors import RatchetError
from workflow.planning import PlanRequest
from workflow.recommending import (
    DEFAULT_AUDIT_SHARE as DEFAULT_AUDIT_SHARE,
)
from workflow.recommending import (
    Recommendation,
    audit_label,
    open_states,
    recommend,
    selection_probability,
)
from workflow.reports import FitSettings
from workflow.words import LABEL_WORDS, STRATEGY_WORDS, describe_state

FILE_STUDY = "file"
PREDICTIONS = 20  # simulated studies for each masking's own plan
DEFAULTS = FitSettings(get_policy("rat"), get_priors("uniform"), 0.95)
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


class NextWish(NamedTuple):
    """Arguments of `next` beside the source and the prices."""

    number: int
    audit_share: float


class SimulateWish(NamedTuple):
    """Arguments of `simulate` beside the source and the prices."""

    truth: str | None
    items: int
    pilot: int
    budget: float
    replicates: int


class _Chosen(NamedTuple):
    """An item to be asked about."""

    state: int
    row: Recommendation | None
    is_audit: bool
    probability: float


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


def next_labels(source: FitWish, offer: Offer, wish: NextWish) -> list[dict[str, Any]]:
    """The list of `ratchet next`: best first, the items chosen at random within their state.

    Raises:
        StoreError: there is no such study or file.
        ModelError: no label informs the target.
        RatchetError: a number is no good.
    """
    if wish.number < 1 or not 0 <= wish.audit_share < 1:
        raise RatchetError(
            f"--count is {wish.number} and --audit-share {wish.audit_share:g}; 1 or more, and a"
            " share from 0 to below 1, were expected."
        )
    request = offer.request()
    settings, tables = read_source(source)
    found: list[dict[str, Any]] = []
    with _database_of(source) as (engine, study):
        for system, table in tables.items():
            found += _next_of(engine, study, system, table, (settings, request, wish, source.seed))
    return sorted(found, key=lambda row: -row["per_cost"])[: wish.number]


def next_text(rows: list[dict[str, Any]]) -> str:
    """The same for people."""
    return "\n".join(
        f"{row['item_id']} ({row['system']}): {row['label']}. {row['reason']}" for row in rows
    )


def simulate(source: FitWish | None, offer: Offer, wish: SimulateWish) -> dict[str, Any]:
    """The document of `ratchet simulate`: each strategy on known labels, or on a typed truth.

    Raises:
        StoreError: there is no such study or file.
        ModelError: a price, budget, pilot or rate is no good.
    """
    began = time.monotonic()
    if not (np.isfinite(wish.budget) and wish.budget > 0):
        raise RatchetError(f"--budget is {wish.budget:g}; a finite number above 0 was expected.")
    if wish.replicates < 2:
        raise RatchetError(f"--replicates is {wish.replicates}; 2 or more was expected.")
    if (source is None) == (wish.truth is None):
        raise RatchetError(
            'A file to replay or --truth "0.5 0.6 0.1 0.2 0.8" was expected, one of the two.'
        )
    request = offer.request()
    if source is None:
        setting = _setting(request, DEFAULTS, 0)
        truth = _parse_truth(wish.truth or "")
        studies = studies_of_truth(setting, truth, wish.items, wish.pilot, wish.replicates)
        systems = {"typed truth": _rows(setting, studies, wish.budget, None)}
        return _simulated(systems, {}, request, wish, began)
    settings, tables = read_source(source)
    systems, left_out = {}, {}
    for system, table in tables.items():
        setting = _setting(request, settings, source.seed)
        cells, missing = fully_labelled(table)
        left_out[system] = missing
        studies = studies_of_file(setting, cells, wish.pilot, wish.replicates)
        predicted = predict(setting, studies, PREDICTIONS)
        systems[system] = _rows(setting, studies, wish.budget, predicted)
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


def fully_labelled(table: CountTable) -> tuple[Integers, int]:
    """Items in each true cell, int64[6], and how many are left out for want of a label."""
    counts = count_states(table)
    cells = np.zeros(OPEN_CELLS.shape[1], dtype=np.int64)
    left_out = 0
    for state, count in enumerate(counts):
        opened = np.flatnonzero(OPEN_CELLS[state])
        if len(opened) == 1:
            cells[opened[0]] += count
        else:
            left_out += int(count)
    return cells, left_out


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


@contextmanager
def _database_of(source: FitWish) -> Iterator[tuple[Database, str]]:
    """The study, or a passing one made of the file."""
    if not is_file(source.source):
        yield database.connect(database.database_url()), source.source
        return
    with tempfile.TemporaryDirectory() as folder:
        engine = database.connect(f"sqlite:///{Path(folder) / 'file.db'}")
        request = importing.Request(
            FILE_STUDY, Path(source.source), "command line", {}, False, False
        )
        importing.import_file(engine, request, datetime.now(UTC))
        yield engine, FILE_STUDY
        engine.dispose()


def _next_of(
    engine: Database,
    study: str,
    system: str,
    table: CountTable,
    asked: tuple[FitSettings, PlanRequest, NextWish, int],
) -> list[dict[str, Any]]:
    """The next labels of one system."""
    settings, request, wish, seed = asked
    plan_wish = planning.to_wish(request, settings)
    rows = recommend(table, plan_wish.target, plan_wish.costs, settings.priors, seed)
    rng = np.random.default_rng([seed, 30])
    counts = count_states(table)
    found: list[dict[str, Any]] = []
    taken: set[str] = set()
    while len(found) < min(wish.number, int(counts.sum())):
        chosen = _choose(rng, plan_wish.target, counts, rows, wish.audit_share)
        number = int(rng.integers(counts[chosen.state]))
        item_id = _item(engine, study, system, chosen.state, number)
        if item_id is None or item_id in taken:
            if len(taken) >= counts[open_states(plan_wish.target, counts)].sum():
                break
            continue
        taken.add(item_id)
        found.append(_next_row(item_id, system, chosen, rows))
    return found


def _choose(
    rng: np.random.Generator,
    target: Target,
    counts: Integers,
    rows: list[Recommendation],
    audit_share: float,
) -> _Chosen:
    """The best row's state, or for an audit any open item with the same probability."""
    best = rows[0].state
    states = open_states(target, counts)
    is_audit = bool(rng.random() < audit_share)
    if is_audit:
        weights = counts[states] / counts[states].sum()
        state = int(rng.choice(states, p=weights))
    else:
        state = best
    probability = selection_probability(target, counts, state, best, audit_share)
    row = next((row for row in rows if row.state == state), None)
    return _Chosen(state, row, is_audit, probability)


def _next_row(
    item_id: str, system: str, chosen: _Chosen, rows: list[Recommendation]
) -> dict[str, Any]:
    row = chosen.row or rows[0]
    label = audit_label(chosen.state) if chosen.is_audit else row.label
    reason = row.reason
    if chosen.is_audit:
        reason = f"Drawn at random as an audit: {describe_state(chosen.state)}."
    return {
        "item_id": item_id,
        "system": system,
        "label": LABEL_WORDS[label],
        "expected_variance_drop": float(f"{row.variance_drop:.4g}"),
        "per_cost": float(f"{row.per_cost:.4g}"),
        "information_gain": float(f"{row.information_gain:.4g}"),
        "selection_probability": float(f"{chosen.probability:.6g}"),
        "audit": chosen.is_audit,
        "reason": reason,
    }


def _item(engine: Database, study: str, system: str, state: int, number: int) -> str | None:
    pattern = Pattern(*(None if value == UNOBSERVED else value for value in PATTERNS[state]))
    with reading(engine) as session:
        study_id = get_study(session, study).id
        return find_item_in_state(session, study_id, system, pattern, number)


def _setting(request: PlanRequest, settings: FitSettings, seed: int) -> Setting:
    wish = planning.to_wish(request, settings)
    return Setting(wish.target, wish.costs, wish.priors, seed)


def _rows(
    setting: Setting, studies: Studies, budget: float, predicted: Studies | None
) -> list[dict[str, Any]]:
    return [_row(replay(setting, studies, name, budget, predicted)) for name in StrategyName]


def _row(found: Replayed) -> dict[str, Any]:
    predicted = found.predicted_half_width
    return {
        "name": found.name,
        "sd": round(found.sd, 5),
        "half_width": round(found.half_width, 5),
        "predicted_half_width": None if np.isnan(predicted) else round(predicted, 5),
        "abs_error": round(found.abs_error, 5),
        "coverage": round(found.coverage, 4),
        "mc_se": round(found.mc_se, 6),
        "labels": {
            "retrieval": round(found.retrieval_labels, 1),
            "task": round(found.task_labels, 1),
        },
        "cost": round(found.cost, 2),
    }


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
