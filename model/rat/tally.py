"""Which counts carry all that a table says about the five rates? The sufficient tally.

Human labels only: judge verdicts are summed out. T seen says A=0, even where A was not recorded.
"""

from typing import NamedTuple

import numpy as np

from model.rat.cells import UNOBSERVED
from model.rat.counts import CountTable, without_judges


class Tally(NamedTuple):
    """Numbers of items; `found` is R=1, `failed` R=0, `right` and `wrong` are T.

    abstained, answered: A seen, any R. `answered_*`: R but no T. `hidden_*`: T but no R.
    `unknown_*`: R but neither A nor T.
    """

    abstained: float
    answered: float
    abstained_found: float
    abstained_failed: float
    answered_found: float
    answered_failed: float
    found_right: float
    found_wrong: float
    failed_right: float
    failed_wrong: float
    hidden_right: float
    hidden_wrong: float
    unknown_found: float
    unknown_failed: float

    @property
    def all_answered_found(self) -> float:
        """Items with A=0 and R=1, whatever is known of T."""
        return self.answered_found + self.found_right + self.found_wrong

    @property
    def all_answered_failed(self) -> float:
        """Items with A=0 and R=0, whatever is known of T."""
        return self.answered_failed + self.failed_right + self.failed_wrong

    @property
    def hides_no_retrieval(self) -> bool:
        """Whether R is seen wherever A is: then the five rates themselves are conjugate."""
        seen_abstained = self.abstained_found + self.abstained_failed
        seen_answered = self.all_answered_found + self.all_answered_failed
        return seen_abstained == self.abstained and seen_answered == self.answered


def tally(table: CountTable) -> Tally:
    """Return the sufficient counts of a table."""
    table = without_judges(table)
    abstained, retrieval, task = (table.cells[:, column] for column in range(3))
    found, failed, unseen = retrieval == 1, retrieval == 0, retrieval == UNOBSERVED
    right, wrong, no_task = task == 1, task == 0, task == UNOBSERVED
    silent = abstained == 1
    answered = (abstained == 0) | ~no_task
    unknown = ~silent & ~answered

    def items(chosen: np.ndarray) -> float:
        return float(table.counts[chosen].sum())

    return Tally(
        abstained=items(silent),
        answered=items(answered),
        abstained_found=items(silent & found),
        abstained_failed=items(silent & failed),
        answered_found=items(answered & no_task & found),
        answered_failed=items(answered & no_task & failed),
        found_right=items(found & right),
        found_wrong=items(found & wrong),
        failed_right=items(failed & right),
        failed_wrong=items(failed & wrong),
        hidden_right=items(unseen & right),
        hidden_wrong=items(unseen & wrong),
        unknown_found=items(unknown & found),
        unknown_failed=items(unknown & failed),
    )
