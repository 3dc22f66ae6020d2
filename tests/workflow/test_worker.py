"""The worker: follows the labels, does the jobs, is alone, and ends with its parent."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
from sqlalchemy import Engine

from db import jobs
from db.engine import transaction
from db.errors import StoreError
from db.jobs import JobState, JobStatus
from db.locks import worker_lock
from tests.small_studies import (
    ANNA,
    START,
    STUDY,
    answer_next,
    export_rows,
    make_study,
    plain_rows,
)
from workflow import fitting, uploads, working
from workflow.exporting import Kind
from workflow.uploads import Upload

ROOT = Path(__file__).parents[2]
# A parent that starts the worker, tells its process id, and waits to be killed.
PARENT = """
import subprocess, sys, time
print(subprocess.Popen([sys.executable, "-m", "workflow.worker"]).pid, flush=True)
time.sleep(600)
"""


def wait_until(is_so: Callable[[], bool], seconds: float) -> float:
    """The seconds it took."""
    start = time.monotonic()
    while not is_so():
        assert time.monotonic() - start < seconds, "it did not happen in time"
        time.sleep(0.02)
    return time.monotonic() - start


def has_fit(engine: Engine, labels: int) -> bool:
    """Whether the saved posterior knows this many retrieval labels."""
    found = fitting.read_latest(engine, STUDY)
    return (
        found is not None
        and bool(found.fits)
        and found.behind == 0
        and all(fit.summary["labels"]["retrieval"] == labels for fit in found.fits)
    )


def upload(engine: Engine, path: Path) -> JobStatus:
    """A queued import, claimed as the worker does."""
    queued = uploads.queue_import(engine, Upload(STUDY, path, "lead", {}, False, 3), START)
    with transaction(engine) as session:
        claimed = jobs.claim(session, tuple(working.JOBS), START)
    assert claimed is not None
    assert claimed.id == queued
    return claimed


def test_a_worker_follows_labels_and_jobs_is_alone_and_ends_with_its_parent(
    sqlite_engine: Engine, tmp_path: Path
) -> None:
    engine = sqlite_engine
    make_study(engine, tmp_path, plain_rows(3))
    environment = os.environ | {
        "DATABASE_URL": str(engine.url),
        "PYTHONPATH": str(ROOT),
        "RATCHET_CACHE_DIR": str(tmp_path),
    }
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT], env=environment, stdout=subprocess.PIPE, text=True
    )
    assert parent.stdout is not None
    worker = psutil.Process(int(parent.stdout.readline()))
    try:
        wait_until(lambda: has_fit(engine, 0), 60)
        with worker_lock(engine) as is_mine:
            assert not is_mine
        answer_next(engine, ANNA)
        wait_until(lambda: has_fit(engine, 1), 10)  # a second, where nothing else runs
        (tmp_path / "more.csv").write_text("item_id,query,answer\nnew,Q?,A\n")
        wish = Upload(STUDY, tmp_path / "more.csv", "lead", {}, False, 1)
        job = uploads.queue_import(engine, wish, START)
        wait_until(lambda: uploads.read_job(engine, job).state == JobState.DONE, 20)
        assert len(export_rows(engine, Kind.ITEMS)) == 4
    finally:
        parent.send_signal(signal.SIGKILL)
        parent.wait()
        parent.stdout.close()
    wait_until(lambda: not worker.is_running(), 30)
    with worker_lock(engine) as is_mine:
        assert is_mine


def test_a_job_that_fails_says_why_and_changes_nothing(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "bad.csv").write_text("item_id,query\na,q\na,q\n")
    job = upload(engine, tmp_path / "bad.csv")
    working.run_job(engine, job)
    found = uploads.read_job(engine, job.id)
    assert found.state == JobState.FAILED
    assert "Rows 1 and 2 both have the item_id 'a'" in found.message
    assert (tmp_path / "bad.csv").exists()


def test_a_job_that_is_cancelled_rolls_its_import_back(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("item_id,query\na,q\n")
    job = upload(engine, tmp_path / "rows.csv")
    uploads.cancel_job(engine, job.id)
    working.run_job(engine, job)
    assert uploads.read_job(engine, job.id).state == JobState.CANCELLED
    with pytest.raises(StoreError, match="no study"):
        export_rows(engine, Kind.ITEMS)


def test_an_error_nobody_expected_is_loud_and_leaves_no_job_that_looks_done(
    engine: Engine, tmp_path: Path
) -> None:
    (tmp_path / "rows.csv").write_text("item_id,query\na,q\n")
    job = upload(engine, tmp_path / "rows.csv")
    broken = job._replace(arguments={"path": str(tmp_path / "rows.csv")})
    with pytest.raises(KeyError):
        working.run_job(engine, broken)
    assert uploads.read_job(engine, job.id).state == JobState.FAILED


def test_an_imported_upload_is_removed_and_one_that_wants_confirmation_is_kept(
    engine: Engine, tmp_path: Path
) -> None:
    path = tmp_path / "rows.csv"
    for answer, is_kept in (("A", False), ("B", True)):
        path.write_text(f"item_id,query,answer\na,q,{answer}\n")
        job = upload(engine, path)
        working.run_job(engine, job)
        result = uploads.read_job(engine, job.id).result
        assert result is not None
        assert result["needs_confirmation"] is is_kept
        assert path.exists() is is_kept
