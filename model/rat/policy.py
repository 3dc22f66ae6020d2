"""What is each outcome worth to this team? Adherence = Σ over six cells of value · probability.

The paper's G is the preset `rat`. A custom policy is a mapping with the six cell names
failed_abstained, found_abstained, failed_wrong, failed_right, found_wrong, found_right
(failed: R=0, found: R=1; wrong, right: T), each a number in [0, 1].
"""

import math
from collections.abc import Mapping

from model.errors import ModelError
from model.rat.cells import CELL_NAMES, SixCells

Policy = SixCells[float]

# Order: (R=0,A=1), (R=1,A=1), (R=0,A=0,T=0), (R=0,A=0,T=1), (R=1,A=0,T=0), (R=1,A=0,T=1).
POLICY_PRESETS: Mapping[str, Policy] = {
    "rat": Policy(1, 0, 0, 0, 0, 1),
    "correct_or_silent": Policy(1, 0, 0, 1, 0, 1),
    "truthfulness": Policy(0.5, 0.5, 0, 1, 0, 1),
    "cautious": Policy(1, 0.5, 0, 0, 0, 1),
}
DEFAULT_POLICY = POLICY_PRESETS["rat"]


def get_policy(name: str) -> Policy:
    """Return a preset: rat, correct_or_silent, truthfulness (CRAG in [0, 1]) or cautious.

    Raises:
        ModelError: there is no preset of this name.
    """
    if name not in POLICY_PRESETS:
        raise ModelError(
            f"Policy '{name}' is unknown; one of {', '.join(POLICY_PRESETS)} was expected. "
            "Choose one of these, or give the six cell values."
        )
    return POLICY_PRESETS[name]


def parse_policy(values: Mapping[str, object]) -> Policy:
    """Return the policy of a mapping from the six cell names to numbers in [0, 1].

    Raises:
        ModelError: a cell is absent or unknown, or a value is no number in [0, 1].
    """
    odd = sorted(set(values) ^ set(CELL_NAMES))
    if odd:
        state = "absent" if odd[0] in CELL_NAMES else "unknown"
        raise ModelError(
            f"Policy cell '{odd[0]}' is {state}; exactly the cells {', '.join(CELL_NAMES)} were "
            "expected. Give each of them one value in [0, 1]."
        )
    return Policy(*(_read_value(name, values[name]) for name in CELL_NAMES))


def _read_value(name: str, value: object) -> float:
    """A finite number in [0, 1]; True and "1" are refused, they are slips in a JSON file."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not (math.isfinite(value) and 0 <= value <= 1):  # type: ignore[operator,arg-type]
        raise ModelError(
            f"Policy cell '{name}' is {value!r}; a number from 0 to 1 was expected. Correct it."
        )
    return float(value)  # type: ignore[arg-type]
