"""What `ratchet next` does: single items, chosen as the recommendation and the audit say."""

import tempfile
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
from model.allocation.states import PATTERNS, UNOBSERVED, Integers, count_states
from model.allocation.targets import Target
from model.rat.counts import CountTable
from workflow import database, importing, planning
from workflow.commands import FitWish, is_file, read_source
from workflow.errors import RatchetError
from workflow.plan_commands import Offer
from workflow.planning import PlanRequest
from workflow.recommending import (
    Recommendation,
    audit_label,
    open_states,
    recommend,
    selection_probability,
)
from workflow.reports import FitSettings
from workflow.words import LABEL_WORDS, describe_state

FILE_STUDY = "file"


class NextWish(NamedTuple):
    """Arguments of `next` beside the source and the prices."""

    number: int
    audit_share: float


class _Chosen(NamedTuple):
    """An item to be asked about."""

    state: int
    row: Recommendation | None
    is_audit: bool
    probability: float


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
