"""What does a compiled sampler take and give? Arrays whose shapes no label changes.

Light to import: a program that is loaded needs neither NumPyro nor BlackJAX.
"""

from typing import NamedTuple

import jax
import numpy as np

from model.rat.cells import CELL_NAMES, Array, compatible
from model.rat.counts import CountTable, without_judges
from model.rat.layout import Layout
from model.rat.priors import RatPriors

ArrayLike = jax.Array | Array

# Human labels make at most 21 patterns; one padded length for all, so that nothing recompiles.
PADDED_PATTERNS = 32


class SamplerSettings(NamedTuple):
    """How long and how carefully NUTS runs; each new combination compiles once."""

    num_chains: int = 4
    num_warmup: int = 250
    num_samples: int = 750
    # Above the usual .8: smaller steps cost little here and leave no divergence.
    target_acceptance: float = 0.9


class PatternCounts(NamedTuple):
    """A count table for the density: open cells of each pattern [32, 6], and its count [32].

    Padding rows leave every cell open and count 0: they add 0 · log 1.
    """

    open_cells: ArrayLike
    counts: ArrayLike


class Problem(NamedTuple):
    """All that the compiled program depends on beside the seed; layout holds its two choices."""

    observed: PatternCounts
    priors: ArrayLike
    layout: Layout


class Sampled(NamedTuple):
    """What is kept: rates [num_samples, num_chains, 5], divergences [num_samples, num_chains]."""

    rates: jax.Array
    is_divergent: jax.Array


def prior_shapes(priors: RatPriors) -> Array:
    """Return the Beta shapes as float64[5, 2]."""
    return np.array(priors, dtype=np.float64)


def pattern_counts(table: CountTable) -> PatternCounts:
    """Return a table's human labels, padded to the fixed length."""
    table = without_judges(table)
    open_cells = np.ones((PADDED_PATTERNS, len(CELL_NAMES)))
    counts = np.zeros(PADDED_PATTERNS)
    open_cells[: len(table.cells)] = compatible(table.cells)
    counts[: len(table.counts)] = table.counts
    return PatternCounts(open_cells, counts)
