"""The RAT model in NumPyro: P(R,A,T) = P(R) · P(A|R) · P(T|A=0,R), seen through counts.

One function for prior predictive, simulation and inference. An observed pattern has the
probability of the cells it leaves open, so the likelihood is Σ count · log Σ open P(cell).
Importing this file switches JAX to float64.
"""

import jax
import jax.numpy as jnp
import numpyro
import numpyro.distributions as dist
from numpyro.infer.util import log_density

from model.rat.derived import Rates, cell_probabilities
from model.rat.problem import ArrayLike, PatternCounts

numpyro.enable_x64()


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
