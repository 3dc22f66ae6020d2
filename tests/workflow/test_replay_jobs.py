"""A replay as a job: the labels of a study, bought back by every strategy."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import Engine

from model.allocation.strategies import StrategyName
from tests.small_studies import csv_text
from workflow import importing, replay_jobs, uploads
from workflow.errors import RatchetError
from workflow.planning import PlanRequest
from workflow.replay_jobs import ReplayWish
from workflow.uploads import JobState
from workflow.working import run_job

NOW = datetime(2026, 1, 2, tzinfo=UTC)
HEADER = ("item_id", "query", "answer", "retrieval_label", "task_label")
ROWS = [(f"i{n}", f"Q{n}", f"A{n}", str(int(n % 4 != 0)), str(int(n % 3 != 0))) for n in range(60)]
WISH = ReplayWish(PlanRequest(budget=12.0, num_draws=200), pilot=20)


@pytest.fixture
def study(engine: Engine, tmp_path: Path) -> Engine:
    """Sixty answers of one system with both labels, ten without."""
    rows = [*ROWS, *((f"o{n}", f"O{n}", "A", "", "") for n in range(10))]
    path = tmp_path / "rows.csv"
    path.write_bytes(csv_text(HEADER, rows).encode())
    importing.import_file(engine, importing.Request("S", path, "ada", {}, False, False), NOW)
    return engine


def test_every_strategy_is_replayed_and_the_rows_are_kept(
    study: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replay_jobs, "MASKINGS", 10)
    assert replay_jobs.count_labelled(study, "S", "default") == 60
    job_id = replay_jobs.queue_replay(study, "S", "default", WISH, NOW)
    with pytest.raises(RatchetError, match="under way already"):
        replay_jobs.queue_replay(study, "S", "default", WISH, NOW)
    run_job(study, uploads.read_job(study, job_id))
    done = replay_jobs.read_replay(study, "S", "default")
    assert done is not None
    assert done.state == JobState.DONE
    assert done.result is not None
    assert [row["name"] for row in done.result["rows"]] == list(StrategyName)
    assert (done.result["items"], done.result["left_out"]) == (60, 10)


def test_a_pilot_larger_than_the_study_fails_with_its_reason(study: Engine) -> None:
    wish = WISH._replace(pilot=61)
    job_id = replay_jobs.queue_replay(study, "S", "default", wish, NOW)
    run_job(study, uploads.read_job(study, job_id))
    failed = replay_jobs.read_replay(study, "S", "default")
    assert failed is not None
    assert failed.state == JobState.FAILED
    assert "pilot of 61 items was asked for and there are 60" in failed.message
