"""What is the posterior by NUTS? BlackJAX on the density of the NumPyro model, compiled once.

New labels change numbers, never shapes, so they never compile again. Left to chains.py: the
chains; to programs.py: compiling them; to layout.py and coordinates.py: coordinates in which the
posterior is round.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial

import jax
import numpy as np

from model.errors import ModelError
from model.rat import programs
from model.rat.counts import CountTable, from_cells
from model.rat.derived import Rates, quantities
from model.rat.diagnostics import diagnose
from model.rat.layout import choose_layout
from model.rat.posterior import Engine, Posterior
from model.rat.priors import RatPriors, check_priors, get_priors
from model.rat.problem import Problem, Sampled, SamplerSettings, pattern_counts, prior_shapes
from model.rat.tally import tally

DEFAULT_SETTINGS = SamplerSettings()
# One program for many systems side by side was no faster than one after the other; threads are.
AT_ONCE = 4


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
    problem = _pose(table, priors)
    return _to_posterior(programs.get_sampler(settings, problem)(seed, problem))


def fit_nuts_all(
    seeds: Sequence[int],
    tables: Sequence[CountTable],
    priors: RatPriors,
    settings: SamplerSettings = DEFAULT_SETTINGS,
) -> list[Posterior]:
    """Return the posteriors of several systems, a few at a time on as many cores.

    Args:
        seeds: one for each table; the same as `fit_nuts` would get, for the same draws.
        tables: the counts of each system.
        priors: the five Beta priors of all of them.
        settings: as for `fit_nuts`.

    Raises:
        ModelError: not one seed a table, or the priors or the settings are no good.
    """
    if len(seeds) != len(tables):
        raise ModelError(
            f"{len(seeds)} seeds came with {len(tables)} tables; one for each was expected."
        )
    warm_up(settings)  # NumPyro traces in one thread only; compiled programs run in any
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(partial(_fit_one, priors, settings), seeds, tables))


@cache
def warm_up(settings: SamplerSettings = DEFAULT_SETTINGS) -> None:
    """Compile (or load) the program of these settings, so that the next fit is quick."""
    problem = _nothing()
    programs.get_sampler(settings, problem)(0, problem)


def num_compilations(settings: SamplerSettings = DEFAULT_SETTINGS) -> int:
    """Return how often this process compiled the program of these settings: once is enough."""
    return programs.num_compilations(programs.get_sampler(settings, _nothing()))


def write_program(settings: SamplerSettings = DEFAULT_SETTINGS) -> bytes:
    """Return the traced program, for `load_program` in a later process."""
    return programs.write_program(settings, _nothing())


def load_program(written: bytes, settings: SamplerSettings = DEFAULT_SETTINGS) -> None:
    """Use a program that a process with the same code and libraries has written."""
    programs.load_program(settings, written)


def use_compilation_cache(directory: str) -> None:
    """Keep machine code in a directory, for later processes; call it before the first fit.

    Every program is kept, however quickly it compiled.
    """
    jax.config.update("jax_compilation_cache_dir", directory)  # type: ignore[no-untyped-call]
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)  # type: ignore[no-untyped-call]
    jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)  # type: ignore[no-untyped-call]


def _nothing() -> Problem:
    return _pose(from_cells(np.empty((0, 3), dtype=np.int8), np.empty(0)), get_priors("uniform"))


def _pose(table: CountTable, priors: RatPriors) -> Problem:
    layout = choose_layout(tally(table), check_priors(priors))
    return Problem(pattern_counts(table), prior_shapes(priors), layout)


def _fit_one(
    priors: RatPriors, settings: SamplerSettings, seed: int, table: CountTable
) -> Posterior:
    """fit_nuts with what changes last."""
    return fit_nuts(seed, table, priors, settings)


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
