"""What does a fit return? Draws of the five rates, the engine, and whether to trust them.

Both engines return this; neither is imported here, so that reading a saved fit costs no JAX.
"""

from enum import StrEnum
from typing import NamedTuple

from model.rat.derived import Rates


class Engine(StrEnum):
    """How the posterior was computed."""

    NUTS = "nuts"
    EXACT = "exact"


class Diagnostics(NamedTuple):
    """The evidence that the draws can be trusted; `reason` says why not when `ok` is false.

    rhat_max is nan for the exact engine, whose draws are independent.
    """

    rhat_max: float
    ess_min: float
    divergences: int
    ok: bool
    reason: str = ""


class Posterior(NamedTuple):
    """Equally weighted posterior draws with their provenance."""

    rates: Rates
    engine: Engine
    diagnostics: Diagnostics
