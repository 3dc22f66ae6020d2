"""Many studies at once: how do their half-labelled items split over what was not seen?

The same two hidden counts and the same weights as rat/hidden_counts.py, for a whole batch. Both
axes of a lattice have one stride, so that k₀+k₁ lies on a line too and each of the three urns is
evaluated in one dimension only. Strides above 1 are corrected by importance weights.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from model.rat.cells import Array

Integers = NDArray[np.int64]

SIDE = 32  # lattice points on each axis
# Mass below e^-18 of the peak is dropped: less than a thousandth of one of a thousand draws.
NEGLIGIBLE = 18.0
MAX_ZOOMS = 4
PADDING = 1
MAX_TABLE = 1024


class Urns(NamedTuple):
    """log Γ(found+k) + log Γ(failed+n−k) − log Γ(found_base+k) − log Γ(failed_base+n−k).

    Each float64[num_studies].
    """

    size: Array
    found: Array
    failed: Array
    found_base: Array
    failed_base: Array
    # The terms for k = 0, 1, … where that is cheaper than evaluating them at each draw.
    table: Array | None = None


class HiddenPairs(NamedTuple):
    """F over the first items, G over the second, H over both."""

    first: Urns
    second: Urns
    both: Urns


class HiddenCounts(NamedTuple):
    """k₀, k₁ and the logarithms of their weights, each float64[num_studies, num_draws]."""

    first: Array
    second: Array
    log_weights: Array


class _Box(NamedTuple):
    """Lowest point of both axes and their common stride, int64[num_studies]."""

    low_first: Integers
    low_second: Integers
    stride: Integers


def draw_hidden(rng: np.random.Generator, hidden: HiddenPairs, num_draws: int) -> HiddenCounts:
    """Return draws of (k₀, k₁) of every study.

    The two of k₀, k₁ and k₀+k₁ that the labels pin best span the lattice of a study, so that its
    mass is no thin diagonal.
    """
    shape = (len(hidden.both.size), num_draws)
    drawn = HiddenCounts(np.zeros(shape), np.zeros(shape), np.zeros(shape))
    widest = _widest(hidden)
    for frame in range(3):
        chosen = np.flatnonzero((widest == frame) & (hidden.both.size > 0))
        if len(chosen):
            part = HiddenPairs(*(_take(urns, chosen) for urns in hidden))
            for whole, found in zip(
                drawn, _draw_in_frame(rng, part, frame, num_draws), strict=True
            ):
                whole[chosen] = found
    return drawn


def _widest(hidden: HiddenPairs) -> Integers:
    """Which of the three counts is known worst: its size / √(labels of its own + 3)."""
    spreads = []
    for urns in hidden:
        labels = np.abs(urns.found + urns.failed - urns.found_base - urns.failed_base)
        spreads.append(urns.size / np.sqrt(labels + 3.0))
    return np.asarray(np.argmax(spreads, axis=0))


def _take(urns: Urns, chosen: Integers) -> Urns:
    table = None if urns.table is None else urns.table[chosen]
    size, found, failed, found_base, failed_base = (field[chosen] for field in urns[:5])
    return Urns(size, found, failed, found_base, failed_base, table)


def _draw_in_frame(
    rng: np.random.Generator, hidden: HiddenPairs, frame: int, num_draws: int
) -> HiddenCounts:
    """Frame 2: axes k₀, k₁. Frame 0: k₀+k₁, k₁. Frame 1: k₀+k₁, k₀; the third is a difference."""
    if frame == 2:
        return _draw(rng, hidden, 1, num_draws)
    other = hidden.second if frame == 0 else hidden.first
    third = hidden.first if frame == 0 else hidden.second
    both, kept, log_weights = _draw(rng, HiddenPairs(hidden.both, other, third), -1, num_draws)
    rest = both - kept
    return HiddenCounts(*((rest, kept) if frame == 0 else (kept, rest)), log_weights)


def _draw(rng: np.random.Generator, urns: HiddenPairs, sign: int, num_draws: int) -> HiddenCounts:
    """A cell by its weight, a pair inside it evenly, corrected by w(pair) / w(middle)."""
    urns = HiddenPairs(*(_tabulate(urn) for urn in urns))
    box, log_lattice = _zoom(urns, sign)
    cell = _draw_cells(rng, log_lattice, num_draws)
    row, column = np.divmod(cell, SIDE)
    stride = box.stride[:, None]
    first: Array = (box.low_first[:, None] + stride * row).astype(np.float64)
    second: Array = (box.low_second[:, None] + stride * column).astype(np.float64)
    log_weights = np.zeros(cell.shape)
    wide = np.flatnonzero(box.stride > 1)
    if len(wide):
        shape = (len(wide), num_draws)
        part = HiddenPairs(*(_take(urn, wide) for urn in urns))
        # A cell that sticks out is drawn from in its possible part only.
        width_first = np.minimum(stride[wide], part.first.size[:, None] - first[wide] + 1)
        width_second = np.minimum(stride[wide], part.second.size[:, None] - second[wide] + 1)
        first[wide] += np.floor(rng.random(shape) * width_first)
        second[wide] += np.floor(rng.random(shape) * width_second)
        exact = _log_weight(part, first[wide], second[wide], sign)
        exact += np.log(np.maximum(width_first * width_second, 0.5))
        log_weights[wide] = exact - np.take_along_axis(log_lattice[wide], cell[wide], axis=1)
    possible = np.isfinite(log_weights)
    return HiddenCounts(
        np.where(possible, first, 0.0), np.where(possible, second, 0.0), log_weights
    )


def _zoom(urns: HiddenPairs, sign: int) -> tuple[_Box, Array]:
    """Shrink the lattice of each study to the box that holds its mass, until that gains nothing."""
    sizes = [urn.size.astype(np.int64) for urn in urns[:2]]
    lows = [np.zeros_like(size) for size in sizes]
    highs = sizes
    box = _box(lows, highs)
    lattice = _lattice(urns, box, sign)
    for _ in range(MAX_ZOOMS):
        if (box.stride == 1).all():
            break
        kept = (lattice >= lattice.max(axis=1, keepdims=True) - NEGLIGIBLE).reshape(-1, SIDE, SIDE)
        spans = [_span(kept.any(axis=2)), _span(kept.any(axis=1))]
        starts = (box.low_first, box.low_second)
        lows = [
            np.maximum(start + box.stride * (low - PADDING), 0)
            for start, (low, _) in zip(starts, spans, strict=True)
        ]
        highs = [
            np.minimum(start + box.stride * (high + PADDING + 1) - 1, size)
            for start, (_, high), size in zip(starts, spans, sizes, strict=True)
        ]
        finer = _box(lows, highs)
        if (finer.stride == box.stride).all():
            break
        box, lattice = finer, _lattice(urns, finer, sign)
    return box, lattice


def _box(lows: list[Integers], highs: list[Integers]) -> _Box:
    longest = np.maximum(highs[0] - lows[0], highs[1] - lows[1]) + 1
    return _Box(lows[0], lows[1], -(-longest // SIDE))


def _span(kept: NDArray[np.bool_]) -> tuple[Integers, Integers]:
    """First and last kept position of each study."""
    return np.argmax(kept, axis=1), SIDE - 1 - np.argmax(kept[:, ::-1], axis=1)


def _lattice(urns: HiddenPairs, box: _Box, sign: int) -> Array:
    """log w at the middle of each cell, flat [num_studies, SIDE²].

    A cell whose middle lies outside may hold possible pairs: it gets the nearest possible value,
    and the draw's importance weight puts it right.
    """
    step, middle = box.stride[:, None], (box.stride[:, None] - 1) / 2
    points = step * np.arange(SIDE)
    slack: Array = (box.stride[:, None] - 1).astype(np.float64)
    first = _inside(urns.first, box.low_first[:, None] + points + middle, slack / 2)
    second = _inside(urns.second, box.low_second[:, None] + points + middle, slack / 2)
    if sign == 1:
        low = (box.low_first + box.low_second)[:, None] + 2 * middle
        line = _inside(urns.both, low + step * np.arange(2 * SIDE - 1), slack)
        position: Integers = np.arange(SIDE)[:, None] + np.arange(SIDE)
    else:
        low = (box.low_first - box.low_second)[:, None].astype(np.float64)
        line = _inside(urns.both, low + step * np.arange(1 - SIDE, SIDE), slack)
        position = np.arange(SIDE)[:, None] - np.arange(SIDE) + SIDE - 1
    log_weights = first[:, :, None] + second[:, None, :] + line[:, position]
    return np.asarray(log_weights.reshape(len(log_weights), -1))


def _log_weight(urns: HiddenPairs, first: Array, second: Array, sign: int) -> Array:
    """log w of pairs, −∞ where one of the three counts is impossible."""
    nothing = np.zeros((len(first), 1))
    value = _inside(urns.first, first, nothing) + _inside(urns.second, second, nothing)
    return value + _inside(urns.both, first + sign * second, nothing)


def _tabulate(urns: Urns) -> Urns:
    """The urns with their table, unless that would be longer than the draws need."""
    longest = int(urns.size.max())
    if longest > MAX_TABLE:
        return urns
    k = np.minimum(np.arange(longest + 1.0), urns.size[:, None])
    return urns._replace(table=_terms(urns, k))


def _terms(urns: Urns, k: Array) -> Array:
    """The urns' terms for k in 0..size, float64[num_studies, num_points]."""
    found, failed, found_base, failed_base = (field[:, None] for field in urns[1:5])
    rest = urns.size[:, None] - k
    terms = gammaln(found + k) + gammaln(failed + rest)
    return np.asarray(terms - gammaln(found_base + k) - gammaln(failed_base + rest))


