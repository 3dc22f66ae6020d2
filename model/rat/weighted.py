"""How are posterior draws proposed when retrieval labels are missing, and what do they weigh?

Hidden counts first (exact up to their weights), then the Betas of retrospective.py, then back to
the five rates: ρ = a q₁ + (1-a) q₀, α₁ = a q₁/ρ, α₀ = a (1-q₁)/(1-ρ).
"""

from typing import NamedTuple

import numpy as np

from model.rat.cells import Array
from model.rat.derived import Rates
from model.rat.hidden_counts import HiddenDraws, draw_hidden
from model.rat.retrospective import (
    Power,
    Shapes,
    hidden_abstention,
    hidden_retrieval,
)

# Keeps logarithms and ratios finite where a Beta draw rounds to 0 or 1.
SMALLEST, LARGEST = 1e-290, 1 - 2.0**-53


class WeightedDraws(NamedTuple):
    """Draws of the rates with the logarithms of their importance weights, float64[num_draws]."""

    rates: Rates
    log_weights: Array


class Hidden(NamedTuple):
    """The hidden pairs: (j₁, j₀) abstained of items without A, (k₀, k₁) found of those with T.

    At most one of them hides anything (retrospective.py).
    """

    abstention: HiddenDraws
    retrieval: HiddenDraws


class Joint(NamedTuple):
    """P(A,R) per draw, each float64[num_draws]."""

    abstained_found: Array
    abstained_failed: Array
    answered_found: Array
    answered_failed: Array


class TaskDraws(NamedTuple):
    """τ₀ and τ₁ per draw, each float64[num_draws]."""

    if_failed: Array
    if_found: Array


class BetaShapes(NamedTuple):
    """Shapes of one Beta, the same or another for each draw."""

    alpha: Array | float
    beta: Array | float


def propose(rng: np.random.Generator, shapes: Shapes, num_draws: int) -> WeightedDraws:
    """Return weighted posterior draws of the rates.

    Args:
        rng: source of the draws.
        shapes: `retrospective.find_shapes` of the counts and priors.
        num_draws: number of draws, each with its weight.
    """
    hidden = Hidden(
        abstention=draw_hidden(rng, hidden_abstention(shapes), num_draws),
        retrieval=draw_hidden(rng, hidden_retrieval(shapes), num_draws),
    )
    joint = _draw_joint(rng, shapes, hidden)
    found, failed = shapes.powers
    log_weights = hidden.abstention.log_weights + hidden.retrieval.log_weights
    log_weights += _log_left(found, joint.abstained_found, joint.answered_found)
    log_weights += _log_left(failed, joint.abstained_failed, joint.answered_failed)
    return WeightedDraws(_to_rates(joint, _draw_task(rng, shapes, hidden.retrieval)), log_weights)


def draw_beta(rng: np.random.Generator, shapes: BetaShapes, num_draws: int) -> Array:
    """Return float64[num_draws] draws of Beta(alpha, beta), never exactly 0 or 1."""
    return np.clip(rng.beta(*shapes, num_draws), SMALLEST, LARGEST)


def _draw_joint(rng: np.random.Generator, shapes: Shapes, hidden: Hidden) -> Joint:
    """P(A,R) from a, q₁ and q₀, given the hidden counts."""
    num_draws = len(hidden.retrieval.first)
    a = draw_beta(rng, _abstained_shapes(shapes, hidden.abstention), num_draws)
    q1 = draw_beta(rng, _if_abstained_shapes(shapes, hidden.abstention), num_draws)
    q0 = draw_beta(rng, _answered_shapes(shapes, hidden), num_draws)
    return Joint(a * q1, a * (1 - q1), (1 - a) * q0, (1 - a) * (1 - q0))


def _abstained_shapes(shapes: Shapes, hidden: HiddenDraws) -> BetaShapes:
    """a: + j₁ + j₀ abstained, the rest of those items answered."""
    alpha, beta = shapes.backward.abstained
    items = shapes.powers.found.items + shapes.powers.failed.items
    if items == 0:
        return BetaShapes(alpha, beta)
    abstained = hidden.first + hidden.second
    return BetaShapes(alpha + abstained, beta + items - abstained)


def _if_abstained_shapes(shapes: Shapes, hidden: HiddenDraws) -> BetaShapes:
    """q₁: + j₁ found, + j₀ failed."""
    alpha, beta = shapes.backward.found_if_abstained
    if shapes.powers.found.items + shapes.powers.failed.items == 0:
        return BetaShapes(alpha, beta)
    return BetaShapes(alpha + hidden.first, beta + hidden.second)


def _answered_shapes(shapes: Shapes, hidden: Hidden) -> BetaShapes:
    """q₀: + (m₁-j₁) + k₀ + k₁ found, + (m₀-j₀) + the rest of the T-labelled items failed."""
    alpha, beta = shapes.backward.found_if_answered
    found, failed = _split_retrieval(shapes, hidden.retrieval)
    found = found + shapes.powers.found.items - hidden.abstention.first
    failed = failed + shapes.powers.failed.items - hidden.abstention.second
    return BetaShapes(alpha + found, beta + failed)


def _split_retrieval(shapes: Shapes, hidden: HiddenDraws) -> BetaShapes:
    """Found and failed among the items with T but no R."""
    found = hidden.first + hidden.second
    return BetaShapes(found, shapes.hidden_wrong + shapes.hidden_right - found)


def _draw_task(rng: np.random.Generator, shapes: Shapes, hidden: HiddenDraws) -> TaskDraws:
    """τ₁: + k₁ right, + k₀ wrong; τ₀: what is left of both."""
    found, failed = shapes.task
    wrong, right = shapes.hidden_wrong, shapes.hidden_right
    if_found = BetaShapes(found.alpha + hidden.second, found.beta + hidden.first)
    if_failed = BetaShapes(failed.alpha + right - hidden.second, failed.beta + wrong - hidden.first)
    num_draws = len(hidden.first)
    return TaskDraws(draw_beta(rng, if_failed, num_draws), draw_beta(rng, if_found, num_draws))


def _to_rates(joint: Joint, task: TaskDraws) -> Rates:
    """ρ = P(A=1,R=1) + P(A=0,R=1), α₁ = P(A=1,R=1)/ρ, α₀ = P(A=1,R=0)/(1-ρ)."""
    found = joint.abstained_found + joint.answered_found
    failed = joint.abstained_failed + joint.answered_failed
    return Rates(
        retrieval_success=found,
        abstain_given_failed_retrieval=joint.abstained_failed / failed,
        abstain_given_retrieval=joint.abstained_found / found,
        correct_given_failed_retrieval=task.if_failed,
        correct_given_retrieval=task.if_found,
    )


def _log_left(power: Power, abstained: Array, answered: Array) -> Array:
    """log of what is left of ρ^-e: e·(s ln P(A=1,R=1) + (1-s) ln P(A=0,R=1) − ln ρ) for e > 0."""
    if power.exponent == 0:
        return np.zeros_like(abstained)
    left = -power.exponent * np.log(abstained + answered)
    if power.exponent > 0:
        left += power.on_abstained * np.log(abstained) + power.on_answered * np.log(answered)
    return np.asarray(left)
