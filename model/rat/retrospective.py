"""How to draw the rates when some retrieval labels are missing? Backwards, from A to R.

In a = P(A=1), q₁ = P(R=1|A=1), q₀ = P(R=1|A=0) all cells are conjugate, but for a hidden count
(hidden.py). Priors Beta(p,q) on ρ, α₀, α₁ are there Beta(a; p₁+p₀, q₁+q₀) Beta(q₁; p₁, p₀)
Beta(q₀; q₁, q₀) · ρ^-(p₁+q₁-p) · (1-ρ)^-(p₀+q₀-q), for d(ρ,α₀,α₁) = a(1-a)/(ρ(1-ρ)) d(a,q₁,q₀).
The two powers are left as importance weights.
"""

from typing import NamedTuple

import numpy as np

from model.rat.cells import Array
from model.rat.derived import Rates
from model.rat.hidden import HiddenDraws, HiddenRetrieval, Urn, draw_hidden
from model.rat.priors import BetaPrior, RatPriors
from model.rat.tally import Tally

# Keeps logarithms and ratios finite where a Beta draw rounds to 0 or 1.
SMALLEST, LARGEST = 1e-290, 1 - 2.0**-53


class Tilt(NamedTuple):
    """A power ρ^-e, of which the share s moves into the Betas for A=1 and 1-s into A=0.

    Weighted means give ρ ≥ (a q₁/s)^s ((1-a) q₀/(1-s))^(1-s): the weight that is left has a
    bound, and is flat where P(A=1|R=1) = s. A power with e < 0 is bounded as it is and not moved.
    """

    power: float
    share: float

    @property
    def on_abstained(self) -> float:
        """What the shapes for A=1 give up."""
        return self.share * max(self.power, 0.0)

    @property
    def on_answered(self) -> float:
        """What the shapes for A=0 give up."""
        return (1 - self.share) * max(self.power, 0.0)


class Backward(NamedTuple):
    """Beta shapes of a, q₁ and q₀; those of q₀ without the hidden counts."""

    abstained: BetaPrior
    found_if_abstained: BetaPrior
    found_if_answered: BetaPrior


class Tilts(NamedTuple):
    """The tilt of ρ and that of 1-ρ."""

    found: Tilt
    failed: Tilt


class TaskShapes(NamedTuple):
    """Beta shapes of τ₁ and τ₀, without the hidden counts."""

    found: BetaPrior
    failed: BetaPrior


class Proposal(NamedTuple):
    """All shapes that the draws are proposed from."""

    backward: Backward
    tilts: Tilts
    task: TaskShapes


class Joint(NamedTuple):
    """P(A,R) per draw, each float64[num_draws]."""

    abstained_found: Array
    abstained_failed: Array
    answered_found: Array
    answered_failed: Array


class WeightedDraws(NamedTuple):
    """Draws of the rates with the logarithms of their importance weights, float64[num_draws]."""

    rates: Rates
    log_weights: Array


def propose(
    rng: np.random.Generator, counts: Tally, priors: RatPriors, num_draws: int
) -> WeightedDraws:
    """Return weighted posterior draws; with e ≥ 0 for both powers the weights are bounded.

    Args:
        rng: source of the draws.
        counts: sufficient counts of one system.
        priors: the five Beta priors.
        num_draws: number of draws.
    """
    shapes = _proposal(counts, priors)
    hidden = _draw_hidden(rng, counts, shapes, num_draws)
    joint = _draw_joint(rng, counts, shapes.backward, hidden)
    found = joint.abstained_found + joint.answered_found
    failed = joint.abstained_failed + joint.answered_failed
    log_weights = hidden.log_weights + _log_left(
        shapes.tilts.found, joint.abstained_found, joint.answered_found
    )
    log_weights += _log_left(shapes.tilts.failed, joint.abstained_failed, joint.answered_failed)
    rates = Rates(
        retrieval_success=found,
        abstain_given_failed_retrieval=joint.abstained_failed / failed,
        abstain_given_retrieval=joint.abstained_found / found,
        correct_given_failed_retrieval=_draw_right_if_failed(rng, counts, shapes.task, hidden),
        correct_given_retrieval=_draw_right_if_found(rng, shapes.task, hidden),
    )
    return WeightedDraws(rates, log_weights)


def draw_beta(
    rng: np.random.Generator, alpha: float | Array, beta: float | Array, num_draws: int
) -> Array:
    """Return float64[num_draws] draws of Beta(alpha, beta), never exactly 0 or 1."""
    return np.clip(rng.beta(alpha, beta, num_draws), SMALLEST, LARGEST)


def _proposal(counts: Tally, priors: RatPriors) -> Proposal:
    """Prior shapes in (a, q₁, q₀, τ₁, τ₀) plus counts, lowered by what the tilts take over."""
    base = _backward(counts, priors)
    found, failed = priors.abstain_given_retrieval, priors.abstain_given_failed_retrieval
    rho = priors.retrieval_success
    tilts = Tilts(
        found=_tilt(base, sum(found) - rho.alpha - counts.unknown_found, outcome=0),
        failed=_tilt(base, sum(failed) - rho.beta - counts.unknown_failed, outcome=1),
    )
    return Proposal(_lower(base, tilts), tilts, _task_shapes(counts, priors))


