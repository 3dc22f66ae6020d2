"""Is the optimal mix ever beaten, and what does it save? A grid of truths, budgets and prices.

40 truths (ρ from .2 to .9, generators that abstain when retrieval fails and generators that do not)
× 3 budgets × 3 ratios of prices; studies of 600 items, 40 of them labelled fully at random. Every
strategy gets the same studies. Writes docs/proof_plan.md.
"""

import argparse
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np

from model.allocation.packages import LabelCosts
from model.allocation.simulate import Setting, Studies, simulate
from model.allocation.states import NUM_STATES, Integers, state_of
from model.allocation.strategies import StrategyName
from model.allocation.targets import Target, true_value
from model.rat.cells import CELL_ABSTAINED, CELL_RETRIEVAL, CELL_TASK, UNOBSERVED, Array
from model.rat.derived import Rates, cell_probabilities
from model.rat.priors import get_priors

REPORT = Path(__file__).parent.parent / "docs" / "proof_plan.md"
ITEMS, PILOT = 600, 40
BUDGETS = (100.0, 200.0, 400.0)
PRICES = {
    "R 1, T 1": LabelCosts(1, 1, 1),
    "R 2, T 1": LabelCosts(2, 1, 1),
    "R 1, T 2, after R 1": LabelCosts(1, 2, 1),
}
RETRIEVAL = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.875, 0.9)
# (α₀, α₁, τ₀, τ₁): two generators that abstain after failed retrieval, two that answer anyway.
GENERATORS = (
    (0.6, 0.1, 0.2, 0.8),
    (0.54, 0.013, 0.025, 0.71),
    (0.05, 0.02, 0.25, 0.6),
    (0.1, 0.02, 0.05, 0.85),
)
PAPERS = (StrategyName.ALL_RETRIEVAL, StrategyName.ALL_TASK, StrategyName.BOTH)
REPLICATES = 200


class Cell(NamedTuple):
    """One truth, budget and price: mean sds, and optimal against the best other strategy.

    excess: optimal / best other − 1; its standard error is that of paired studies. saved: the
    share of labels that optimal spares against the best of the paper's three for its own width.
    """

    truth: tuple[float, ...]
    budget: float
    price: str
    sd: dict[StrategyName, float]
    best_other: StrategyName
    excess: float
    excess_se: float
    saved: float


