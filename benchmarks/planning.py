"""What does planning cost? Posteriors in a batch, the default plan, the next label.

A study of 1,000 items, and one of a million with the same labels: nothing may depend on how many
items there are.
"""

import statistics
import time
from collections.abc import Callable

import numpy as np

from model.allocation.packages import LabelCosts
from model.allocation.plan import PlanWish, draw_curves, start_plan
from model.allocation.posteriors import draw_posteriors
from model.allocation.states import NUM_STATES, Integers, state_of, table_of
from model.allocation.targets import Target
from model.rat.cells import UNOBSERVED as U
from model.rat.exact import fit_exact
from model.rat.priors import get_priors
from workflow.recommending import DRAWS, recommend

UNIFORM = get_priors("uniform")
REPEATS = 5
POSTERIORS, POSTERIOR_DRAWS = 10_000, 1000
LABELLED = {
    (1, 0, U): 15,
    (1, 1, U): 3,
    (0, 0, 0): 8,
    (0, 0, 1): 2,
    (0, 1, 0): 4,
    (0, 1, 1): 18,
    (0, U, 1): 20,
    (0, U, 0): 10,
}


def main() -> None:
    """Print one table."""
    small, large = study_of(1_000), study_of(1_000_000)
    print("| what | items | seconds |\n| --- | --- | --- |")
    batch = _median(lambda: _batch(small), 3)
    print(f"| {POSTERIORS:,} posteriors of {POSTERIOR_DRAWS:,} draws | 1,000 | {batch:.2f} |")
    for items, counts in ((1_000, small), (1_000_000, large)):
        first, whole = _plan(counts)
        print(f"| default plan: first curve | {items:,} | {first:.2f} |")
        print(f"| default plan: 8 strategies × 8 budgets × 200 | {items:,} | {whole:.2f} |")
    for items, counts in ((1_000, small), (1_000_000, large)):
        print(f"| next label after the fit | {items:,} | {_next(counts):.4f} |")


def study_of(num_items: int) -> Integers:
    """A study with 80 labelled items; the others wait, two thirds of them answers."""
    counts: Integers = np.zeros(NUM_STATES, dtype=np.int64)
    for pattern, number in LABELLED.items():
        counts[state_of(*pattern)] = number
    waiting = num_items - int(counts.sum())
    counts[state_of(1, U, U)] = waiting // 3
    counts[state_of(0, U, U)] = waiting - waiting // 3
    return counts


def _batch(counts: Integers) -> None:
    studies = np.repeat(counts[None], POSTERIORS // 10, axis=0)
    for seed in range(10):  # in parts, as a plan does it
        draw_posteriors(np.random.default_rng(seed), studies, UNIFORM, POSTERIOR_DRAWS)


def _plan(counts: Integers) -> tuple[float, float]:
    """Seconds until the first curve and until the last."""
    wish = PlanWish(Target(), LabelCosts(), UNIFORM, budget=400.0)
    began = time.perf_counter()
    curves = draw_curves(start_plan(table_of(counts), wish))
    next(curves)
    first = time.perf_counter() - began
    for _ in curves:
        pass
    return first, time.perf_counter() - began


def _next(counts: Integers) -> float:
    table = table_of(counts)
    rates = fit_exact(0, table, UNIFORM, DRAWS).rates
    return _median(lambda: recommend(table, Target(), LabelCosts(), UNIFORM, rates=rates), REPEATS)


def _median(run: Callable[[], object], repeats: int) -> float:
    times = []
    for _ in range(repeats):
        began = time.perf_counter()
        run()
        times.append(time.perf_counter() - began)
    return statistics.median(times)


if __name__ == "__main__":
    main()
