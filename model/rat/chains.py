"""How do the NUTS chains run? Warm-up and sampling of all chains in one compiled program.

Stan's window adaptation with BlackJAX's parts: dual averaging of the step size, Welford variances
over windows that double. One scan over all steps holds one copy of the kernel, which halves the
time to compile against a scan for warm-up and another for sampling.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, TypeVar

import blackjax
import jax
import jax.numpy as jnp
from blackjax.adaptation.mass_matrix import mass_matrix_adaptation
from blackjax.adaptation.staged_adaptation import build_schedule
from blackjax.adaptation.step_size import dual_averaging_adaptation

from model.rat.coordinates import to_rates
from model.rat.layout import Layout
from model.rat.likelihood import log_joint
from model.rat.problem import Problem, Sampled, SamplerSettings

NUM_COORDINATES = 5
# Chains start this many estimated standard deviations wide, so that R-hat has something to see.
START_SPREAD = 1.5
FIRST_STEP_SIZE = 1.0

Tree = TypeVar("Tree")
LogDensity = Callable[[jax.Array], jax.Array]


class Visited(NamedTuple):
    """One step's end: position in the coordinates of the layout, and whether it diverged."""

    position: jax.Array
    is_divergent: jax.Array


class Stage(NamedTuple):
    """A step's place: its number, warm-up or not, learning variances or not, a window's end."""

    number: jax.Array
    is_warmup: jax.Array
    is_slow: jax.Array
    is_window_end: jax.Array


class Chain(NamedTuple):
    """Where a chain stands, and what its warm-up has learnt of step size and variances."""

    state: Any
    step_size: Any
    variances: Any


class Adaptation(NamedTuple):
    """BlackJAX's init, update and final functions of both things that warm-up learns."""

    init_step: Callable[..., Any]
    update_step: Callable[..., Any]
    final_step: Callable[..., Any]
    init_variances: Callable[..., Any]
    update_variances: Callable[..., Any]
    final_variances: Callable[..., Any]


class Target(NamedTuple):
    """What a chain samples, and how its warm-up learns."""

    log_density: LogDensity
    adaptation: Adaptation


@partial(jax.jit, static_argnames="settings")
def sample(seed: int, problem: Problem, settings: SamplerSettings) -> Sampled:
    """Return the sampled rates of all chains.

    Args:
        seed: whole number.
        problem: counts, priors and layout of one system; shapes are the same for all systems.
        settings: static; fixes the program.
    """
    key_start, key_steps = jax.random.split(jax.random.key(seed))
    target = Target(partial(_log_density, problem), _adaptation(settings))
    start = jax.vmap(partial(_start, target))
    step = jax.vmap(partial(_step, target), in_axes=(0, 0, None))

    def advance(chains: Chain, stage: Stage) -> tuple[Chain, Visited]:
        keys = jax.random.split(jax.random.fold_in(key_steps, stage.number), settings.num_chains)
        return step(keys, chains, stage)

    chains = start(jax.random.split(key_start, settings.num_chains))
    _, visited = jax.lax.scan(advance, chains, _schedule(settings))
    kept = jax.tree.map(lambda steps: steps[settings.num_warmup :], visited)
    rates = jax.vmap(jax.vmap(partial(_rates, problem.layout)))(kept.position)
    return Sampled(rates, kept.is_divergent)


@jax.jit
def _log_density(problem: Problem, position: jax.Array) -> jax.Array:
    """log P(rates, counts) + log |d rates / d coordinates| at centre + scale · position.

    Jitted by itself so that it is traced once, not once for each place that calls it.
    """
    layout = problem.layout
    mapped = to_rates(layout.centre + layout.scale * position, layout)
    return log_joint(mapped.rates, problem.priors, problem.observed) + mapped.log_volume


def _rates(layout: Layout, position: jax.Array) -> jax.Array:
    """The rates at a position."""
    return to_rates(layout.centre + layout.scale * position, layout).rates


def _schedule(settings: SamplerSettings) -> Stage:
    """Stan's windows for the warm-up, then sampling; each field [num_warmup + num_samples]."""
    windows = build_schedule(settings.num_warmup)
    sampling = jnp.zeros(settings.num_samples, dtype=bool)
    number = jnp.arange(settings.num_warmup + settings.num_samples)
    return Stage(
        number=number,
        is_warmup=number < settings.num_warmup,
        is_slow=jnp.concatenate([windows[:, 0] == 1, sampling]),
        is_window_end=jnp.concatenate([windows[:, 1] == 1, sampling]),
    )


def _adaptation(settings: SamplerSettings) -> Adaptation:
    """Dual averaging towards the target acceptance; a diagonal of variances."""
    step_size = dual_averaging_adaptation(settings.target_acceptance)
    return Adaptation(*step_size, *mass_matrix_adaptation(is_diagonal_matrix=True))


def _start(target: Target, rng_key: jax.Array) -> Chain:
    """A chain at a wide normal draw around the centre."""
    position = START_SPREAD * jax.random.normal(rng_key, (NUM_COORDINATES,))
    return Chain(
        blackjax.nuts.init(position, target.log_density),
        target.adaptation.init_step(FIRST_STEP_SIZE),
        target.adaptation.init_variances(NUM_COORDINATES),
    )


def _step(target: Target, rng_key: jax.Array, chain: Chain, stage: Stage) -> tuple[Chain, Visited]:
    """One NUTS transition, and what the warm-up learns from it."""
    step_size = jnp.where(
        stage.is_warmup,
        jnp.exp(chain.step_size.log_step_size),
        target.adaptation.final_step(chain.step_size),
    )
    kernel = blackjax.nuts.build_kernel()
    variances = chain.variances.inverse_mass_matrix
    state, info = kernel(rng_key, chain.state, target.log_density, step_size, variances)
    moved = chain._replace(state=state)
    learnt = _learn(target.adaptation, moved, info.acceptance_rate, stage)
    return _choose(stage.is_warmup, learnt, moved), Visited(state.position, info.is_divergent)


def _learn(adaptation: Adaptation, chain: Chain, acceptance_rate: jax.Array, stage: Stage) -> Chain:
    """Step size always; variances in slow windows; at a window's end both start over from them."""
    step_size = adaptation.update_step(chain.step_size, acceptance_rate)
    seen = adaptation.update_variances(chain.variances, chain.state.position)
    variances = _choose(stage.is_slow, seen, chain.variances)
    learnt = chain._replace(step_size=step_size, variances=variances)
    renewed = chain._replace(
        step_size=adaptation.init_step(adaptation.final_step(step_size)),
        variances=adaptation.final_variances(variances),
    )
    return _choose(stage.is_window_end, renewed, learnt)


def _choose(condition: jax.Array, one: Tree, other: Tree) -> Tree:
    """One or the other, leaf by leaf."""
    chosen: Tree = jax.tree.map(partial(jnp.where, condition), one, other)
    return chosen
