"""What is the posterior by NUTS? BlackJAX on the density of the NumPyro model, compiled once.

New labels change numbers, never shapes, so they never compile again. Left to chains.py: the
compiled program; to layout.py and coordinates.py: coordinates in which the posterior is round.
"""

import jax
import numpy as np

from model.errors import ModelError
from model.rat.chains import Problem, Sampled, SamplerSettings, sample
from model.rat.counts import CountTable, from_cells
from model.rat.derived import Rates, quantities
from model.rat.diagnostics import diagnose
from model.rat.layout import choose_layout
from model.rat.likelihood import pattern_counts, prior_shapes
from model.rat.posterior import Engine, Posterior
from model.rat.priors import RatPriors, check_priors, get_priors
from model.rat.tally import tally

DEFAULT_SETTINGS = SamplerSettings()


def fit_nuts(
    seed: int, table: CountTable, priors: RatPriors, settings: SamplerSettings = DEFAULT_SETTINGS
) -> Posterior:
    """Return posterior draws by NUTS with their diagnostics; a fit that failed says so in them.

    Args:
        seed: whole number; with the same table and settings it gives the same draws.
        table: the counts; judge verdicts are summed out.
        priors: the five Beta priors.
        settings: chains, warm-up and samples; draws = num_chains · num_samples.

    Raises:
        ModelError: the priors or the settings are no good.
    """
    _check_settings(settings)
    layout = choose_layout(tally(table), check_priors(priors))
    problem = Problem(pattern_counts(table), prior_shapes(priors), layout)
    return _to_posterior(sample(jax.random.key(seed), problem, settings))


def warm_up(settings: SamplerSettings = DEFAULT_SETTINGS) -> None:
    """Compile (or load) the program of these settings, so that the next fit is quick."""
    nothing = from_cells(np.empty((0, 3), dtype=np.int8), np.empty(0))
    fit_nuts(0, nothing, get_priors("uniform"), settings)


def num_compilations() -> int:
    """Return how many programs this process holds: one for each settings used."""
    return int(sample._cache_size())  # type: ignore[attr-defined]


def use_compilation_cache(directory: str) -> None:
    """Keep compiled programs in a directory, for later processes to load.

    Call it before the first fit. Every program is kept, however quickly it compiled.
    """
    jax.config.update("jax_compilation_cache_dir", directory)  # type: ignore[no-untyped-call]
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)  # type: ignore[no-untyped-call]
    jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)  # type: ignore[no-untyped-call]


def _check_settings(settings: SamplerSettings) -> None:
    """Chains to compare, a warm-up that holds one window, halves of a chain to compare."""
    is_enough = (
        settings.num_chains >= 2
        and settings.num_warmup >= 100
        and settings.num_samples >= 8
        and 0 < settings.target_acceptance < 1
    )
    if not is_enough:
        raise ModelError(
            f"The sampler has {settings}; num_chains ≥ 2, num_warmup ≥ 100, num_samples ≥ 8 and "
            "target_acceptance in (0, 1) were expected. The defaults are usual."
        )


def _to_posterior(sampled: Sampled) -> Posterior:
    """Draws chain after chain, judged by all quantities, not by the rates alone."""
    rates = np.asarray(sampled.rates, dtype=np.float64).transpose(2, 1, 0)
    judged = np.stack(quantities(Rates(*rates)))
    diagnostics = diagnose(judged, int(np.asarray(sampled.is_divergent).sum()))
    return Posterior(Rates(*rates.reshape(len(rates), -1)), Engine.NUTS, diagnostics)