def _inside(urns: Urns, k: Array, slack: Array) -> Array:
    """The urns' terms within 0..n, their end value up to slack outside, −∞ beyond."""
    size = urns.size[:, None]
    held = np.clip(np.floor(k), 0, size)
    if urns.table is None:
        terms = _terms(urns, held)
    else:
        terms = np.take_along_axis(urns.table, held.astype(np.intp), axis=1)
    terms[(k < -slack) | (k > size + slack)] = -np.inf
    return terms


def _draw_cells(rng: np.random.Generator, log_weights: Array, num_draws: int) -> Integers:
    """Positions [num_studies, num_draws] with probability ∝ exp(log weight), stratified.

    One uniform in each of num_draws equal parts, in random order: unbiased, and less noisy than
    independent ones.
    """
    weights = np.exp(log_weights - log_weights.max(axis=1, keepdims=True))
    cumulated = np.cumsum(weights, axis=1)
    cumulated /= cumulated[:, -1:]
    parts = (np.arange(num_draws) + rng.random((len(weights), num_draws))) / num_draws
    # Study i lives in [i, i+1): one search serves all of them.
    shift = np.arange(len(weights))[:, None]
    found = np.searchsorted((cumulated + shift).ravel(), (parts + shift).ravel(), side="right")
    cells = found.reshape(parts.shape) - shift * log_weights.shape[1]
    return np.asarray(rng.permuted(np.clip(cells, 0, log_weights.shape[1] - 1), axis=1))
