"""In which coordinates is this table's posterior round, where is it and how wide?

Labels of one kind pin one share sharply and leave others wide: in the wrong coordinates the
posterior is a thin curved ridge. Of the (A,R) table and, given A=0, the (R,T) table, this picks
rows, columns or margins by the labels there are. It only helps NUTS (coordinates.py) along: a bad
choice costs steps, never the right answer.
"""

from enum import IntEnum
from typing import NamedTuple

import numpy as np

from model.rat.cells import Array
from model.rat.priors import RatPriors
from model.rat.tally import Tally

# Half-labels that say this many times more about a share than the other labels make a ridge.
SHARP = 10.0
# A prior that is infinite at 0 and 1 makes a funnel of margins: take them for the thinnest ridges.
SHARP_IF_INFINITE = 100.0
# Retrieval first costs nothing where no label of T alone waits to be described by columns.
SHARP_IF_FREE = 2.0
# Where the two margins alone are seen, the third coordinate spans about what a flat prior does.
WIDE = 2.0


class TaskLayout(IntEnum):
    """Which three shares describe the (R,T) table of the answers."""

    BY_RETRIEVAL = 0
    BY_TASK = 1
    BY_MARGINS = 2


class Layout(NamedTuple):
    """The coordinates of one fit; centre and scale of their logits, float64[5]."""

    retrieval_first: bool
    task_layout: TaskLayout
    centre: Array
    scale: Array


class Share(NamedTuple):
    """A share seen in `ones` of `ones + zeros` items."""

    ones: float
    zeros: float

    @property
    def mean(self) -> float:
        """The mean under a flat prior."""
        return (self.ones + 1) / (self.ones + self.zeros + 2)

    @property
    def variance(self) -> float:
        """The variance under a flat prior."""
        return self.mean * (1 - self.mean) / (self.ones + self.zeros + 3)


class Rows(NamedTuple):
    """A two-by-two table: the share of the first row, and the shares inside each row."""

    row: Share
    if_one: Share
    if_zero: Share


def choose_layout(counts: Tally, priors: RatPriors) -> Layout:
    """Return the layout for the sufficient counts and the priors of one system."""
    if _is_retrieval_first(counts):
        shares = (*_abstention_by_retrieval(counts), *_task_by_retrieval(counts)[1:])
        return _layout(True, TaskLayout.BY_RETRIEVAL, shares)
    by_abstention = _retrieval_by_abstention(counts)
    first = (by_abstention.row, by_abstention.if_one)
    task_layout = _choose_task_layout(counts, priors)
    if task_layout is TaskLayout.BY_RETRIEVAL:
        return _layout(False, task_layout, (*first, *_task_by_retrieval(counts)))
    by_task = _retrieval_by_task(counts)
    if task_layout is TaskLayout.BY_TASK:
        return _layout(False, task_layout, (*first, *by_task))
    margins = _layout(False, task_layout, (*first, by_abstention.if_zero, by_task.row))
    return margins._replace(
        centre=np.append(margins.centre, 0.0), scale=np.append(margins.scale, WIDE)
    )


def _layout(retrieval_first: bool, task_layout: TaskLayout, shares: tuple[Share, ...]) -> Layout:
    """Logits: centre ln((n₁+1)/(n₀+1)), scale √(1/(n₁+1) + 1/(n₀+1))."""
    ones = np.array([share.ones + 1 for share in shares])
    zeros = np.array([share.zeros + 1 for share in shares])
    centre, scale = np.log(ones / zeros), np.sqrt(1 / ones + 1 / zeros)
    return Layout(retrieval_first, task_layout, centre, scale)


def _is_retrieval_first(counts: Tally) -> bool:
    """Whether R is mostly labelled on items whose A is unknown."""
    unknown = counts.unknown_found + counts.unknown_failed
    backward = _sharpness(_retrieval_by_abstention(counts), unknown)
    unseen = counts.abstained + counts.answered - _abstained_seen(counts) - _answered_seen(counts)
    forward = _sharpness(_abstention_by_retrieval(counts), unseen)
    is_free = counts.hidden_right + counts.hidden_wrong == 0
    return backward > (SHARP_IF_FREE if is_free else SHARP) and forward < backward


def _choose_task_layout(counts: Tally, priors: RatPriors) -> TaskLayout:
    """Rows unless labels of T alone make a ridge of them, then columns, or else margins."""
    by_retrieval = _sharpness(_task_by_retrieval(counts), counts.hidden_right + counts.hidden_wrong)
    by_task = _sharpness(_retrieval_by_task(counts), counts.answered_found + counts.answered_failed)
    is_infinite = min(*priors.correct_given_failed_retrieval, *priors.correct_given_retrieval) < 1
    if min(by_retrieval, by_task) > (SHARP_IF_INFINITE if is_infinite else SHARP):
        return TaskLayout.BY_MARGINS
    return TaskLayout.BY_RETRIEVAL if by_retrieval <= by_task else TaskLayout.BY_TASK


def _sharpness(rows: Rows, labels: float) -> float:
    """Variance of the column share as the rows know it, over that of so many labels of it alone."""
    row, one, zero = rows
    variance = row.mean**2 * one.variance + (1 - row.mean) ** 2 * zero.variance
    variance += (one.mean - zero.mean) ** 2 * row.variance
    column = row.mean * one.mean + (1 - row.mean) * zero.mean
    return variance * labels / (column * (1 - column))


def _abstained_seen(counts: Tally) -> float:
    return counts.abstained_found + counts.abstained_failed


def _answered_seen(counts: Tally) -> float:
    return counts.all_answered_found + counts.all_answered_failed


def _retrieval_by_abstention(counts: Tally) -> Rows:
    """P(A=1), P(R=1|A=1), P(R=1|A=0)."""
    return Rows(
        Share(counts.abstained, counts.answered),
        Share(counts.abstained_found, counts.abstained_failed),
        Share(counts.all_answered_found, counts.all_answered_failed),
    )


def _abstention_by_retrieval(counts: Tally) -> Rows:
    """P(R=1), P(A=1|R=1), P(A=1|R=0)."""
    found = counts.abstained_found + counts.all_answered_found + counts.unknown_found
    failed = counts.abstained_failed + counts.all_answered_failed + counts.unknown_failed
    return Rows(
        Share(found, failed),
        Share(counts.abstained_found, counts.all_answered_found),
        Share(counts.abstained_failed, counts.all_answered_failed),
    )


def _task_by_retrieval(counts: Tally) -> Rows:
    """Among answers: P(R=1), P(T=1|R=1), P(T=1|R=0)."""
    return Rows(
        Share(counts.all_answered_found, counts.all_answered_failed),
        Share(counts.found_right, counts.found_wrong),
        Share(counts.failed_right, counts.failed_wrong),
    )


def _retrieval_by_task(counts: Tally) -> Rows:
    """Among answers: P(T=1), P(R=1|T=1), P(R=1|T=0)."""
    right = counts.found_right + counts.failed_right + counts.hidden_right
    wrong = counts.found_wrong + counts.failed_wrong + counts.hidden_wrong
    return Rows(
        Share(right, wrong),
        Share(counts.found_right, counts.failed_right),
        Share(counts.found_wrong, counts.failed_wrong),
    )
