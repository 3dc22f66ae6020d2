"""The RAT model in NumPyro: P(R,A,T) = P(R) · P(A|R) · P(T|A=0,R), seen through counts.

One function for prior predictive, simulation and inference. An observed pattern has the
probability of the cells it leaves open, so the likelihood is Σ count · log Σ open P(cell).
Importing this file switches JAX to float64.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from numpyro.infer.util import log_density

from model.rat.cells import CELL_NAMES, Array, compatible
from model.rat.counts import CountTable, without_judges
from model.rat.derived import Rates, cell_probabilities
from model.rat.priors import RatPriors

numpyro.enable_x64()

ArrayLike = jax.Array | Array

# Human labels make at most 21 patterns; one padded length for all, so that nothing recompiles.
PADDED_PATTERNS = 32


class PatternCounts(NamedTuple):
    """A count table for the density: open cells of each pattern [32, 6], and its count [32].

    Padding rows leave every cell open and count 0: they add 0 · log 1.
    """

    open_cells: ArrayLike
    counts: ArrayLike


def rat_model(priors: ArrayLike, observed: PatternCounts | None = None, num_items: int = 0) -> None:
    """Define the RAT model.

    Args:
        priors: shapes of the Betas, float64[5, 2] in the order of `Rates`.
        observed: the counts to condition on; without them the model draws `cells`, the numbers of
            items in the six cells (in the order of `SixCells`).
        num_items: how many items to draw where nothing is observed.
    """
    with numpyro.plate("rate", len(Rates._fields)):
        rates = numpyro.sample("rates", dist.Beta(priors[:, 0], priors[:, 1]))
    cells = jnp.stack(cell_probabilities(Rates(*rates)))
    if observed is None:
        numpyro.sample("cells", dist.Multinomial(num_items, probs=cells))
    else:
        numpyro.factor("labels", observed.counts @ jnp.log(observed.open_cells @ cells))


def log_joint(rates: jax.Array, priors: ArrayLike, observed: PatternCounts) -> jax.Array:
    """Return log P(rates) + log P(counts | rates), up to a constant of the counts."""
    log_probability, _ = log_density(rat_model, (priors, observed), {}, {"rates": rates})
    return jnp.asarray(log_probability)


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
