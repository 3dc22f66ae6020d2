"""A posterior as the JSON document of `ratchet fit`, and the grids that the charts draw.

The names and nesting are a contract with scripts; what is added never changes what is there.
"""

from typing import Any, NamedTuple

import numpy as np

from model.rat.counts import CountTable, tally_labels
from model.rat.derived import (
    QUANTITIES,
    Estimate,
    PerQuantity,
    Quantity,
    Rates,
    cell_probabilities,
    estimate_cells,
    estimates,
    labels_behind,
    quantities,
    summarise,
)
from model.rat.exact import fit_exact
from model.rat.policy import Policy
from model.rat.population import complete, finite_estimates, finite_quantities
from model.rat.posterior import Diagnostics, Posterior
from model.rat.priors import PRIOR_PRESETS, RatPriors, draw_prior

PRIOR_DRAWS = 20_000
SENSITIVITY_DRAWS = 4_000
# Quantiles a chart needs for a density: finer in the tails than any interval on screen.
GRID = np.concatenate([[0.0025, 0.005], np.linspace(0.01, 0.99, 99), [0.995, 0.9975]])


class FitSettings(NamedTuple):
    """What a posterior depends on beside its counts."""

    policy: Policy
    priors: RatPriors
    interval: float


class Report(NamedTuple):
    """A posterior of one system: `summary` for people and scripts, `grid` for charts."""

    summary: dict[str, Any]
    grid: dict[str, Any]


def report(
    rng: np.random.Generator, table: CountTable, posterior: Posterior, settings: FitSettings
) -> Report:
    """Everything that is shown of a posterior.

    Raises:
        ModelError: the interval is no probability.
    """
    future = quantities(posterior.rates, settings.policy)
    completed = complete(rng, table, posterior.rates)
    here = finite_quantities(completed, settings.policy)
    summary = {
        **_labels(table),
        "estimates": _future(table, posterior.rates, settings),
        "this_test_set": _by_name(
            finite_estimates(completed, table, settings.policy, settings.interval)
        ),
        "judges": {},
        "diagnostics": _diagnostics(posterior.diagnostics),
        "cells": {
            name: _estimate(value)
            for name, value in estimate_cells(cell_probabilities(posterior.rates))._asdict().items()
        },
        "prior_of_adherence": _estimate(_implied(settings)),
        "other_priors": _sensitivity(rng, table, settings),
    }
    return Report(summary, {"future": _quantiles(future), "here": _quantiles(here)})


def prior_name(priors: RatPriors) -> str:
    """The preset that these priors are, or "custom"."""
    names = (name for name, preset in PRIOR_PRESETS.items() if preset == priors)
    return next(names, "custom")


def _labels(table: CountTable) -> dict[str, Any]:
    tally = tally_labels(table)
    return {
        "items": tally.items,
        "labels": {"retrieval": tally.retrieval, "task": tally.task},
        "abstained": tally.abstained,
    }


def _future(table: CountTable, rates: Rates, settings: FitSettings) -> dict[str, Any]:
    found = _by_name(estimates(rates, table, settings.policy, settings.interval))
    for name, count in labels_behind(table)._asdict().items():
        found[name]["labels_behind"] = count
    return found


def _by_name(values: PerQuantity[Estimate]) -> dict[str, dict[str, Any]]:
    return {name: _estimate(value) for name, value in values._asdict().items()}


def _estimate(value: Estimate) -> dict[str, Any]:
    numbers = {
        "mean": _number(value.mean),
        "sd": _number(value.sd),
        "lower": _number(value.lower),
        "upper": _number(value.upper),
        "prior_only": value.prior_only,
    }
    return numbers | ({"note": value.note} if value.note else {})


def _number(value: float) -> float | None:
    """JSON has no nan: what is undefined is null."""
    return round(value, 6) if np.isfinite(value) else None


def _diagnostics(found: Diagnostics) -> dict[str, Any]:
    return {
        "rhat_max": _number(found.rhat_max),
        "ess_min": _number(found.ess_min),
        "divergences": found.divergences,
        "ok": found.ok,
        "reason": found.reason,
    }


def _implied(settings: FitSettings) -> Estimate:
    """Flat parts do not make a flat adherence, so what the prior implies is shown."""
    rates = draw_prior(np.random.default_rng(0), settings.priors, PRIOR_DRAWS)
    draws = quantities(rates, settings.policy).of(Quantity.POLICY_ADHERENCE)
    return summarise(draws, settings.interval)


def _sensitivity(
    rng: np.random.Generator, table: CountTable, settings: FitSettings
) -> dict[str, Any]:
    """Adherence under each preset: how much of the answer is the prior's."""
    found = {}
    for name, priors in PRIOR_PRESETS.items():
        rates = fit_exact(rng, table, priors, SENSITIVITY_DRAWS).rates
        draws = quantities(rates, settings.policy).of(Quantity.POLICY_ADHERENCE)
        found[name] = _estimate(summarise(draws, settings.interval))
    return found


def _quantiles(draws: PerQuantity[Any]) -> dict[str, list[float | None]]:
    found = {}
    for quantity in QUANTITIES:
        values = draws.of(quantity)
        known = values[np.isfinite(values)]
        grid = np.quantile(known, GRID) if known.size else np.full(GRID.size, np.nan)
        found[str(quantity)] = [_number(float(value)) for value in grid]
    return found
