"""How are half-labelled items split over what was not seen? Draws of two hidden counts.

Of n₀ and n₁ items, k₀ and k₁ have the unseen variable at 1. With all rates summed out the weight
is log w(k₀,k₁) = F(k₀) + G(k₁) + H(k₀+k₁), each term one `log_urn`. Draws come from a lattice
over (k₀,k₁) that zooms in on the mass: stride 1 is exact, a wider one is corrected by importance
weights. The cost depends on the lattice, never on the number of items.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from model.rat.cells import Array

Integers = NDArray[np.int64]

# So many pairs are held whole; of more, a lattice of fewer cells, whose strides are corrected for.
MAX_WHOLE_PAIRS = 4096
MAX_LATTICE_CELLS = 1024
# Mass below e^-30 of the peak is dropped: it would change no digit of a million draws.
NEGLIGIBLE = 30.0
MAX_ZOOMS = 12
# Cells kept around the mass at each zoom: the peak may lie between two points of a coarse lattice.
PADDING = 2


class Urn(NamedTuple):
    """log Γ(found+k) + log Γ(failed+n−k) − log Γ(found_base+k) − log Γ(failed_base+n−k)."""

    size: int
    found: float
    failed: float
    found_base: float
    failed_base: float


class HiddenPair(NamedTuple):
    """The three urns of log w: F over the first items, G over the second, H over both."""

    first: Urn
    second: Urn
    both: Urn


class HiddenDraws(NamedTuple):
    """Draws of k₀ and k₁ with the logarithm of their importance weights, float64[num_draws]."""

    first: Array
    second: Array
    log_weights: Array


class Axis(NamedTuple):
    """Lattice points low, low + stride, … (size of them), each for `stride` whole numbers."""

    low: int
    stride: int
    size: int


class Span(NamedTuple):
    """An inclusive range of whole numbers."""

    low: int
    high: int

    @property
    def length(self) -> int:
        """How many numbers it holds."""
        return self.high - self.low + 1


class Axes(NamedTuple):
    """The two axes of a lattice."""

    first: Axis
    second: Axis


class Lattice(NamedTuple):
    """Two axes and log w at the middle of each of their cells, float64[size, size]."""

    first: Axis
    second: Axis
    log_weights: Array


class Frame(NamedTuple):
    """Which two of k₀, k₁, k₀+k₁ span the lattice; third = sign_first·i + sign_second·j."""

    first: Urn
    second: Urn
    third: Urn
    sign_first: int
    sign_second: int


def log_urn(urn: Urn, k: Array) -> Array:
    """Return the urn's term for each k in 0..size, up to a constant."""
    rest = urn.size - k
    urns: Array = gammaln(urn.found + k) + gammaln(urn.failed + rest)
    urns -= gammaln(urn.found_base + k) + gammaln(urn.failed_base + rest)
    return urns


def draw_hidden(rng: np.random.Generator, hidden: HiddenPair, num_draws: int) -> HiddenDraws:
    """Return draws of (k₀, k₁); weights are all 1 when the lattice holds every pair.

    Args:
        rng: source of the draws.
        hidden: the three urns.
        num_draws: number of draws.
    """
    if hidden.both.size == 0:
        return HiddenDraws(np.zeros(num_draws), np.zeros(num_draws), np.zeros(num_draws))
    frame = _choose_frame(hidden)
    lattice = _zoom(frame)
    first, second, log_weights = _draw_from(rng, frame, lattice, num_draws)
    return _to_counts(hidden, frame, HiddenDraws(first, second, log_weights))


def _choose_frame(hidden: HiddenPair) -> Frame:
    """The two directions in which the labels pin the counts best, so that mass is no thin diagonal.

    Any two of k₀, k₁ and k₀+k₁ reach every pair of whole numbers, so the widest one is left out.
    """
    first, second, both = hidden
    widest = int(np.argmax([_spread(urn) for urn in hidden]))
    if _is_small(first, second) or widest == 2:
        return Frame(first, second, both, 1, 1)
    if widest == 0:
        return Frame(both, second, first, 1, -1)
    return Frame(both, first, second, 1, -1)


def _is_small(first: Urn, second: Urn) -> bool:
    """Whether every pair of the two counts can be held."""
    return (first.size + 1) * (second.size + 1) <= MAX_WHOLE_PAIRS


def _spread(urn: Urn) -> float:
    """Rough sd of k from the urn's own labels: n / √(labels + 3)."""
    labels = abs(urn.found + urn.failed - urn.found_base - urn.failed_base)
    return urn.size / float(np.sqrt(labels + 3.0))


def _zoom(frame: Frame) -> Lattice:
    """Shrink the lattice to the box that holds the mass until that gains nothing more."""
    lattice = _lattice(frame, Span(0, frame.first.size), Span(0, frame.second.size))
    for _ in range(MAX_ZOOMS):
        if lattice.first.stride == 1 and lattice.second.stride == 1:
            break
        kept = lattice.log_weights >= lattice.log_weights.max() - NEGLIGIBLE
        first = _span(lattice.first, kept.any(axis=1), frame.first.size)
        second = _span(lattice.second, kept.any(axis=0), frame.second.size)
        finer = _lattice(frame, first, second)
        gain = _area(lattice) / _area(finer)
        lattice = finer
        if gain < 2:
            break
    return lattice


