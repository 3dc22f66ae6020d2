"""Jobs: each is done once, a dead worker's is taken over, a cancelled one stops."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

from sqlalchemy import Engine

from db import jobs
from db.engine import reading, transaction
from db.jobs import HEARTBEAT_LOST, WORKER_LOST, JobState, Outcome
from db.locks import worker_lock
from tests.small_studies import START

KINDS = ("import",)
SECOND = timedelta(seconds=1)


def queue(engine: Engine, count: int = 1) -> list[int]:
    with transaction(engine) as session:
        return [jobs.add(session, "import", None, {"number": n}, START) for n in range(count)]


def claim(engine: Engine, now: timedelta = timedelta()) -> int | None:
    with transaction(engine) as session:
        job = jobs.claim(session, KINDS, START + now)
        return None if job is None else job.id


def state(engine: Engine, job_id: int) -> JobState:
    with reading(engine) as session:
        return jobs.get(session, job_id).state


def test_jobs_are_taken_in_the_order_they_came(engine: Engine) -> None:
    ids = queue(engine, 3)
    assert [claim(engine) for _ in range(4)] == [*ids, None]


def test_many_who_claim_at_once_get_each_job_once(engine: Engine) -> None:
    ids = queue(engine, 20)

    def work(_: int) -> list[int]:
        taken = []
        while (job_id := claim(engine)) is not None:
            taken.append(job_id)
        return taken

    with ThreadPoolExecutor(8) as pool:
        taken = [job_id for part in pool.map(work, range(8)) for job_id in part]
    assert sorted(taken) == ids


def test_a_job_whose_worker_died_is_taken_over(engine: Engine) -> None:
    (job_id,) = queue(engine)
    assert claim(engine) == job_id
    assert claim(engine, HEARTBEAT_LOST) is None
    assert claim(engine, HEARTBEAT_LOST + SECOND) == job_id


def test_a_new_worker_starts_what_a_dead_one_left_at_once(engine: Engine) -> None:
    left, waiting = queue(engine, 2)
    assert claim(engine) == left
    with transaction(engine) as session:
        jobs.requeue_running(session)
    assert [claim(engine) for _ in range(3)] == [left, waiting, None]


def test_a_job_that_reports_is_not_taken_over(engine: Engine) -> None:
    (job_id,) = queue(engine)
    claim(engine)
    with transaction(engine) as session:
        assert jobs.report(session, job_id, 0.5, "half", START + HEARTBEAT_LOST)
    assert claim(engine, HEARTBEAT_LOST + SECOND) is None
    with reading(engine) as session:
        found = jobs.get(session, job_id)
    assert (found.progress, found.message) == (0.5, "half")


def test_a_waiting_job_that_is_cancelled_is_never_started(engine: Engine) -> None:
    (job_id,) = queue(engine)
    with transaction(engine) as session:
        jobs.cancel(session, job_id)
    assert state(engine, job_id) == JobState.CANCELLED
    assert claim(engine) is None


def test_a_running_job_hears_at_its_next_report_that_it_is_cancelled(engine: Engine) -> None:
    (job_id,) = queue(engine)
    claim(engine)
    with transaction(engine) as session:
        jobs.cancel(session, job_id)
    assert state(engine, job_id) == JobState.RUNNING
    with transaction(engine) as session:
        assert not jobs.report(session, job_id, 0.5, "half", START)


def test_a_finished_job_keeps_its_result_and_is_not_taken_again(engine: Engine) -> None:
    (job_id,) = queue(engine)
    claim(engine)
    with transaction(engine) as session:
        jobs.finish(session, job_id, JobState.DONE, Outcome("fine", {"rows": 3}), START)
    assert claim(engine, 10 * HEARTBEAT_LOST) is None
    with reading(engine) as session:
        found = jobs.get(session, job_id)
        assert not jobs.is_any_waiting(session, START + 10 * HEARTBEAT_LOST)
    assert (found.state, found.progress, found.result) == (JobState.DONE, 1.0, {"rows": 3})


def test_a_failed_job_keeps_the_progress_it_had(engine: Engine) -> None:
    (job_id,) = queue(engine)
    claim(engine)
    with transaction(engine) as session:
        jobs.report(session, job_id, 0.25, "quarter", START)
        jobs.finish(session, job_id, JobState.FAILED, Outcome("Row 7 is no good."), START)
    with reading(engine) as session:
        found = jobs.get(session, job_id)
    assert (found.state, found.progress, found.message) == (
        JobState.FAILED,
        0.25,
        "Row 7 is no good.",
    )


def test_a_worker_that_was_not_heard_of_lately_has_no_state(engine: Engine) -> None:
    with reading(engine) as session:
        assert jobs.worker_state(session, START) is None
    for word in ("compiling", "ready"):
        with transaction(engine) as session:
            jobs.beat(session, word, START)
    with reading(engine) as session:
        assert jobs.worker_state(session, START + WORKER_LOST) == "ready"
        assert jobs.worker_state(session, START + WORKER_LOST + SECOND) is None


def test_one_worker_a_database_holds_the_lock(engine: Engine) -> None:
    with worker_lock(engine) as first, worker_lock(engine) as second:
        assert (first, second) == (True, False)
    with worker_lock(engine) as again:
        assert again
