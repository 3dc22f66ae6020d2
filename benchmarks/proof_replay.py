"""Does a plan keep its word on real labels? Hide them, plan, buy them back, compare.

Takes a file with every label, as `ratchet simulate` does: per system and strategy the half-width
that plans from 50 labelled items promised and the one that was reached, and how often the interval
of this test set holds the value of the full file. Writes docs/proof_replay.md.
"""

import argparse
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np

from model.allocation.replay import Replayed, predict, replay, studies_of_file
from model.allocation.simulate import Setting
from model.allocation.states import Integers
from model.allocation.strategies import StrategyName
from model.allocation.targets import Population
from model.rat.policy import get_policy
from model.rat.priors import get_priors
from workflow import fitting
from workflow.filecounts import AbstentionFrom, count_file
from workflow.planning import PlanRequest
from workflow.replaying import PREDICTIONS, fully_labelled, to_setting
from workflow.reports import FitSettings
from workflow.words import STRATEGY_WORDS

REPORT = Path(__file__).parent.parent / "docs" / "proof_replay.md"
PILOT, BUDGET = 50, 150.0
# Widths settle after 100 maskings; a coverage of .95 has an error of .011 after 400.
MASKINGS, COVERAGE_MASKINGS = 100, 400
SETTINGS = FitSettings(get_policy("rat"), get_priors("uniform"), 0.95)


class Kept(NamedTuple):
    """One strategy on one system: the promise, what came of it, and how often it covers."""

    system: str
    items: int
    population: Population
    found: Replayed
    coverage: float

    @property
    def excess(self) -> float:
        """The realised half-width over the promised one, − 1."""
        return self.found.half_width / self.found.predicted_half_width - 1


def main() -> None:
    """Replay every system of a file for both populations and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--maskings", type=int, default=MASKINGS)
    parser.add_argument("--coverage-maskings", type=int, default=COVERAGE_MASKINGS)
    parser.add_argument("--output", type=Path, default=REPORT)
    asked = parser.parse_args()
    began = time.monotonic()
    rows = [
        row
        for system, table in fitting.tables_of(
            count_file(asked.file, {}, AbstentionFrom.COLUMN)
        ).items()
        for population in (Population.TEST_SET, Population.FUTURE)
        for row in replay_system(
            system, fully_labelled(table)[0], population, (asked.maskings, asked.coverage_maskings)
        )
    ]
    asked.output.write_text(report(rows, asked, time.monotonic() - began), encoding="utf-8")


def replay_system(
    system: str, cells: Integers, population: Population, maskings: tuple[int, int]
) -> list[Kept]:
    """Every strategy on one system; cells: items in each true cell, int64[6]."""
    request = PlanRequest(population=population, budget=BUDGET)
    setting = to_setting(request, SETTINGS)
    studies = studies_of_file(setting, cells, PILOT, maskings[0])
    predicted = predict(setting, studies, PREDICTIONS)
    rows = []
    for name in StrategyName:
        found = replay(setting, studies, name, BUDGET, predicted)
        coverage = _coverage(setting, cells, name, maskings[1])
        rows.append(Kept(system, int(cells.sum()), population, found, coverage))
    print(system, population, f"worst {max(abs(row.excess) for row in rows):.1%}", flush=True)
    return rows


def report(rows: list[Kept], asked: argparse.Namespace, seconds: float) -> str:
    """The page: what was asked, the worst, and one table a population."""
    test_set = [row for row in rows if row.population == Population.TEST_SET]
    chosen = [
        row.coverage
        for row in test_set
        if row.found.name in (StrategyName.SETTLE, StrategyName.OPTIMAL)
    ]
    lines = [
        "# Plans replayed on real labels",
        "",
        f"Written by `python -m benchmarks.proof_replay {asked.file.name}`: a pilot of {PILOT}",
        f"items with all labels, then {BUDGET:g} labels at price 1; half-widths of the 95 %"
        " interval of",
        f"policy adherence over {asked.maskings} maskings, {PREDICTIONS} simulated studies for the"
        " plan of each;",
        f"coverage of the value of the full file over {asked.coverage_maskings}. {seconds:.0f} s.",
        "",
        "- the realised half-width is off the promised one by at most"
        f" {max(abs(row.excess) for row in rows):.1%}",
        "- the interval of this test set under `settle` and `optimal` covers in"
        f" {min(chosen):.1%} to {max(chosen):.1%}, {np.mean(chosen):.1%} on average",
    ]
    for population in (Population.TEST_SET, Population.FUTURE):
        lines += _table([row for row in rows if row.population == population], population)
    return "\n".join(lines) + "\n"


def _coverage(setting: Setting, cells: Integers, name: StrategyName, maskings: int) -> float:
    """From maskings of their own, so that the widths need fewer."""
    studies = studies_of_file(setting._replace(seed=setting.seed + 1), cells, PILOT, maskings)
    return replay(setting._replace(seed=setting.seed + 1), studies, name, BUDGET).coverage


def _table(rows: list[Kept], population: Population) -> list[str]:
    lines = [
        "",
        f"## {population.replace('_', ' ').capitalize()}",
        "",
        "| system | items | strategy | R | T | promised ± | realised ± | off by | error | covers |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for row in rows:
        found = row.found
        lines.append(
            f"| {row.system} | {row.items} | {STRATEGY_WORDS[found.name]} |"
            f" {found.retrieval_labels:.0f} | {found.task_labels:.0f} |"
            f" {found.predicted_half_width:.4f} | {found.half_width:.4f} | {row.excess:+.1%} |"
            f" {found.abs_error:.4f} | {row.coverage:.1%} |"
        )
    return lines


if __name__ == "__main__":
    main()
