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
from model.allocation.states import PATTERNS, UNOBSERVED, count_states
from model.errors import ModelError
from model.rat.counts import CountTable
from workflow import database, importing, planning
from workflow.choosing import Choice, Pool, choose, list_pools
from workflow.commands import FitWish, is_file, read_source
from workflow.errors import RatchetError
from workflow.filecounts import AbstentionFrom
from workflow.plan_commands import Offer
from workflow.planning import PlanRequest
from workflow.recommending import audit_label, recommend
from workflow.reports import FitSettings
from workflow.words import LABEL_WORDS, describe_state

FILE_STUDY = "file"


class NextWish(NamedTuple):
    """Arguments of `next` beside the source and the prices."""

    number: int
    audit_share: float


def next_labels(source: FitWish, offer: Offer, wish: NextWish) -> list[dict[str, Any]]:
    """The list of `ratchet next`, in the order in which to ask; several systems are one pool.

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
    choices = choose(
        np.random.default_rng([source.seed, 30]),
        _pools_of(tables, settings, request, source.seed),
        wish.audit_share,
    )
    found: list[dict[str, Any]] = []
    with _database_of(source) as (engine, study):
        for choice in choices:
            item_id = _item(engine, study, choice)
            if item_id is not None:
                found.append(_next_row(item_id, choice))
            if len(found) == wish.number:
                break
    return found


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
        # Abstention as in the counts, so that an item lies in the state it was counted in.
        by_rules = source.abstention == AbstentionFrom.RULES
        request = importing.Request(
            FILE_STUDY, Path(source.source), "command line", scores_answers=by_rules
        )
        importing.import_file(engine, request, datetime.now(UTC))
        yield engine, FILE_STUDY
        engine.dispose()


def _pools_of(
    tables: dict[str, CountTable], settings: FitSettings, request: PlanRequest, seed: int
) -> list[Pool]:
    """The open items of every system; systems of which no label informs the target have none.

    Raises:
        ModelError: no system has a label that informs the target.
    """
    wish = planning.to_wish(request, settings)
    pools: list[Pool] = []
    refusal: ModelError | None = None
    for system, table in tables.items():
        try:
            rows = recommend(table, wish.target, wish.costs, settings.priors, seed)
        except ModelError as error:
            refusal = error
            continue
        pools += list_pools(system, wish.target, count_states(table), rows)
    if not pools and refusal is not None:
        raise refusal
    return pools


def _next_row(item_id: str, choice: Choice) -> dict[str, Any]:
    row, pool = choice.row, choice.pool
    label = audit_label(pool.state) if choice.is_audit else row.label
    reason = row.reason
    if choice.is_audit:
        reason = f"Drawn at random as an audit: {describe_state(pool.state)}."
    return {
        "item_id": item_id,
        "system": pool.system,
        "label": LABEL_WORDS[label],
        "expected_variance_drop": float(f"{row.variance_drop:.4g}"),
        "per_cost": float(f"{row.per_cost:.4g}"),
        "information_gain": float(f"{row.information_gain:.4g}"),
        "selection_probability": float(f"{choice.probability:.6g}"),
        "audit": choice.is_audit,
        "reason": reason,
    }


def _item(engine: Database, study: str, choice: Choice) -> str | None:
    """The item's id; None where the study has changed since it was counted."""
    pool = choice.pool
    pattern = Pattern(*(None if value == UNOBSERVED else value for value in PATTERNS[pool.state]))
    with reading(engine) as session:
        study_id = get_study(session, study).id
        return find_item_in_state(session, study_id, pool.system, pattern, choice.number)