def main() -> None:
    """Run the grid and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replicates", type=int, default=REPLICATES)
    replicates = parser.parse_args().replicates
    start = time.monotonic()
    cells: list[Cell] = []
    truths = [(rho, *rest) for rest in GENERATORS for rho in RETRIEVAL]
    for number, truth in enumerate(truths):
        for price, costs in PRICES.items():
            cells += run(truth, price, costs, replicates, seed=number)
        above = sum(cell.excess > 2 * cell.excess_se for cell in cells)
        worst = max(cells, key=lambda cell: cell.excess / cell.excess_se)
        print(
            f"{number + 1}/{len(truths)}: {above} of {len(cells)} above two errors; worst"
            f" {worst.truth} {worst.price} {worst.budget:g}: {worst.excess:+.2%} ±"
            f" {worst.excess_se:.2%} against {worst.best_other}",
            flush=True,
        )
    REPORT.write_text(report(cells, replicates, time.monotonic() - start), encoding="utf-8")
    print(report(cells, replicates, time.monotonic() - start))


def run(
    truth: tuple[float, ...], price: str, costs: LabelCosts, replicates: int, seed: int
) -> list[Cell]:
    """All strategies on one truth at one price, at every budget."""
    setting = Setting(Target(), costs, get_priors("uniform"), seed)
    studies = studies_of(truth, replicates, seed)
    budgets = np.array(BUDGETS)
    # A row of budgets more, to read off how much the others need for the same width.
    wide = np.array(sorted({*BUDGETS, *(b * f for b in BUDGETS for f in (1.15, 1.35, 1.6))}))
    results = {
        name: simulate(setting, studies, name, wide if name in PAPERS else budgets).sd
        for name in StrategyName
    }
    cells = []
    for number, budget in enumerate(BUDGETS):
        at = {name: int(np.flatnonzero(wide == budget)[0]) for name in PAPERS}
        sds = {name: sd[at.get(name, number)] for name, sd in results.items()}
        others = {name: sd for name, sd in sds.items() if name != StrategyName.OPTIMAL}
        best = min(others, key=lambda name: float(others[name].mean()))
        apart = sds[StrategyName.OPTIMAL] - others[best]
        cells.append(
            Cell(
                truth,
                budget,
                price,
                {name: float(sd.mean()) for name, sd in sds.items()},
                best,
                float(apart.mean() / others[best].mean()),
                float(apart.std(ddof=1) / np.sqrt(replicates) / others[best].mean()),
                _saved(results, wide, budget, float(sds[StrategyName.OPTIMAL].mean())),
            )
        )
    return cells


def studies_of(truth: tuple[float, ...], replicates: int, seed: int) -> Studies:
    """Studies of one truth: A known, a random pilot labelled fully."""
    rng = np.random.default_rng([seed, 1])
    rates = Rates(*(np.full(replicates, share) for share in truth))
    cells = rng.multinomial(ITEMS, np.stack(cell_probabilities(rates), axis=1))
    hidden: Integers = np.zeros((replicates, NUM_STATES, 6), dtype=np.int64)
    for study in range(replicates):
        pilot = rng.multivariate_hypergeometric(cells[study], PILOT)
        for cell in range(6):
            abstained = int(CELL_ABSTAINED[cell])
            fresh = state_of(abstained, UNOBSERVED, UNOBSERVED)
            task = UNOBSERVED if abstained else int(CELL_TASK[cell])
            known = state_of(abstained, int(CELL_RETRIEVAL[cell]), task)
            hidden[study, fresh, cell] += cells[study, cell] - pilot[cell]
            hidden[study, known, cell] += pilot[cell]
    return Studies(hidden, true_value(Target(), hidden, rates))


def report(cells: list[Cell], replicates: int, seconds: float) -> str:
    """The grid as a page of Markdown."""
    scores = np.array([cell.excess / cell.excess_se for cell in cells])
    saved = np.array([cell.saved for cell in cells])
    lines = [
        "# The optimal mix against every other strategy",
        "",
        f"Written by `python -m benchmarks.proof_plan`: {len(cells)} cells, 40 truths × 3 budgets",
        f"× 3 ratios of prices, {replicates} paired studies each of {ITEMS} items with {PILOT}",
        f"labelled fully; expected posterior sd of policy adherence. {seconds:.0f} s.",
        "",
        f"- cells in which `optimal` is worse than the best other strategy by more than two"
        f" standard errors: {int((scores > 2).sum())} of {len(cells)}"
        f" (worst {max(cell.excess for cell in cells):+.2%}, {scores.max():+.1f} errors)",
        f"- on average its sd is {np.mean([cell.excess for cell in cells]):+.2%} off the best",
        f"- labels (money) spared against the best of All-R, All-T and both for the same sd:"
        f" {saved.mean():.1%} on average, from {saved.min():.1%} to {saved.max():.1%}",
        "",
        "| ρ α₀ α₁ τ₀ τ₁ | prices | budget | All-R | All-T | both | T first | R first | settle |"
        " optimal | against best other | spared |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    shown = (
        *PAPERS,
        StrategyName.TASK_FIRST,
        StrategyName.RETRIEVAL_FIRST,
        StrategyName.SETTLE,
        StrategyName.OPTIMAL,
    )
    for cell in cells:
        sds = " | ".join(f"{cell.sd[name]:.4f}" for name in shown)
        lines.append(
            f"| {' '.join(f'{share:g}' for share in cell.truth)} | {cell.price} | {cell.budget:g} |"
            f" {sds} | {cell.excess:+.1%} ± {cell.excess_se:.1%} | {cell.saved:.0%} |"
        )
    return "\n".join(lines) + "\n"


def _saved(results: dict[StrategyName, Array], wide: Array, budget: float, wanted: float) -> float:
    """1 − budget / what the best of the paper's three needs for this sd, read in logarithms."""
    needs = []
    for name in PAPERS:
        sds = results[name].mean(axis=1)
        if sds.min() <= wanted:
            needs.append(float(np.exp(np.interp(-np.log(wanted), -np.log(sds), np.log(wide)))))
    return 1 - budget / min(needs) if needs else 1 - budget / float(wide[-1])


if __name__ == "__main__":
    main()
