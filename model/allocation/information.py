"""How much does a package teach about the target? Bayes linear information of its outcomes.

With p(o) the probability of outcome o of an item, as it varies over the posterior, and φ the rates:
B = Cov(p, φ) Σ⁻¹, V = diag(E p) − E p pᵀ, and one item adds Bᵀ V⁻ B to the precision of φ. For a
Beta and its Bernoulli labels this is exact at any number of labels, where Fisher's information at a
point is infinite on the edge. Everything is in coordinates in which Σ is the unit matrix.
"""

from typing import NamedTuple

import numpy as np

from model.allocation.packages import Outcomes, Package
from model.allocation.posteriors import Posteriors
from model.allocation.states import NUM_STATES, OPEN_CELLS, Integers
from model.allocation.targets import Target, get_worth
from model.rat.cells import Array
from model.rat.derived import cell_probabilities

# Keeps matrices of outcomes that never vary invertible; far below any information that counts.
RIDGE = 1e-9


class Option(NamedTuple):
    """One package for the items of one state."""

    state: int
    package: Package


class Information(NamedTuple):
    """What every option teaches, first axis the study.

    options: the options compared. precision: added by one item, [n, options, 5, 5]. cost: expected,
    [n, options]. gradient: of the target in φ, [n, 5]. leverage: gradient of an item's own value
    in φ, for each state, [n, 15, 5]. noise: expected variance of an item's own value given φ,
    [n, 15]. outcome_leverage, outcome_noise: the same after the package, averaged over outcomes,
    [n, options, 5] and [n, options].
    """

    options: tuple[Option, ...]
    precision: Array
    cost: Array
    gradient: Array
    leverage: Array
    noise: Array
    outcome_leverage: Array
    outcome_noise: Array


def list_options(outcomes: Outcomes, counts: Integers) -> tuple[Option, ...]:
    """Return what can be bought: each state with items, each package that asks something new.

    Args:
        outcomes: what each package does.
        counts: items in each state, int64[num_studies, 15].
    """
    found: list[Option] = []
    for state in np.flatnonzero(counts.any(axis=0)):
        known = set()
        for package in Package:
            effect = (
                tuple(outcomes.end_state[package, state]),
                tuple(outcomes.cost[package, state]),
            )
            if outcomes.cost[package, state].any() and effect not in known:
                known.add(effect)
                found.append(Option(int(state), package))
    return tuple(found)


def find_information(
    target: Target, outcomes: Outcomes, options: tuple[Option, ...], posteriors: Posteriors
) -> Information:
    """Return what each option teaches about the rates and about its own item.

    Args:
        target: what shall become sharper.
        outcomes: what each package does.
        options: the options to look at.
        posteriors: current draws of each study.
    """
    cells = np.stack(cell_probabilities(posteriors.rates), axis=1)
    rates = np.stack(posteriors.rates, axis=1)
    weights = posteriors.weights
    white = _whiten(rates, weights)
    value, influence = _influence(target, cells, weights)
    own = [_own_value(cells, influence, weights, state) for state in range(NUM_STATES)]
    leverage = np.stack([_regress(mean, white, weights) for mean, _ in own], axis=1)
    noise = np.stack([noise for _, noise in own], axis=1)
    parts = [
        _of_option(outcomes, option, cells, white, weights, leverage, noise) for option in options
    ]
    precision, cost, outcome_leverage, outcome_noise = zip(*parts, strict=True)
    return Information(
        options,
        np.stack(precision, axis=1),
        np.stack(cost, axis=1),
        _regress(value, white, weights),
        leverage,
        noise,
        np.stack(outcome_leverage, axis=1),
        np.stack(outcome_noise, axis=1),
    )


def _whiten(rates: Array, weights: Array) -> Array:
    """Uncorrelated coordinates of the draws with variance 1, [n, 5, draws]."""
    apart = rates - (rates * weights[:, None, :]).sum(axis=2, keepdims=True)
    covariance = (apart * weights[:, None, :]) @ apart.swapaxes(1, 2)
    scale = np.trace(covariance, axis1=1, axis2=2)[:, None, None] * RIDGE
    lower = np.linalg.cholesky(covariance + scale * np.eye(rates.shape[1]))
    return np.asarray(np.linalg.solve(lower, apart))


def _regress(values: Array, white: Array, weights: Array) -> Array:
    """Cov(values, φ) in white coordinates, [n, 5]."""
    mean = (values * weights).sum(axis=1, keepdims=True)
    return np.asarray((white @ ((values - mean) * weights)[:, :, None])[:, :, 0])


def _influence(target: Target, cells: Array, weights: Array) -> tuple[Array, Array]:
    """The target's draws, and what an item in each cell adds to it, (share − F·base)/B, [n, 6]."""
    worth = get_worth(target)
    share = np.einsum("c,ncd->nd", worth.share, cells)
    base = np.einsum("c,ncd->nd", worth.base, cells)
    value = share / np.maximum(base, 1e-300)
    mean = (value * weights).sum(axis=1)[:, None]
    mean_base = (base * weights).sum(axis=1)[:, None]
    return value, (worth.share - mean * worth.base) / mean_base


def _own_value(cells: Array, influence: Array, weights: Array, state: int) -> tuple[Array, Array]:
    """Mean of an item's own value per draw, [n, draws], and its expected variance, [n]."""
    inside = cells[:, OPEN_CELLS[state]]
    inside = inside / np.maximum(inside.sum(axis=1, keepdims=True), 1e-300)
    worth = influence[:, OPEN_CELLS[state], None]
    mean = (inside * worth).sum(axis=1)
    variance = (inside * worth**2).sum(axis=1) - mean**2
    return mean, np.maximum((variance * weights).sum(axis=1), 0)


def _of_option(
    outcomes: Outcomes,
    option: Option,
    cells: Array,
    white: Array,
    weights: Array,
    leverage: Array,
    noise: Array,
) -> tuple[Array, Array, Array, Array]:
    """Precision, expected cost, and leverage and noise of the item afterwards."""
    place = (option.package, option.state)
    opened = np.flatnonzero(OPEN_CELLS[option.state])
    inside = cells[:, opened] / np.maximum(cells[:, opened].sum(axis=1, keepdims=True), 1e-300)
    ends = outcomes.end_state[place][opened]
    cost = np.einsum("ncd,c,nd->n", inside, outcomes.cost[place][opened], weights)
    states = np.unique(ends)
    chances = np.stack([inside[:, ends == end].sum(axis=1) for end in states], axis=1)
    expected = np.einsum("nod,nd->no", chances, weights)
    after_leverage = np.einsum("no,noi->ni", expected, leverage[:, states])
    after_noise = (expected * noise[:, states]).sum(axis=1)
    return _precision(chances, expected, white, weights), cost, after_leverage, after_noise


def _precision(chances: Array, expected: Array, white: Array, weights: Array) -> Array:
    """Bᵀ V⁻ B; the last outcome is what the others leave."""
    free, mean = chances[:, :-1], expected[:, :-1]
    if free.shape[1] == 0:
        return np.zeros((len(white), white.shape[1], white.shape[1]))
    weighted = free * weights[:, None, :]
    slopes = (weighted - mean[:, :, None] * weights[:, None, :]) @ white.swapaxes(1, 2)
    spread = weighted @ free.swapaxes(1, 2)
    diagonal = np.eye(free.shape[1]) * (mean + RIDGE)[:, None, :]
    return np.asarray(slopes.swapaxes(1, 2) @ np.linalg.solve(diagonal - spread, slopes))
