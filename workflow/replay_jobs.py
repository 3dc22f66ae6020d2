"""A replay as a job of the worker: the labels of a study, hidden, then bought by each strategy."""

from collections.abc import Callable
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import Engine

from db import jobs, studies
from db.engine import reading, transaction
from db.jobs import JobStatus as JobStatus
from model.allocation.strategies import StrategyName
from workflow import fitting
from workflow.errors import RatchetError
from workflow.plan_jobs import to_arguments, to_request
from workflow.planning import PlanRequest
from workflow.replaying import fully_labelled, replay_steps

KIND = "replay"
MASKINGS = 100


class ReplayWish(NamedTuple):
    """What a lead asks for: prices, target and budget as in a plan, and the pilot's size."""

    request: PlanRequest
    pilot: int


def count_labelled(database: Engine, name: str, system: str) -> int:
    """How many items of a system carry all their labels.

    Raises:
        StoreError: there is no such study.
    """
    table = fitting.read_due(database, name).tables.get(system)
    return 0 if table is None else int(fully_labelled(table)[0].sum())


def queue_replay(database: Engine, name: str, system: str, wish: ReplayWish, now: datetime) -> int:
    """Ask the worker for a replay of one system; returns the job's id.

    Raises:
        StoreError: there is no such study.
        RatchetError: a replay of this system is under way already.
    """
    with transaction(database) as session:
        study = studies.get_study(session, name)
        newest = jobs.find_latest(session, study.id, KIND, jobs.About("system", system))
        if newest is not None and newest.state not in jobs.FINAL:
            raise RatchetError(
                f"A replay of {system!r} is under way already. Wait for it, or cancel it first."
            )
        request = wish.request._replace(replicates=MASKINGS)
        arguments = to_arguments(study, system, request) | {"pilot": wish.pilot}
        return jobs.add(session, KIND, study.id, arguments, now)


def read_replay(database: Engine, name: str, system: str) -> JobStatus | None:
    """The newest replay of a system of a study, or None.

    Raises:
        StoreError: there is no such study.
    """
    with reading(database) as session:
        study_id = studies.get_study(session, name).id
        return jobs.find_latest(session, study_id, KIND, jobs.About("system", system))


def run_replay(
    database: Engine, job: JobStatus, tell: Callable[[float, str], None]
) -> dict[str, Any]:
    """Replay the labels of a job's system, keeping the rows after each strategy.

    Raises:
        ModelError: the pilot, a price or the budget is no good.
        RatchetError: the system is gone.
    """
    arguments = job.arguments
    due = fitting.read_due(database, arguments["study"])
    system = arguments["system"]
    if system not in due.tables:
        raise RatchetError(f"System {system!r} has no items any more. Choose another one.")
    tell(0.0, "Hiding labels")
    request, table = to_request(arguments), due.tables[system]
    cells, left_out = fully_labelled(table)
    document: dict[str, Any] = {"rows": [], "items": int(cells.sum()), "left_out": left_out}
    for rows in replay_steps(table, due.settings, request, int(arguments["pilot"])):
        document = document | {"rows": list(rows)}
        with transaction(database) as session:
            jobs.keep_result(session, job.id, document)
        tell(len(rows) / len(StrategyName), f"{len(rows)} of {len(StrategyName)} strategies tried")
    return document
