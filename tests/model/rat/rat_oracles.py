"""Truths to test the posterior against: enumeration in the original rates, and kept exact answers.

The enumeration fills in every unseen variable of every item in every way. Given a completion the
five rates are independent Betas, so moments are fractions; no step is shared with the engines.
"""

import itertools
import json
import math
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from scipy.special import betaln, gammaln

from model.rat.cells import Array
from model.rat.counts import CountTable, from_cells
from model.rat.priors import BetaPrior, RatPriors

SHARED = Path(__file__).resolve().parents[4] / "shared"
# (R, A, T) with -9 for undefined.
OUTCOMES = ((0, 1, -9), (1, 1, -9), (0, 0, 0), (0, 0, 1), (1, 0, 0), (1, 0, 1))


class Moments(NamedTuple):
    """Exact mean and sd of the five rates and of G = (1-ρ)α₀ + ρ(1-α₁)τ₁, float64[6]."""

    mean: Array
    sd: Array


class Case(NamedTuple):
    """A count table with the answers kept for it, by quantity and figure."""

    name: str
    table: CountTable
    posterior: Mapping[str, Mapping[str, float]]


def table_of(**patterns: int) -> CountTable:
    """A table from names like a0_r1_tx=7 or a1_r0=3; x or absence is unobserved."""
    rows = [_read_pattern(name) for name in patterns]
    cells = np.array(rows, dtype=np.int8).reshape(-1, 3)
    return from_cells(cells, np.array(list(patterns.values()), dtype=np.float64))


def load_cases() -> list[Case]:
    """The six kept tables; skips the test where the folder of shared cases is absent."""
    path = SHARED / "cases" / "posterior.json"
    if not path.exists():
        pytest.skip("the shared cases are not beside this checkout", allow_module_level=True)
    cases = json.loads(path.read_text())["cases"]
    return [Case(c["name"], table_of(**_plain(c["counts"])), c["posterior"]) for c in cases]


def enumerate_posterior(table: CountTable, priors: RatPriors) -> Moments:
    """Exact moments by summing over all completions of the items of a small table."""
    completions = _completions(table)
    log_evidence = np.array([log + _log_evidence(cells, priors) for cells, log in completions])
    weights = np.exp(log_evidence - log_evidence.max())
    weights /= weights.sum()
    moments = np.array([_moments(_posterior_shapes(cells, priors)) for cells, _ in completions])
    mean, square = weights @ moments[:, 0], weights @ moments[:, 1]
    return Moments(mean, np.sqrt(square - mean**2))


def error_of_mean(draws: Array, ess: float) -> float:
    """Monte Carlo standard error of a mean."""
    return float(draws.std() / math.sqrt(ess))


def error_of_sd(draws: Array, ess: float) -> float:
    """Monte Carlo standard error of a standard deviation: √((m₄-σ⁴)/n) / 2σ."""
    centred = draws - draws.mean()
    fourth, variance = float(np.mean(centred**4)), float(draws.var())
    return math.sqrt(max(fourth - variance**2, 0.0) / ess) / (2 * math.sqrt(variance))


def _read_pattern(name: str) -> list[int]:
    seen = {part[0]: part[1] for part in name.split("_")}
    return [{"0": 0, "1": 1}.get(seen.get(letter, "x"), -1) for letter in "art"]


def _plain(counts: Mapping[str, int]) -> dict[str, int]:
    return {name.replace("?", "x"): count for name, count in counts.items()}


def _agrees(pattern: Array, outcome: tuple[int, int, int]) -> bool:
    retrieval, abstained, task = outcome
    return all(
        seen in (-1, true) for seen, true in zip(pattern, (abstained, retrieval, task), strict=True)
    )


def _completions(table: CountTable) -> list[tuple[tuple[int, ...], float]]:
    """Every possible six cell counts with the log of the number of ways to reach them."""
    reached: dict[tuple[int, ...], float] = {(0,) * 6: 0.0}
    for pattern, count in zip(table.cells, table.counts, strict=True):
        open_cells = [i for i, outcome in enumerate(OUTCOMES) if _agrees(pattern, outcome)]
        following: dict[tuple[int, ...], list[float]] = defaultdict(list)
        for cells, log in reached.items():
            for split in _splits(int(count), len(open_cells)):
                after = list(cells)
                for position, number in zip(open_cells, split, strict=True):
                    after[position] += number
                ways = gammaln(count + 1) - sum(gammaln(n + 1) for n in split)
                following[tuple(after)].append(log + ways)
        reached = {cells: float(np.logaddexp.reduce(logs)) for cells, logs in following.items()}
    return list(reached.items())


def _splits(total: int, parts: int) -> Iterator[tuple[int, ...]]:
    """All ways to write total as an ordered sum of parts."""
    for bars in itertools.combinations(range(total + parts - 1), parts - 1):
        edges = (-1, *bars, total + parts - 1)
        yield tuple(edges[i + 1] - edges[i] - 1 for i in range(parts))


def _posterior_shapes(cells: tuple[int, ...], priors: RatPriors) -> list[BetaPrior]:
    silent0, silent1, wrong0, right0, wrong1, right1 = cells
    answered0, answered1 = wrong0 + right0, wrong1 + right1
    ones = (silent1 + answered1, silent0, silent1, right0, right1)
    zeros = (silent0 + answered0, answered0, answered1, wrong0, wrong1)
    return [
        BetaPrior(p.alpha + one, p.beta + zero)
        for p, one, zero in zip(priors, ones, zeros, strict=True)
    ]


def _log_evidence(cells: tuple[int, ...], priors: RatPriors) -> float:
    after = _posterior_shapes(cells, priors)
    pairs = zip(after, priors, strict=True)
    return float(sum(betaln(*posterior) - betaln(*prior) for posterior, prior in pairs))


def _moments(shapes: list[BetaPrior]) -> list[list[float]]:
    """First and second moments of the five rates and of G."""
    first = [a / (a + b) for a, b in shapes]
    second = [a * (a + 1) / ((a + b) * (a + b + 1)) for a, b in shapes]
    (rho, alpha0, alpha1, _, tau1), (rho2, alpha02, alpha12, _, tau12) = first, second
    mean = (1 - rho) * alpha0 + rho * (1 - alpha1) * tau1
    # G² = (1-ρ)²α₀² + 2ρ(1-ρ)α₀(1-α₁)τ₁ + ρ²(1-α₁)²τ₁², all factors independent.
    square = (1 - 2 * rho + rho2) * alpha02
    square += 2 * (rho - rho2) * alpha0 * (1 - alpha1) * tau1
    square += rho2 * (1 - 2 * alpha1 + alpha12) * tau12
    return [[*first, mean], [*second, square]]
