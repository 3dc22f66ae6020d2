"""Saved means on disk: a process killed the moment submit returned has lost nothing."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

from sqlalchemy import Engine

from db.engine import make_engine
from tests.small_studies import STUDY, export_rows, make_study, plain_rows
from workflow import fitting, labelling
from workflow.exporting import Kind
from workflow.labelling import LabelType

# Answers until it is killed; a line is printed only after submit has returned.
ANSWERS = """
import json
from datetime import UTC, datetime
from workflow import labelling
from workflow.database import connect, database_url
from workflow.labelling import Annotator, Answered, Value
engine, anna = connect(database_url()), Annotator("Study", "anna")
while True:
    question = labelling.open_desk(engine, anna, datetime.now(UTC)).question
    answer = Answered(question.lease_id, Value.YES)
    labelling.submit(engine, anna, answer, datetime.now(UTC))
    print(json.dumps([question.item.item_id, question.label_type]), flush=True)
"""


def test_every_answer_that_was_called_saved_is_there_after_a_kill(
    engine: Engine, database_url: str, tmp_path: Path
) -> None:
    make_study(engine, tmp_path, plain_rows(300))
    process = subprocess.Popen(
        [sys.executable, "-c", ANSWERS],
        env=os.environ | {"DATABASE_URL": database_url, "PYTHONPATH": str(Path.cwd())},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    saved = [json.loads(process.stdout.readline()) for _ in range(5)]
    process.send_signal(signal.SIGKILL)
    saved += [json.loads(line) for line in process.stdout if line.endswith("\n")]
    process.wait()
    process.stdout.close()

    reopened = make_engine(database_url)
    stored = [[row["item_id"], row["label_type"]] for row in export_rows(reopened, Kind.LABELS)]
    # One more may have been committed between the commit and its line.
    assert stored[: len(saved)] == saved
    assert len(stored) - len(saved) in (0, 1)
    counts = labelling.count_labels(reopened, STUDY)
    (table,) = fitting.read_due(reopened, STUDY).tables.values()
    for label_type, column in ((LabelType.RETRIEVAL, 1), (LabelType.TASK, 2)):
        seen = sum(kind == label_type for _, kind in stored)
        assert getattr(counts, label_type) == seen
        assert table.counts[table.cells[:, column] == 1].sum() == seen
    reopened.dispose()
