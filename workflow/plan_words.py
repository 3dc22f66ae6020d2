"""What a plan says in words: the answer in one sentence, and what to know beside the figures."""

from model.allocation.plan import Curve, Reach, Start
from model.allocation.simulate import simulate_joint_labels
from model.allocation.states import count_states, joint_labels
from model.allocation.strategies import StrategyName
from model.rat.counts import CountTable
from workflow.words import STRATEGY_WORDS

FIRST_JOINT = 10


def answer_in_words(
    wanted: float | None, best: Curve, curves: list[Curve], reaches: list[Reach], start: Start
) -> str:
    """The answer in one sentence; `wanted` is the half-width asked for, None with a budget."""
    if wanted is None:
        end = best.points[-1]
        number = round(end.retrieval_labels + end.task_labels)
        return (
            f"{STRATEGY_WORDS[best.name]}: {number} labels for about {end.cost:.0f} narrow the"
            f" interval from ±{_points(start.half_width)} to ±{_points(end.half_width)} points"
            f"{_others(best, curves)}."
        )
    reach = reaches[[curve.name for curve in curves].index(best.name)]
    if reach.labels is None or reach.cost is None:
        return f"None of these gets to ±{_points(wanted)} points with the items left."
    if reach.labels == 0:
        return f"The interval is already within ±{_points(wanted)} points."
    missed = [STRATEGY_WORDS[other.name] for other in reaches if other.cost is None]
    rest = f"; {_listed(missed)} would not get there" if missed else ""
    return (
        f"{STRATEGY_WORDS[best.name]}: {reach.labels:.0f} labels, about {reach.cost:.0f} in cost,"
        f" to ±{_points(wanted)} points{rest}."
    )


def list_notes(table: CountTable, start: Start) -> list[str]:
    """What a lead should know beside the figures, a sentence each."""
    counts = count_states(table)
    if joint_labels(counts) > 0:
        return []
    notes = [
        "No answer carries both labels yet. Retrieval labels alone cannot show how often answers"
        " are right when retrieval found what was needed (correct_given_retrieval, τ₁), so All-R"
        " alone never gets narrow."
    ]
    after = simulate_joint_labels(start.setting, start.studies, FIRST_JOINT)
    if after is not None:
        notes.append(
            f"The first {FIRST_JOINT} answers with both labels are worth much: they are expected to"
            f" narrow the interval from ±{_points(start.half_width)} to ±{_points(after)} points."
        )
    return notes


def _others(best: Curve, curves: list[Curve]) -> str:
    """What the usual way would give for the same money."""
    both = next((curve for curve in curves if curve.name == StrategyName.BOTH), None)
    if both is None or best.name == StrategyName.BOTH:
        return ""
    return f"; both labels of every item would give ±{_points(both.points[-1].half_width)}"


def _listed(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _points(width: float) -> str:
    """A share as percentage points with the digits it supports."""
    return f"{100 * width:.1f}"
