"""What a posterior costs, by engine and number of items; prints a table.

Medians of repeated refreshes in one process after start-up; the ratio to 500 items comes from the
same run. Compile times come from fresh processes with an empty and with a filled cache.
"""

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

import numpy as np

from model.rat.counts import CountTable, from_cells
from model.rat.exact import DEFAULT_DRAWS, fit_exact
from model.rat.nuts import DEFAULT_SETTINGS, fit_nuts, fit_nuts_all, num_compilations, warm_up
from model.rat.priors import get_priors

SIZES = (500, 5_000, 1_000_000)
REPEATS = 15
UNIFORM = get_priors("uniform")
# Patterns of a typical study and their shares of its items.
SHARES = {
    (1, 0, -1): 0.08,
    (1, 1, -1): 0.01,
    (1, -1, -1): 0.30,
    (0, 0, 0): 0.02,
    (0, 0, 1): 0.01,
    (0, 1, 0): 0.01,
    (0, 1, 1): 0.04,
    (0, 1, -1): 0.05,
    (0, -1, 0): 0.04,
    (0, -1, 1): 0.06,
    (0, -1, -1): 0.38,
}
COMPILE = (
    "import time; start = time.monotonic()\n"
    "from pathlib import Path; from workflow.programs import compile_nuts\n"
    "compile_nuts(Path({folder!r}))\n"
    "print(time.monotonic() - start)\n"
)


def main() -> None:
    """Print the costs of both engines and of compiling."""
    warm_up()
    before = num_compilations()
    lines = ["| engine | items | median ms | ratio to 500 items |", "| --- | --- | --- | --- |"]
    chains, warmup, samples, _ = DEFAULT_SETTINGS
    nuts = f"NUTS, {chains} × ({warmup} + {samples})"
    for name, fit in ((f"exact, {DEFAULT_DRAWS} draws", _exact), (nuts, _nuts)):
        medians = _medians(fit)
        lines += [
            f"| {name} | {size:,} | {1e3 * median:.1f} | {median / medians[SIZES[0]]:.2f} |"
            for size, median in medians.items()
        ]
    print("\n".join(lines))
    print(f"\nthree systems by NUTS at once: {1e3 * _three_systems():.0f} ms")
    print(f"new compilations during these fits: {num_compilations() - before}")
    with tempfile.TemporaryDirectory() as folder:
        cold, warm = _start(folder), _start(folder)
    print(f"first posterior of a fresh process: {cold:.1f} s cold, {warm:.1f} s with a warm cache")


def study_of(num_items: int) -> CountTable:
    """The count table of a typical study of this size."""
    cells = np.array(list(SHARES), dtype=np.int8)
    return from_cells(cells, np.round(num_items * np.array(list(SHARES.values()))))


def _exact(seed: int, table: CountTable) -> object:
    return fit_exact(seed, table, UNIFORM)


def _nuts(seed: int, table: CountTable) -> object:
    return fit_nuts(seed, table, UNIFORM)


def _three_systems() -> float:
    """The median of a refresh of three systems together."""
    tables = [study_of(size) for size in SIZES]
    times = []
    for seed in range(REPEATS):
        start = time.perf_counter()
        fit_nuts_all([seed, seed + 1, seed + 2], tables, UNIFORM)
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def _medians(fit: Callable[[int, CountTable], object]) -> dict[int, float]:
    """The sizes take turns, so that a slow moment of the machine hits all of them."""
    tables = {size: study_of(size) for size in SIZES}
    times: dict[int, list[float]] = {size: [] for size in SIZES}
    for seed in range(REPEATS):
        for size, table in tables.items():
            start = time.perf_counter()
            fit(seed, table)
            times[size].append(time.perf_counter() - start)
    return {size: statistics.median(found) for size, found in times.items()}


def _start(folder: str) -> float:
    command = [sys.executable, "-c", COMPILE.format(folder=folder)]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


if __name__ == "__main__":
    main()
