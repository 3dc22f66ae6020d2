"""Processes at once: the votes wanted and the budget are met exactly, never exceeded."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from sqlalchemy import Engine, func, select

from db.engine import reading
from db.tables import Answer
from tests.small_studies import STUDY, make_study, moment, plain_rows, want_votes
from workflow import collecting, labelling
from workflow.collecting import Budgets
from workflow.studies import Asks, Choices

ITEMS = 3
RETRIEVAL_ONLY = Choices(asks=Asks.RETRIEVAL)


def race(url: str, people: Sequence[str]) -> list[tuple[int, str]]:
    """Let all label at once, each in a process; what each gave and why it ended."""
    command = [sys.executable, "-m", "tests.workflow.racer", url, STUDY]
    racers = [
        subprocess.Popen([*command, name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for name in people
    ]
    for one in racers:
        assert one.stdout is not None
        assert one.stdout.readline() == "ready\n"
    outputs = [one.communicate("go\n", timeout=60)[0].split() for one in _released(racers)]
    assert [one.returncode for one in racers] == [0] * len(people)
    return [(int(labels), reason) for labels, reason in outputs]


def _released(racers: list[subprocess.Popen[str]]) -> list[subprocess.Popen[str]]:
    for one in racers:
        assert one.stdin is not None
        one.stdin.write("go\n")
        one.stdin.flush()
    return racers


@pytest.mark.behaviour(1)
def test_of_many_processes_exactly_the_votes_wanted_count(
    engine: Engine, database_url: str, tmp_path: Path
) -> None:
    make_study(engine, tmp_path, plain_rows(ITEMS), RETRIEVAL_ONLY)
    want_votes(engine, 1)
    found = race(database_url, [f"p{n}" for n in range(4)])
    assert sum(labels for labels, _ in found) == ITEMS
    with reading(engine) as session:
        votes = session.execute(
            select(func.count()).where(Answer.is_extra.is_(False)).group_by(Answer.context_id)
        )
        assert [count for (count,) in votes] == [1] * ITEMS
    assert labelling.count_labels(engine, STUDY) == (ITEMS, 0)


@pytest.mark.behaviour(9)
def test_of_many_processes_none_exceeds_the_budget(
    engine: Engine, database_url: str, tmp_path: Path
) -> None:
    make_study(engine, tmp_path, plain_rows(30), RETRIEVAL_ONLY)
    collecting.set_budgets(engine, STUDY, Budgets(in_all=20), "lead", moment(0))
    found = race(database_url, [f"p{n}" for n in range(4)])
    assert sum(labels for labels, _ in found) == 20
    assert {reason for _, reason in found} == {"budget_spent"}
    assert labelling.count_labels(engine, STUDY) == (20, 0)
