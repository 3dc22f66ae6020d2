"""The plan as a job: grows, is remembered, can be cancelled, says why it makes no sense."""

from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import Engine

from db import jobs
from db.engine import transaction
from db.jobs import JobState, JobStatus
from model.allocation.packages import LabelCosts
from model.allocation.strategies import StrategyName
from model.allocation.targets import Population
from model.errors import ModelError
from model.rat.derived import Quantity
from tests.small_studies import START, STUDY, Row, make_study, say
from workflow import fitting, plan_jobs, planning, working
from workflow.errors import RatchetError
from workflow.labelling import LabelType, Value
from workflow.planning import PlanRequest

SMALL = PlanRequest(budget=6, replicates=4, num_budgets=2, num_draws=120, seed=3)


def labelled_study(engine: Engine, folder: Path) -> None:
    """Twelve answers and four refusals of one system, three of them fully labelled."""
    rows = [
        Row(f"i{n}", query=f"Question {n}?", contexts=f"P{n}.", answer=None if n > 11 else "Yes.")
        for n in range(16)
    ]
    make_study(engine, folder, rows)
    for item, retrieval, task in (("i0", "1", "1"), ("i1", "1", "0"), ("i2", "0", "0")):
        say(engine, item, LabelType.RETRIEVAL, Value(retrieval))
        say(engine, item, LabelType.TASK, Value(task))


def claim(engine: Engine) -> JobStatus:
    with transaction(engine) as session:
        job = jobs.claim(session, tuple(working.JOBS), START)
    assert job is not None
    return job


def run_one(engine: Engine, request: PlanRequest = SMALL) -> int:
    """Queue a plan and do it as the worker does."""
    job_id = plan_jobs.queue_plan(engine, STUDY, "one", request, START)
    working.run_job(engine, claim(engine))
    return job_id


def test_a_finished_plan_is_the_document_that_the_planner_gives(
    engine: Engine, tmp_path: Path
) -> None:
    labelled_study(engine, tmp_path)
    run_one(engine)
    newest, finished = plan_jobs.read_runs(engine, STUDY, "one")
    assert newest == finished
    assert finished is not None
    assert finished.document is not None
    due = fitting.read_due(engine, STUDY)
    direct = planning.plan(due.tables["one"], due.settings, SMALL, "one")
    assert finished.document | {"seconds": 0} == direct | {"seconds": 0}
    assert finished.request == SMALL


def test_a_request_survives_being_stored(engine: Engine, tmp_path: Path) -> None:
    labelled_study(engine, tmp_path)
    request = SMALL._replace(
        costs=LabelCosts(1.5, 2.0, 0.5),
        quantity=Quantity.TASK_SUCCESS,
        population=Population.TEST_SET,
        budget=None,
        half_width=0.2,
        votes=2,
    )
    plan_jobs.queue_plan(engine, STUDY, "one", request, START)
    newest = plan_jobs.read_runs(engine, STUDY, "one").newest
    assert newest is not None
    assert newest.request == request


def watch(
    engine: Engine, job: JobStatus, at_each: Callable[[int], None]
) -> Callable[[float, str], None]:
    """Tells a test after each step how many strategies are stored."""

    def tell(_progress: float, _message: str) -> None:
        run = plan_jobs.read_runs(engine, STUDY, "one").newest
        assert run is not None
        at_each(len(run.document["strategies"]) if run.document else -1)

    return tell


def test_the_document_grows_strategy_by_strategy_for_those_who_watch(
    engine: Engine, tmp_path: Path
) -> None:
    labelled_study(engine, tmp_path)
    plan_jobs.queue_plan(engine, STUDY, "one", SMALL, START)
    job = claim(engine)
    seen: list[int] = []
    plan_jobs.run_plan(engine, job, watch(engine, job, seen.append))
    assert list(dict.fromkeys(seen)) == [-1, *range(len(StrategyName) + 1)]


def test_a_cancelled_plan_stops_before_its_next_strategy_and_the_last_one_is_remembered(
    engine: Engine, tmp_path: Path
) -> None:
    labelled_study(engine, tmp_path)
    first = run_one(engine)
    second = plan_jobs.queue_plan(engine, STUDY, "one", SMALL, START)
    job = claim(engine)
    plan_jobs.cancel_plan(engine, second)
    working.run_job(engine, job)
    newest, finished = plan_jobs.read_runs(engine, STUDY, "one")
    assert newest is not None
    assert finished is not None
    assert (newest.job_id, newest.state) == (second, JobState.CANCELLED)
    assert (finished.job_id, finished.state) == (first, JobState.DONE)


