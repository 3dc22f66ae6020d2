"""Which Betas do the rates follow when some retrieval labels are missing? Backwards, A before R.

In a = P(A=1), q₁ = P(R=1|A=1), q₀ = P(R=1|A=0) all cells are conjugate, but for hidden counts
(hidden_counts.py). Priors Beta(p,q) on ρ, α₀, α₁ are there Beta(a; p₁+p₀, q₁+q₀)
Beta(q₁; p₁, p₀) Beta(q₀; q₁, q₀) · ρ^-(p₁+q₁-p) · (1-ρ)^-(p₀+q₀-q), since
d(ρ,α₀,α₁) = a(1-a)/(ρ(1-ρ)) d(a,q₁,q₀). Left to weighted.py: the draws.
"""

import math
from typing import NamedTuple

from model.rat.hidden_counts import HiddenPair, Urn
from model.rat.priors import BetaPrior, RatPriors
from model.rat.tally import Tally


class Power(NamedTuple):
    """A factor ρ^-e, treated by its sign.

    e ≤ -1 where no T lacks its R: as good as `items` labels R=1 with A unseen, which hide a count;
    e keeps the rest. Other e < 0: the weight ρ^-e is at most 1 and stays as it is.
    e > 0: the share s goes into the Betas for A=1, 1-s into those for A=0. By weighted means
    ρ ≥ (a q₁/s)^s ((1-a) q₀/(1-s))^(1-s), so the weight that is left is bounded, and flat at
    P(A=1|R=1) = s.
    """

    exponent: float
    items: int
    share: float

    @property
    def on_abstained(self) -> float:
        """What the shapes for A=1 give up."""
        return self.share * max(self.exponent, 0.0)

    @property
    def on_answered(self) -> float:
        """What the shapes for A=0 give up."""
        return (1 - self.share) * max(self.exponent, 0.0)


class Powers(NamedTuple):
    """The power of ρ and that of 1-ρ."""

    found: Power
    failed: Power


class Backward(NamedTuple):
    """Beta shapes of a, q₁ and q₀ before any hidden count."""

    abstained: BetaPrior
    found_if_abstained: BetaPrior
    found_if_answered: BetaPrior


class TaskShapes(NamedTuple):
    """Beta shapes of τ₁ and τ₀ before any hidden count."""

    found: BetaPrior
    failed: BetaPrior


class Shapes(NamedTuple):
    """All that the draws of one system are proposed from; hidden_*: items with T but no R."""

    backward: Backward
    powers: Powers
    task: TaskShapes
    hidden_wrong: int
    hidden_right: int


def find_shapes(counts: Tally, priors: RatPriors) -> Shapes:
    """Return the Beta shapes of the posterior of one system, and the powers left as weights."""
    base = _backward(counts, priors)
    powers = _powers(base, counts, priors)
    return Shapes(
        backward=_lower(base, powers),
        powers=powers,
        task=_task_shapes(counts, priors),
        hidden_wrong=int(counts.hidden_wrong),
        hidden_right=int(counts.hidden_right),
    )


def hidden_abstention(shapes: Shapes) -> HiddenPair:
    """Return the weight of (j₁, j₀): how many of the R=1 and R=0 items without A abstained."""
    abstained, if_abstained, if_answered = shapes.backward
    found, failed = shapes.powers.found.items, shapes.powers.failed.items
    return HiddenPair(
        first=Urn(found, if_abstained.alpha, if_answered.alpha, 1.0, 1.0),
        second=Urn(failed, if_abstained.beta, if_answered.beta, 1.0, 1.0),
        both=Urn(found + failed, *abstained, sum(if_abstained), sum(if_answered)),
    )


def hidden_retrieval(shapes: Shapes) -> HiddenPair:
    """Return the weight of (k₀, k₁): how many of the T=0 and T=1 items without R have R=1."""
    found, failed = shapes.task
    wrong, right = shapes.hidden_wrong, shapes.hidden_right
    return HiddenPair(
        first=Urn(wrong, found.beta, failed.beta, 1.0, 1.0),
        second=Urn(right, found.alpha, failed.alpha, 1.0, 1.0),
        both=Urn(wrong + right, *shapes.backward.found_if_answered, sum(found), sum(failed)),
    )


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


def _powers(base: Backward, counts: Tally, priors: RatPriors) -> Powers:
    """e = p₁ + q₁ − p − items with R=1 alone; for 1-ρ likewise."""
    rho, if_failed, if_found = priors[:3]
    found = sum(if_found) - rho.alpha - counts.unknown_found
    failed = sum(if_failed) - rho.beta - counts.unknown_failed
    powers = Powers(_power(base, found, outcome=0), _power(base, failed, outcome=1))
    if counts.hidden_right + counts.hidden_wrong == 0:
        return powers
    # Hidden A and hidden R at once do not separate; a bounded weight is safe where they meet.
    return Powers(_as_weight(powers.found), _as_weight(powers.failed))


def _as_weight(power: Power) -> Power:
    """The power without hidden items: what they stand for goes back into the exponent."""
    return power._replace(exponent=power.exponent - power.items, items=0)


def _power(base: Backward, exponent: float, outcome: int) -> Power:
    """The share is P(A=1|R) at the means, clipped so that both lowered shapes stay positive."""
    on_abstained = base.found_if_abstained[outcome]
    on_answered = base.found_if_answered[outcome]
    abstained = base.abstained.alpha * on_abstained / sum(base.found_if_abstained)
    answered = base.abstained.beta * on_answered / sum(base.found_if_answered)
    share = abstained / (abstained + answered)
    if exponent <= 0:
        items = math.floor(-exponent)
        return Power(exponent + items, items, share)
    # Lowered in proportion, each shape would keep this fraction, which is above 0.
    kept = 1 - exponent / (on_abstained + on_answered)
    highest = on_abstained * (1 - kept / 2) / exponent
    lowest = 1 - on_answered * (1 - kept / 2) / exponent
    return Power(exponent, 0, min(max(share, lowest), highest))


def _lower(base: Backward, powers: Powers) -> Backward:
    """q₁ gives up what falls on A=1, q₀ what falls on A=0, a both."""
    found, failed = powers
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
