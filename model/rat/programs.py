"""How is the sampler compiled? Traced once by NumPyro and BlackJAX, then a program of its own.

Tracing takes seconds even where the machine code is cached, so a traced program (StableHLO, by
jax.export) can be written down and loaded by a later process, which then imports neither library.
Importing this file switches JAX to float64.
"""

from collections.abc import Callable

import jax
import jax.export

from model.rat.layout import Layout
from model.rat.problem import PatternCounts, Problem, Sampled, SamplerSettings

# jax.export has no types.
# mypy: disable-error-code="no-untyped-call"

Sampler = Callable[[int, Problem], Sampled]

jax.config.update("jax_enable_x64", True)
for _kind in (Layout, PatternCounts, Problem, Sampled):
    jax.export.register_namedtuple_serialization(
        _kind, serialized_name=f"model.rat.{_kind.__name__}"
    )

_samplers: dict[SamplerSettings, Sampler] = {}


def get_sampler(settings: SamplerSettings, example: Problem) -> Sampler:
    """Return the program of these settings: (seed, problem) to what was sampled.

    Args:
        settings: fix the program.
        example: any problem; all have the same shapes.
    """
    if settings not in _samplers:
        _samplers[settings] = jax.jit(_trace(settings, example).call)
    return _samplers[settings]


def write_program(settings: SamplerSettings, example: Problem) -> bytes:
    """Return the traced program in a form that `load_program` understands, and use it from now."""
    traced = _trace(settings, example)
    _samplers[settings] = jax.jit(traced.call)
    return bytes(traced.serialize())


def load_program(settings: SamplerSettings, written: bytes) -> None:
    """Use a program that a process with the same code and libraries has written."""
    _samplers[settings] = jax.jit(jax.export.deserialize(bytearray(written)).call)


def num_compilations(sampler: Sampler) -> int:
    """Return how often a sampler was compiled: once, however many problems it got."""
    return int(sampler._cache_size())  # type: ignore[attr-defined]


def _trace(settings: SamplerSettings, example: Problem) -> jax.export.Exported:
    # NumPyro and BlackJAX take a second to import; only who traces pays for it.
    from model.rat.chains import sample

    return jax.export.export(sample)(0, example, settings=settings)