def test_plans_of_other_systems_are_not_mixed_up(engine: Engine, tmp_path: Path) -> None:
    rows = [Row("a", "one", "Q1?"), Row("b", "two", "Q2?")]
    make_study(engine, tmp_path, rows)
    job_id = plan_jobs.queue_plan(engine, STUDY, "one", SMALL, START)
    assert plan_jobs.read_runs(engine, STUDY, "two") == (None, None)
    newest = plan_jobs.read_runs(engine, STUDY, "one").newest
    assert newest is not None
    assert newest.job_id == job_id


def test_a_second_plan_of_a_system_waits_for_the_first(engine: Engine, tmp_path: Path) -> None:
    labelled_study(engine, tmp_path)
    plan_jobs.queue_plan(engine, STUDY, "one", SMALL, START)
    with pytest.raises(RatchetError, match="being made already"):
        plan_jobs.queue_plan(engine, STUDY, "one", SMALL, START)


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        (SMALL._replace(budget=0.0), "budget is 0"),
        (SMALL._replace(budget=None, half_width=1e-6), "narrowest reachable"),
    ],
)
def test_a_plan_that_makes_no_sense_fails_with_the_reason(
    engine: Engine, tmp_path: Path, request_: PlanRequest, words: str
) -> None:
    labelled_study(engine, tmp_path)
    run_one(engine, request_)
    newest, finished = plan_jobs.read_runs(engine, STUDY, "one")
    assert newest is not None
    assert newest.state == JobState.FAILED
    assert words in newest.message
    assert finished is None


def test_a_price_of_nothing_is_refused_at_once(engine: Engine, tmp_path: Path) -> None:
    labelled_study(engine, tmp_path)
    with pytest.raises(ModelError, match="above 0"):
        plan_jobs.queue_plan(
            engine, STUDY, "one", SMALL._replace(costs=LabelCosts(retrieval=0)), START
        )


def two_systems(engine: Engine, folder: Path) -> None:
    """Six queries with the same passages for both systems, and two that only one has."""
    rows = [
        Row(f"{system}-{n}", system, query=f"Question {n}?", contexts=f"P{n}.")
        for system in ("one", "two")
        for n in range(6)
    ]
    own = [Row(f"own-{n}", query=f"Own {n}?", contexts=f"Own P{n}.") for n in range(2)]
    make_study(engine, folder, [*rows, *own])


def test_a_plan_for_a_difference_is_that_of_both_tables(engine: Engine, tmp_path: Path) -> None:
    two_systems(engine, tmp_path)
    say(engine, "one-0", LabelType.TASK, Value.YES)
    say(engine, "two-1", LabelType.TASK, Value.NO)
    run_one(engine, SMALL._replace(against="two"))
    finished = plan_jobs.read_runs(engine, STUDY, "one").finished
    assert finished is not None
    assert finished.document is not None
    assert finished.request.against == "two"
    due = fitting.read_due(engine, STUDY)
    other = planning.Against("two", due.tables["two"])
    direct = planning.plan(due.tables["one"], due.settings, SMALL, "one", other)
    assert finished.document | {"seconds": 0} == direct | {"seconds": 0}
    assert {row["system"] for row in finished.document["next"]} == {"one", "two"}
    alone = planning.plan(due.tables["one"], due.settings, SMALL, "one")
    assert finished.document["now"]["sd"] > alone["now"]["sd"]


def test_the_price_list_of_a_difference_is_both_lists_best_buy_first(
    engine: Engine, tmp_path: Path
) -> None:
    two_systems(engine, tmp_path)
    due = fitting.read_due(engine, STUDY)
    other = planning.Against("two", due.tables["two"])
    both = planning.plan(due.tables["one"], due.settings, SMALL, "one", other)["next"]
    single = [
        planning.plan(due.tables[name], due.settings, SMALL, name)["next"]
        for name in ("one", "two")
    ]
    assert len(both) == len(single[0]) + len(single[1])
    gains = [row["per_cost"] for row in both]
    assert gains == sorted(gains, reverse=True)


def test_a_difference_to_a_system_that_is_gone_fails_with_its_name(
    engine: Engine, tmp_path: Path
) -> None:
    two_systems(engine, tmp_path)
    run_one(engine, SMALL._replace(against="three"))
    newest = plan_jobs.read_runs(engine, STUDY, "one").newest
    assert newest is not None
    assert newest.state == JobState.FAILED
    assert "'three'" in newest.message


def test_a_shared_retrieval_label_serves_the_mean_number_of_systems(
    engine: Engine, tmp_path: Path
) -> None:
    two_systems(engine, tmp_path)
    # Six contexts of two systems and two of one: (6 * 2 + 2 * 1) / 8.
    assert plan_jobs.read_sharing(engine, STUDY, "one") == pytest.approx(1.75)
    assert plan_jobs.read_sharing(engine, STUDY, "two") == pytest.approx(2.0)
