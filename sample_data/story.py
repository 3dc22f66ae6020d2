"""How often does each system find, abstain and answer rightly? Exact quotas, no random rates.

The story (von Däniken, Saaro, Cieliebak, Deriu 2026): three systems that share one retriever are
right equally often, P(A=0, T=1) = .24, yet their adherence to "answer when you found it, stay
silent when you did not" is .16, .41 and .50. Only labels of both R and T tell them apart.
"""

from collections.abc import Sequence
from enum import StrEnum
from random import Random
from typing import NamedTuple

NUM_QUESTIONS = 240
NUM_RETRIEVED = 84  # R=1 for .35 of the questions: low enough that tau0 < tau1 for all systems


class Outcome(StrEnum):
    """What a system did with a question."""

    SILENT = "silent"
    RIGHT = "right"
    WRONG = "wrong"


class Quota(NamedTuple):
    """How many questions of one retrieval state end in silence or in a right answer."""

    silent: int
    right: int


class SystemStory(NamedTuple):
    """One system: its quotas where retrieval failed (156 questions) and where it worked (84)."""

    system: str
    failed_retrieval: Quota
    retrieval: Quota


SYSTEMS = (
    SystemStory("desk-small", failed_retrieval=Quota(5, 24), retrieval=Quota(2, 34)),
    SystemStory("desk-large", failed_retrieval=Quota(51, 10), retrieval=Quota(8, 48)),
    SystemStory("desk-guarded", failed_retrieval=Quota(69, 8), retrieval=Quota(10, 50)),
)


def draw_retrieved(random: Random) -> tuple[bool, ...]:
    """Whether retrieval worked, per question: exactly NUM_RETRIEVED times true."""
    order = shuffled(random, range(NUM_QUESTIONS))
    retrieved = set(order[:NUM_RETRIEVED])
    return tuple(index in retrieved for index in range(NUM_QUESTIONS))


def draw_outcomes(
    random: Random, story: SystemStory, retrieved: Sequence[bool], ease: Sequence[float]
) -> tuple[Outcome, ...]:
    """The outcome of one system per question, meeting its quotas exactly.

    Args:
        random: source of what this system finds easy or hard on its own.
        story: the quotas.
        retrieved: R per question.
        ease: in [0, 1] per question and shared by the systems, so that their outcomes go
            together as those of real systems do.
    """
    outcomes = [Outcome.WRONG] * len(retrieved)
    for quota, state in ((story.failed_retrieval, False), (story.retrieval, True)):
        stratum = [index for index, found in enumerate(retrieved) if found == state]
        noise = {index: random.random() for index in stratum}
        ranked = sorted(stratum, key=lambda index: ease[index] + noise[index])
        for index in ranked[: quota.silent]:
            outcomes[index] = Outcome.SILENT
        for index in ranked[len(ranked) - quota.right :]:
            outcomes[index] = Outcome.RIGHT
    return tuple(outcomes)


def shuffled(random: Random, values: Sequence[int]) -> list[int]:
    """The values in random order, by sort keys: `random()` is the same in every Python."""
    keys = [(random.random(), value) for value in values]
    return [value for _, value in sorted(keys)]
