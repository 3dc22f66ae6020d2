"""How many labels does the next-label rule need to ±5 points, against the other rules?

Simulated studies that follow a rule until their 95 % interval is narrow enough: the next-label
rule, settling, and random choice with both labels. Writes docs/proof_next.md.
"""

import argparse
import time
from pathlib import Path

import numpy as np

from benchmarks.proof_plan import GENERATORS
from model.allocation.follow import Goal, Journey, Rule, follow_next, travel
from model.allocation.packages import LabelCosts
from model.allocation.replay import studies_of_truth
from model.allocation.simulate import Setting
from model.allocation.strategies import STRATEGIES, StrategyName
from model.allocation.targets import Target
from model.rat.cells import Array
from model.rat.derived import Rates
from model.rat.priors import get_priors

REPORT = Path(__file__).parent.parent / "docs" / "proof_next.md"
ITEMS, PILOT, HALF_WIDTH, LIMIT = 1000, 50, 0.05, 900.0
# One look after each label would be the rule itself; after a few the proof ends within minutes.
STEP = 4.0
STUDIES = 50  # of each truth
TRUTHS = tuple((rho, *rest) for rest, rho in zip(GENERATORS, (0.5, 0.8, 0.35, 0.7), strict=True))
RULES: dict[str, Rule] = {
    "next": follow_next,
    "settle": STRATEGIES[StrategyName.SETTLE],
    "random, both labels": STRATEGIES[StrategyName.BOTH],
}


def main() -> None:
    """Follow the rules and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=STUDIES)
    studies = parser.parse_args().studies
    began = time.monotonic()
    rows = []
    for number, truth in enumerate(TRUTHS):
        journeys = {name: _follow(truth, rule, studies, number) for name, rule in RULES.items()}
        rows.append(_row(truth, journeys))
        print(rows[-1], flush=True)
    text = report(rows, studies * len(TRUTHS), time.monotonic() - began)
    REPORT.write_text(text, encoding="utf-8")
    print(text)


def report(rows: list[str], studies: int, seconds: float) -> str:
    """The rows as a page of Markdown."""
    lines = [
        "# Labels until the interval is narrow enough",
        "",
        f"Written by `python -m benchmarks.proof_next`: {studies} studies of {ITEMS} items,",
        f"{PILOT} labelled fully at random, followed until ±{100 * HALF_WIDTH:g} points of policy",
        f"adherence (95 % interval), {STEP:g} labels between looks; mean labels ± standard error,",
        f"and the share of intervals that hold the truth at the stop. {seconds:.0f} s.",
        "",
        f"| ρ α₀ α₁ τ₀ τ₁ | {' | '.join(RULES)} | next against settle | against random |"
        " covered by next |",
        "| --- | --- | --- | --- | --- | --- | --- |",
        *rows,
    ]
    return "\n".join(lines) + "\n"


def _follow(truth: tuple[float, ...], rule: Rule, studies: int, seed: int) -> Journey:
    setting = Setting(Target(), LabelCosts(), get_priors("uniform"), seed, num_draws=600)
    rates = Rates(*(np.asarray(rate) for rate in truth))
    start = studies_of_truth(setting, rates, ITEMS, PILOT, studies)
    return travel(setting, start, rule, Goal(HALF_WIDTH, LIMIT, STEP))


def _row(truth: tuple[float, ...], journeys: dict[str, Journey]) -> str:
    needed = {name: journey.labels for name, journey in journeys.items()}
    cells = " | ".join(_mean(labels) for labels in needed.values())
    following = needed["next"]
    against = [1 - following.mean() / needed[name].mean() for name in list(RULES)[1:]]
    covered = journeys["next"].is_covered.mean()
    words = " ".join(f"{share:g}" for share in truth)
    return (
        f"| {words} | {cells} | {against[0]:.1%} fewer | {against[1]:.1%} fewer | {covered:.1%} |"
    )


def _mean(labels: Array) -> str:
    return f"{labels.mean():.0f} ± {labels.std(ddof=1) / np.sqrt(len(labels)):.1f}"


if __name__ == "__main__":
    main()