def _area(lattice: Lattice) -> float:
    """Pairs per lattice cell."""
    return float(lattice.first.stride * lattice.second.stride)


def _lattice(frame: Frame, first: Span, second: Span) -> Lattice:
    """The finest lattice that may be held over two spans."""
    max_cells = MAX_WHOLE_PAIRS if _is_small(frame.first, frame.second) else MAX_LATTICE_CELLS
    axes = _axes(first, second, max_cells)
    slack = (axes.first.stride + axes.second.stride) / 2
    rows, columns = _middles(axes.first)[:, None], _middles(axes.second)[None, :]
    return Lattice(*axes, _log_weight(frame, rows, columns, slack if slack > 1 else 0.0))


def _axes(first: Span, second: Span, max_cells: int) -> Axes:
    """Share the cells out: a short span is held whole and leaves its cells to the other."""
    side = int(np.sqrt(max_cells))
    if first.length <= second.length:
        size = min(first.length, side)
        return Axes(_axis(first, size), _axis(second, max_cells // size))
    size = min(second.length, side)
    return Axes(_axis(first, max_cells // size), _axis(second, size))


def _axis(span: Span, max_size: int) -> Axis:
    """The finest axis of at most max_size cells over a span."""
    stride = -(-span.length // max_size)
    return Axis(span.low, stride, -(-span.length // stride))


def _middles(axis: Axis) -> Array:
    """The middle of each cell of the axis."""
    return axis.low + axis.stride * np.arange(axis.size, dtype=np.float64) + (axis.stride - 1) / 2


def _log_weight(frame: Frame, first: Array, second: Array, slack: float) -> Array:
    """log w where all three counts are possible, −∞ elsewhere.

    A cell whose middle lies outside by no more than `slack` may hold possible pairs: it gets the
    value of the nearest possible one, and the draw's importance weight puts it right.
    """
    third = frame.sign_first * first + frame.sign_second * second
    value = _inside(frame.first, first, slack) + _inside(frame.second, second, slack)
    return value + _inside(frame.third, third, slack)


def _inside(urn: Urn, k: Array, slack: float) -> Array:
    """log_urn within 0..n, its end value up to slack outside, −∞ beyond."""
    term = log_urn(urn, np.clip(k, 0, urn.size))
    term[(k < -slack) | (k > urn.size + slack)] = -np.inf
    return term


def _span(axis: Axis, kept: NDArray[np.bool_], size: int) -> Span:
    """First to last kept cell, padded, within 0..size."""
    positions = np.flatnonzero(kept)
    low = axis.low + axis.stride * (int(positions[0]) - PADDING)
    high = axis.low + axis.stride * (int(positions[-1]) + PADDING + 1) - 1
    return Span(max(low, 0), min(high, size))


def _draw_from(
    rng: np.random.Generator, frame: Frame, lattice: Lattice, num_draws: int
) -> HiddenDraws:
    """Draw a cell by its weight, then a pair inside it evenly, corrected by w(pair) / w(middle)."""
    cell = _draw_cells(rng, lattice.log_weights, num_draws)
    row, column = np.divmod(cell, lattice.second.size)
    first = _draw_within(rng, lattice.first, row)
    second = _draw_within(rng, lattice.second, column)
    if lattice.first.stride == 1 and lattice.second.stride == 1:
        return HiddenDraws(first, second, np.zeros(num_draws))
    exact = _log_weight(frame, first, second, 0.0)
    return HiddenDraws(first, second, exact - lattice.log_weights.ravel()[cell])


def _draw_cells(rng: np.random.Generator, log_weights: Array, num_draws: int) -> Integers:
    """Independent draws of flat positions with probability ∝ exp(log weight)."""
    cumulated = np.cumsum(np.exp(log_weights.ravel() - log_weights.max()))
    uniforms = np.sort(rng.uniform(0, cumulated[-1], num_draws))
    # Sorted uniforms make the search fast; the shuffle makes the draws exchangeable again.
    return rng.permutation(np.searchsorted(cumulated, uniforms, side="right"))


def _draw_within(rng: np.random.Generator, axis: Axis, position: Integers) -> Array:
    """An even draw among the whole numbers of each chosen cell."""
    start = axis.low + axis.stride * position.astype(np.float64)
    return start if axis.stride == 1 else start + rng.integers(axis.stride, size=len(position))


def _to_counts(hidden: HiddenPair, frame: Frame, draws: HiddenDraws) -> HiddenDraws:
    """(k₀, k₁) from the frame's two coordinates; an impossible pair has weight 0."""
    first, second, log_weights = draws
    if frame.third is hidden.first:
        first, second = first - second, second
    elif frame.third is hidden.second:
        first, second = second, first - second
    possible = np.isfinite(log_weights)
    return HiddenDraws(np.where(possible, first, 0), np.where(possible, second, 0), log_weights)
