"""A plan as a job of the worker: asked for by a screen, grown strategy by strategy, remembered.

Request and document live in the job's row, so that a reload, another session or a restart of the
server shows the same run. It can be cancelled between two strategies.
"""

from collections.abc import Callable
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import Engine

from db import jobs, sharing, studies
from db.engine import reading, transaction
from db.jobs import FINAL as FINAL
from db.jobs import JobState as JobState
from db.jobs import JobStatus as JobStatus
from db.studies import Study
from model.allocation.packages import LabelCosts
from model.allocation.packages import check_costs as check_costs
from model.allocation.strategies import StrategyName
from model.allocation.targets import Population
from model.rat.counts import CountTable
from model.rat.derived import Quantity
from workflow import fitting
from workflow.errors import RatchetError
from workflow.fitting import Due
from workflow.planning import Against, PlanRequest, plan_steps

KIND = "plan"


class PlanRun(NamedTuple):
    """A run of the planner; `document` is `plan --json` as far as it has grown."""

    job_id: int
    request: PlanRequest
    state: JobState
    progress: float
    message: str
    document: dict[str, Any] | None
    created_at: datetime

    @property
    def is_over(self) -> bool:
        """Whether nothing more will come of it."""
        return self.state in FINAL


class PlanRuns(NamedTuple):
    """What a screen needs of a system: the newest run, and the newest one that was finished."""

    newest: PlanRun | None
    finished: PlanRun | None


def queue_plan(
    database: Engine, name: str, system: str, request: PlanRequest, now: datetime
) -> int:
    """Ask the worker for a plan of one system; returns the job's id.

    Raises:
        StoreError: there is no such study.
        RatchetError: a plan of this system is being made already.
        ModelError: a cost is not above 0.
    """
    check_costs(request.costs)
    with transaction(database) as session:
        study = studies.get_study(session, name)
        newest = jobs.find_latest(session, study.id, KIND, _about(system))
        if newest is not None and newest.state not in FINAL:
            raise RatchetError(
                f"A plan of {system!r} is being made already. Wait for it, or cancel it first."
            )
        return jobs.add(session, KIND, study.id, to_arguments(study, system, request), now)


def read_runs(database: Engine, name: str, system: str) -> PlanRuns:
    """The newest plan of a system of a study, and the newest finished one.

    Raises:
        StoreError: there is no such study.
    """
    with reading(database) as session:
        study_id = studies.get_study(session, name).id
        newest = jobs.find_latest(session, study_id, KIND, _about(system))
        done = _about(system)._replace(state=JobState.DONE)
        finished = jobs.find_latest(session, study_id, KIND, done)
    return PlanRuns(_run(newest), _run(finished))


def find_run(database: Engine, name: str, job_id: int) -> PlanRun | None:
    """The plan of this job if it belongs to the study, or None.

    Raises:
        StoreError: there is no such study.
    """
    with reading(database) as session:
        study_id = studies.get_study(session, name).id
        return _run(jobs.find(session, study_id, KIND, job_id))


def read_sharing(database: Engine, name: str, system: str) -> float:
    """Of how many systems a retrieval label of this one is the label, on average; 1.0 is its own.

    Raises:
        StoreError: there is no such study.
    """
    with reading(database) as session:
        study_id = studies.get_study(session, name).id
        return sharing.systems_per_context(session, study_id, system)


def cancel_plan(database: Engine, job_id: int) -> None:
    """Ask a plan to stop; it does before its next strategy."""
    with transaction(database) as session:
        jobs.cancel(session, job_id)


def run_plan(
    database: Engine, job: JobStatus, tell: Callable[[float, str], None]
) -> dict[str, Any]:
    """Make the plan of a job, keeping the document after each strategy.

    Raises:
        ModelError: the plan makes no sense; the text says why.
        RatchetError: the system is gone.
    """
    arguments = job.arguments
    due = fitting.read_due(database, arguments["study"])
    request, system = to_request(arguments), arguments["system"]
    table = _table(due, system)
    other = request.against
    against = None if other is None else Against(other, _table(due, other))
    tell(0.0, "Looking at the labels so far")
    document: dict[str, Any] = {}
    steps = plan_steps(table, due.settings, request, system, against)
    for document in steps:
        done = len(document["strategies"])
        with transaction(database) as session:
            jobs.keep_result(session, job.id, document)
        tell(done / len(StrategyName), f"{done} of {len(StrategyName)} strategies tried")
    return document


def to_arguments(study: Study, system: str, request: PlanRequest) -> dict[str, Any]:
    """A request as it is stored with its job."""
    fields = request._asdict() | {"costs": list(request.costs)}
    return {"study": study.name, "system": system} | fields


def to_request(arguments: dict[str, Any]) -> PlanRequest:
    """The request a job was stored with."""
    fields = {name: arguments[name] for name in PlanRequest._fields if name in arguments}
    return PlanRequest(**fields)._replace(
        costs=LabelCosts(*arguments["costs"]),
        quantity=Quantity(arguments["quantity"]),
        population=Population(arguments["population"]),
    )


def _table(due: Due, system: str) -> CountTable:
    if system not in due.tables:
        raise RatchetError(f"System {system!r} has no items any more. Choose another one.")
    return due.tables[system]


def _about(system: str) -> jobs.About:
    return jobs.About("system", system)


def _run(job: JobStatus | None) -> PlanRun | None:
    if job is None:
        return None
    return PlanRun(
        job.id,
        to_request(job.arguments),
        job.state,
        job.progress,
        job.message,
        job.result,
        job.created_at,
    )
