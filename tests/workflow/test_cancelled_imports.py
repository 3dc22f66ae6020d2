"""Cancel of an import that runs: nothing of it stays, and the next import finds a clean place."""

from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import Engine, func, select

from db import jobs
from db.engine import transaction
from db.formats.batches import BATCH_BYTES
from db.formats.reading import open_table
from db.jobs import JobState, JobStatus
from db.tables import Base, Job
from tests.small_studies import (
    ANNA,
    START,
    STUDY,
    answer_next,
    export_bytes,
    export_rows,
    make_study,
    plain_rows,
    question,
)
from workflow import fitting, uploads, working
from workflow.exporting import Kind
from workflow.uploads import Upload

Tell = Callable[[float, str], None]
LONG = "x" * (BATCH_BYTES // 10)  # ten rows fill what is held at once
NEW_ROWS = 35


def long_file(folder: Path) -> Path:
    """New items, systems and labels in more than one batch."""
    path = folder / "long.csv"
    rows = [f"n{n},new,N{n}?,{LONG},A,1,1,carl\n" for n in range(NEW_ROWS)]
    header = "item_id,system,query,contexts,answer,retrieval_label,task_label,annotator\n"
    path.write_text(header + "".join(rows))
    return path


def claimed_import(engine: Engine, path: Path) -> JobStatus:
    """A queued import, claimed as the worker does."""
    uploads.queue_import(engine, Upload(STUDY, path, "lead", {}, False, NEW_ROWS), START)
    with transaction(engine) as session:
        job = jobs.claim(session, tuple(working.JOBS), START)
    assert job is not None
    return job


def run_and_cancel_after(
    engine: Engine, job: JobStatus, reports: int, monkeypatch: pytest.MonkeyPatch
) -> list[str]:
    """Run the job; Cancel is pressed once it has reported so often. What it reported."""
    reported: list[str] = []

    def watched(engine: Engine, job: JobStatus, tell: Tell) -> dict[str, object]:
        def tell_and_press(progress: float, message: str) -> None:
            tell(progress, message)
            reported.append(message)
            if len(reported) == reports:
                uploads.cancel_job(engine, job.id)

        return working.import_uploaded(engine, job, tell_and_press)

    with monkeypatch.context() as patched:
        patched.setitem(working.JOBS, uploads.KIND, watched)
        working.run_job(engine, job)
    return reported


def everything(engine: Engine) -> dict[str, int]:
    """Rows of every table but that of the jobs."""
    with engine.connect() as connection:
        return {
            name: connection.scalar(select(func.count()).select_from(table)) or 0
            for name, table in Base.metadata.tables.items()
            if name != Job.__tablename__
        }


def test_a_running_import_that_is_cancelled_leaves_nothing_and_the_next_one_works(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_study(engine, tmp_path, plain_rows(3))
    answer_next(engine, ANNA)
    held = question(engine, ANNA)
    path = long_file(tmp_path)
    before = everything(engine)
    files = export_bytes(engine, Kind.ITEMS), export_bytes(engine, Kind.LABELS, every=True)
    revision = fitting.read_due(engine, STUDY).revision

    job = claimed_import(engine, path)
    reported = run_and_cancel_after(engine, job, 1, monkeypatch)
    assert len(reported) == 1  # it stopped at the next batch, long before the last row
    assert reported[0] != f"{NEW_ROWS} rows read"
    found = uploads.read_job(engine, job.id)
    assert (found.state, found.result) == (JobState.CANCELLED, None)
    assert found.message == "Cancelled; nothing was changed."

    assert everything(engine) == before
    assert (export_bytes(engine, Kind.ITEMS), export_bytes(engine, Kind.LABELS, every=True)) == (
        files
    )
    assert fitting.read_due(engine, STUDY).revision == revision
    assert question(engine, ANNA) == held

    again = claimed_import(engine, path)
    working.run_job(engine, again)
    assert uploads.read_job(engine, again.id).state == JobState.DONE
    assert len(export_rows(engine, Kind.ITEMS)) == 3 + NEW_ROWS
    assert len(export_rows(engine, Kind.LABELS)) == 1 + 2 * NEW_ROWS


def test_a_cancel_after_the_last_row_was_read_finds_the_whole_import_in(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The twin: from there on nothing is asked any more, and all or nothing means all.
    make_study(engine, tmp_path, plain_rows(3))
    path = long_file(tmp_path)
    num_batches = sum(1 for _ in open_table(path).batches())
    assert num_batches > 1
    job = claimed_import(engine, path)
    run_and_cancel_after(engine, job, num_batches, monkeypatch)
    assert uploads.read_job(engine, job.id).state == JobState.DONE
    assert len(export_rows(engine, Kind.ITEMS)) == 3 + NEW_ROWS
    assert len(export_rows(engine, Kind.LABELS)) == 2 * NEW_ROWS
