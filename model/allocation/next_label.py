"""Which label next? The one whose answer is expected to sharpen the target most for its price.

Of a package with outcomes o on one more item, the expected fall of the target's variance is the
variance of its conditional mean, Σ p(o) (m_o − m)², from the current draws: the same draws for all
options, so that nothing but the options differs. Expected information about the rates, in bits
(Lindley 1956), is given beside it. The first label of the best package is recommended.
"""

from typing import NamedTuple

import numpy as np

from model.allocation.information import Option
from model.allocation.packages import Outcomes
from model.allocation.posteriors import Posteriors
from model.allocation.states import OPEN_CELLS, Integers
from model.allocation.targets import Population, Target, get_worth
from model.rat.cells import Array
from model.rat.derived import cell_probabilities


class Scores(NamedTuple):
    """The worth of every option for every study, [num_studies, num_options].

    cost: expected; variance_drop: of the target, squared units; information_gain: bits about the
    rates.
    """

    options: tuple[Option, ...]
    cost: Array
    variance_drop: Array
    information_gain: Array

    @property
    def per_cost(self) -> Array:
        """Fall of the variance per unit of money, what options are ranked by."""
        return self.variance_drop / np.maximum(self.cost, 1e-300)


class _Outlook(NamedTuple):
    """Draws seen one item ahead: P(cell), the target, and what an item in a cell adds to it."""

    cells: Array
    value: Array
    weights: Array
    own: Array


def score_options(
    target: Target,
    outcomes: Outcomes,
    options: tuple[Option, ...],
    counts: Integers,
    posteriors: Posteriors,
) -> Scores:
    """Return how much one more item under each option would sharpen the target.

    Args:
        target: what shall become sharper.
        outcomes: what each package does and costs.
        options: what can be bought (`information.list_options`).
        counts: items in each state, int64[num_studies, 15].
        posteriors: current draws of each study.
    """
    outlook = _look_ahead(target, counts, posteriors)
    columns = [_score(outlook, outcomes, option) for option in options]
    cost, drop, gain = (np.stack(column, axis=1) for column in zip(*columns, strict=True))
    return Scores(options, cost, drop, gain)


def _look_ahead(target: Target, counts: Integers, posteriors: Posteriors) -> _Outlook:
    """For a finite test set an item's own cell counts too, by 1/B of the set."""
    cells = np.stack(cell_probabilities(posteriors.rates), axis=1)
    worth = get_worth(target)
    if target.population == Population.FUTURE:
        share = np.einsum("c,ncd->nd", worth.share, cells)
        base = np.einsum("c,ncd->nd", worth.base, cells)
        own = np.zeros((len(counts), len(worth.share)))
        return _Outlook(cells, share / np.maximum(base, 1e-300), posteriors.weights, own)
    share, base = np.zeros_like(cells[:, 0]), np.zeros_like(cells[:, 0])
    for state in np.flatnonzero(counts.any(axis=0)):
        inside = _given(cells, int(state))
        many = counts[:, [state]]
        share += many * np.einsum("c,ncd->nd", worth.share[OPEN_CELLS[state]], inside)
        base += many * np.einsum("c,ncd->nd", worth.base[OPEN_CELLS[state]], inside)
    value = share / np.maximum(base, 1e-300)
    mean = (value * posteriors.weights).sum(axis=1)[:, None]
    mean_base = (base * posteriors.weights).sum(axis=1)[:, None]
    own = (worth.share - mean * worth.base) / np.maximum(mean_base, 1e-300)
    return _Outlook(cells, value, posteriors.weights, own)


def _score(outlook: _Outlook, outcomes: Outcomes, option: Option) -> tuple[Array, Array, Array]:
    """Expected cost, fall of the variance, and information of one option, each [num_studies]."""
    place = (option.package, option.state)
    opened = np.flatnonzero(OPEN_CELLS[option.state])
    inside = _given(outlook.cells, option.state)
    own_before = np.einsum("nc,ncd->nd", outlook.own[:, opened], inside)
    ends = outcomes.end_state[place][opened]
    cost = np.einsum("ncd,c,nd->n", inside, outcomes.cost[place][opened], outlook.weights)
    mean = (outlook.value * outlook.weights).sum(axis=1)
    drop, gain = np.zeros(len(mean)), np.zeros(len(mean))
    for end in np.unique(ends):
        same = ends == end
        chance = inside[:, same].sum(axis=1)
        own_after = np.einsum("nc,ncd->nd", outlook.own[:, opened[same]], inside[:, same])
        own_after = own_after / np.maximum(chance, 1e-300)
        joint = outlook.weights * chance
        total = np.maximum(joint.sum(axis=1), 1e-300)
        conditional = (joint * (outlook.value - own_before + own_after)).sum(axis=1) / total
        drop += total * (conditional - mean) ** 2
        gain += _entropy_part(total) - (outlook.weights * _entropy_part(chance)).sum(axis=1)
    return cost, drop, np.maximum(gain, 0.0)


def _entropy_part(probability: Array) -> Array:
    """−p log₂ p, 0 at 0."""
    return np.asarray(-probability * np.log2(np.maximum(probability, 1e-300)))


def _given(cells: Array, state: int) -> Array:
    """P(cell | state) of the open cells, [num_studies, n_open, num_draws]."""
    inside = cells[:, OPEN_CELLS[state]]
    return np.asarray(inside / np.maximum(inside.sum(axis=1, keepdims=True), 1e-300))
