"""How does a system word its answer or its refusal? Shapes of answers, chosen per system.

A right and a wrong answer go through the same shapes, so the wording never gives the truth away.
The sentences themselves are in `phrasebooks`.
"""

from collections.abc import Callable, Sequence
from random import Random
from typing import NamedTuple, TypeVar

from sample_data.articles import Fact, fill
from sample_data.phrasebooks import Phrasebook

Choice = TypeVar("Choice")


class Reply(NamedTuple):
    """What an answer is made of: a fact, the value it states, and the passage it cites."""

    fact: Fact
    value: str
    cited: int  # position among the passages, from 1
    cited_title: str


Shape = Callable[[Random, Reply, Phrasebook], str]


def word_answer(random: Random, system: str, reply: Reply, book: Phrasebook) -> str:
    """One answer that states the value, in a shape the system is fond of."""
    shape = pick(random, SHAPES_OF[system])
    return shape(random, reply, book)


def word_refusals(random: Random, topics: Sequence[str], book: Phrasebook) -> tuple[str, ...]:
    """One refusal for each topic, going through all wordings before any comes again."""
    deck: list[tuple[float, str]] = []
    refusals = []
    for topic in topics:
        deck = deck or sorted((random.random(), refusal) for refusal in book.refusals)
        refusals.append(deck.pop()[1].format(topic=topic))
    return tuple(refusals)


def pick(random: Random, options: Sequence[Choice]) -> Choice:
    """One option, by `random()` alone, which is the same in every Python."""
    return options[int(random.random() * len(options))]


def _brief(random: Random, reply: Reply, book: Phrasebook) -> str:
    """The short sentence."""
    return fill(reply.fact.short, reply.value)


def _plain(random: Random, reply: Reply, book: Phrasebook) -> str:
    """The full sentence."""
    return fill(reply.fact.full, reply.value)


def _opened(random: Random, reply: Reply, book: Phrasebook) -> str:
    """Opener, then the full sentence."""
    return f"{pick(random, book.openers)} {_plain(random, reply, book)}"


def _closed(random: Random, reply: Reply, book: Phrasebook) -> str:
    """The full sentence, then a closer."""
    return f"{_plain(random, reply, book)} {pick(random, book.closers)}"


def _cited(random: Random, reply: Reply, book: Phrasebook) -> str:
    """The full sentence with the number of a passage."""
    return f"{_plain(random, reply, book)} [{reply.cited}]"


def _sourced(random: Random, reply: Reply, book: Phrasebook) -> str:
    """The full sentence, and the title of a passage on a line of its own."""
    return f"{_plain(random, reply, book)}\n({book.source}{reply.cited_title})"


def _twice(random: Random, reply: Reply, book: Phrasebook) -> str:
    """The short sentence, a blank line, the full sentence."""
    return f"{book.in_short}{_brief(random, reply, book)}\n\n{_plain(random, reply, book)}"


def _bold(random: Random, reply: Reply, book: Phrasebook) -> str:
    """The full sentence with the value between markdown stars, unless it has stars itself."""
    if "*" in reply.value:
        return _plain(random, reply, book)
    return fill(reply.fact.full, f"**{reply.value}**")


SHAPES_OF: dict[str, tuple[Shape, ...]] = {
    "desk-small": (_brief, _brief, _brief, _plain, _plain, _closed),
    "desk-large": (_plain, _opened, _closed, _twice, _bold, _plain),
    "desk-guarded": (_plain, _cited, _cited, _sourced, _brief, _bold),
}