def _backward(counts: Tally, priors: RatPriors) -> Backward:
    """The conjugate posterior of (a, q₁, q₀), powers of ρ left out."""
    found, failed = priors.abstain_given_retrieval, priors.abstain_given_failed_retrieval
    return Backward(
        BetaPrior(
            found.alpha + failed.alpha + counts.abstained,
            found.beta + failed.beta + counts.answered,
        ),
        BetaPrior(found.alpha + counts.abstained_found, failed.alpha + counts.abstained_failed),
        BetaPrior(found.beta + counts.all_answered_found, failed.beta + counts.all_answered_failed),
    )


def _tilt(base: Backward, power: float, outcome: int) -> Tilt:
    """The share is P(A=1|R) at the means, clipped so that both lowered shapes stay positive."""
    if power <= 0:
        return Tilt(power, 0.5)
    on_abstained = base.found_if_abstained[outcome]
    on_answered = base.found_if_answered[outcome]
    # At the share on_abstained/(both) each shape keeps this fraction, which is above 0.
    kept = 1 - power / (on_abstained + on_answered)
    highest = on_abstained * (1 - kept / 2) / power
    lowest = 1 - on_answered * (1 - kept / 2) / power
    abstained = base.abstained.alpha * on_abstained / sum(base.found_if_abstained)
    answered = base.abstained.beta * on_answered / sum(base.found_if_answered)
    return Tilt(power, min(max(abstained / (abstained + answered), lowest), highest))


def _lower(base: Backward, tilts: Tilts) -> Backward:
    """q₁ gives up what falls on A=1, q₀ what falls on A=0, a both."""
    found, failed = tilts
    on_abstained = BetaPrior(-found.on_abstained, -failed.on_abstained)
    on_answered = BetaPrior(-found.on_answered, -failed.on_answered)
    return Backward(
        _plus(base.abstained, sum(on_abstained), sum(on_answered)),
        _plus(base.found_if_abstained, *on_abstained),
        _plus(base.found_if_answered, *on_answered),
    )


def _task_shapes(counts: Tally, priors: RatPriors) -> TaskShapes:
    """Prior of τ plus the items with R, A=0 and T all seen."""
    return TaskShapes(
        _plus(priors.correct_given_retrieval, counts.found_right, counts.found_wrong),
        _plus(priors.correct_given_failed_retrieval, counts.failed_right, counts.failed_wrong),
    )


def _plus(prior: BetaPrior, ones: float, zeros: float) -> BetaPrior:
    """Beta(α + ones, β + zeros)."""
    return BetaPrior(prior.alpha + ones, prior.beta + zeros)


def _draw_hidden(
    rng: np.random.Generator, counts: Tally, shapes: Proposal, num_draws: int
) -> HiddenDraws:
    """How many hidden_wrong and hidden_right items have R=1, with q₀, τ₀, τ₁ summed out."""
    right, wrong = int(counts.hidden_right), int(counts.hidden_wrong)
    if right + wrong == 0:
        none = np.zeros(num_draws)
        return HiddenDraws(none, none, none)
    found, failed = shapes.task
    hidden = HiddenRetrieval(
        wrong=Urn(wrong, found.beta, failed.beta, 1.0, 1.0),
        right=Urn(right, found.alpha, failed.alpha, 1.0, 1.0),
        both=Urn(wrong + right, *shapes.backward.found_if_answered, sum(found), sum(failed)),
    )
    return draw_hidden(rng, hidden, num_draws)


def _draw_joint(
    rng: np.random.Generator, counts: Tally, shapes: Backward, hidden: HiddenDraws
) -> Joint:
    """P(A,R) from a, q₁ and, given the hidden counts, q₀."""
    num_draws = len(hidden.log_weights)
    a = draw_beta(rng, *shapes.abstained, num_draws)
    q1 = draw_beta(rng, *shapes.found_if_abstained, num_draws)
    more_found = hidden.found_wrong + hidden.found_right
    more_failed = counts.hidden_wrong + counts.hidden_right - more_found
    answered = shapes.found_if_answered
    q0 = draw_beta(rng, answered.alpha + more_found, answered.beta + more_failed, num_draws)
    return Joint(a * q1, a * (1 - q1), (1 - a) * q0, (1 - a) * (1 - q0))


def _draw_right_if_found(rng: np.random.Generator, task: TaskShapes, hidden: HiddenDraws) -> Array:
    """τ₁ given the hidden counts: + k₁ right, + k₀ wrong."""
    alpha, beta = task.found.alpha + hidden.found_right, task.found.beta + hidden.found_wrong
    return draw_beta(rng, alpha, beta, len(hidden.log_weights))


def _draw_right_if_failed(
    rng: np.random.Generator, counts: Tally, task: TaskShapes, hidden: HiddenDraws
) -> Array:
    """τ₀ given the hidden counts: + u₁-k₁ right, + u₀-k₀ wrong."""
    alpha = task.failed.alpha + counts.hidden_right - hidden.found_right
    beta = task.failed.beta + counts.hidden_wrong - hidden.found_wrong
    return draw_beta(rng, alpha, beta, len(hidden.log_weights))


def _log_left(tilt: Tilt, abstained: Array, answered: Array) -> Array:
    """log of what is left of ρ^-e: e·(s ln P(A=1,R=1) + (1-s) ln P(A=0,R=1) − ln ρ) for e > 0."""
    if tilt.power == 0:
        return np.zeros_like(abstained)
    left = -tilt.power * np.log(abstained + answered)
    if tilt.power > 0:
        left += tilt.on_abstained * np.log(abstained) + tilt.on_answered * np.log(answered)
    return np.asarray(left)
