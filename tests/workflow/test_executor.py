"""A plan on a real Dask cluster: two worker processes, the same numbers as here."""

import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from model.allocation.packages import LabelCosts
from model.allocation.plan import PlanWish, draw_curve, start_plan
from model.allocation.states import table_of
from model.allocation.strategies import StrategyName
from model.allocation.targets import Target
from model.rat.priors import get_priors
from tests.model.allocation.studies import PILOT
from workflow.errors import RatchetError
from workflow.executor import SCHEDULER, spread

ROOT = Path(__file__).parents[2]
WISH = PlanWish(
    Target(),
    LabelCosts(),
    get_priors("uniform"),
    budget=60.0,
    replicates=12,
    num_budgets=2,
    num_draws=200,
)
CLUSTER = """
import sys
from distributed import LocalCluster

if __name__ == "__main__":
    with LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None,
        host="127.0.0.1", scheduler_port=0,
    ) as cluster:
        print(cluster.scheduler_address, flush=True)
        sys.stdin.read()
"""


@pytest.fixture(scope="module")
def scheduler(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a cluster in processes of its own."""
    script = tmp_path_factory.mktemp("dask") / "cluster.py"
    script.write_text(CLUSTER, encoding="utf-8")
    process = subprocess.Popen(
        [sys.executable, str(script)],
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    yield process.stdout.readline().strip()
    process.stdin.close()
    process.wait(timeout=30)
    process.stdout.close()


@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning")
def test_a_plan_on_dask_has_the_same_numbers(
    scheduler: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    compute = partial(draw_curve, start_plan(table_of(PILOT), WISH))
    names = [StrategyName.BOTH, StrategyName.TASK_FIRST, StrategyName.OPTIMAL]
    here = list(spread(compute, names))
    monkeypatch.setenv(SCHEDULER, scheduler)
    there = list(spread(compute, names))
    assert there == here
    assert [curve.name for curve in there] == names


def test_a_cluster_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SCHEDULER, "tcp://127.0.0.1:1")
    monkeypatch.setattr("workflow.executor.CONNECT_SECONDS", 0.5)
    with pytest.raises(RatchetError, match=r"no Dask scheduler answers there.*Start it"):
        list(spread(str, [1]))
