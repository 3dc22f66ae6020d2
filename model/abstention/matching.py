"""Which of many phrases does a text hold? One regular expression for all of them.

The phrases share their beginnings as branches of a tree, so that a word of the text is compared
with all of them at once; an empty group at the end of each tells which one it was.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from model.abstention.phrase_syntax import SPACED, UNSPACED, Beginning, Writing, beginnings
from model.abstention.phrases import PhraseRule

# What no text holds.
NOTHING = "(?!)"


class Hit(NamedTuple):
    """A phrase found in a text, and the text that it matched."""

    rule: PhraseRule
    text: str


class Ending(NamedTuple):
    """What follows a beginning, and the rule that is then met."""

    rest: str
    rule: PhraseRule


class Node(NamedTuple):
    """A place in the tree of beginnings: by next character, and what may follow here."""

    nodes: dict[str, "Node"]
    endings: list[Ending]


class Branches(NamedTuple):
    """One expression, and the rule of each of its groups."""

    pattern: re.Pattern[str]
    rules: tuple[PhraseRule, ...]


class Matcher(NamedTuple):
    """Phrases ready to be found: those in ASCII letters, in other ones, and without blanks."""

    ascii: Branches
    spaced: Branches
    unspaced: Branches


def compile_phrases(rules: Sequence[PhraseRule]) -> Matcher:
    """Return a matcher of all phrases; of two that match alike the first counts.

    Raises:
        PhraseSyntaxError: a phrase that is no phrase.
    """
    trees = (Node({}, []), Node({}, []), Node({}, []))
    for rule in rules:
        for beginning in beginnings(rule.phrase):
            node = _grown(trees[_kind(beginning)], beginning.text)
            node.endings.append(Ending(beginning.rest, rule))
    return Matcher(*map(_branches, trees, (SPACED, SPACED, UNSPACED)))


def find_phrase(matcher: Matcher, text: str) -> Hit | None:
    """Return a phrase in a normalised text, None when it holds none."""
    hit = _find(matcher.ascii, text)
    if hit is None and not text.isascii():
        return _find(matcher.spaced, text) or _find(matcher.unspaced, text)
    return hit


def match_phrase(matcher: Matcher, text: str) -> Hit | None:
    """Return the phrase that is all of a normalised text, None when it is none."""
    for branches in matcher:
        match = branches.pattern.fullmatch(f" {text}")
        if match:
            return _hit(branches, match)
    return None


def _find(branches: Branches, text: str) -> Hit | None:
    """The leftmost phrase, begun after any character."""
    match = branches.pattern.search(f" {text}")
    return _hit(branches, match) if match else None


def _hit(branches: Branches, match: re.Match[str]) -> Hit:
    """The last group that took part is the empty one at the end of the phrase."""
    # Groups count from 1, and each way through the expression ends in one.
    return Hit(branches.rules[(match.lastindex or 0) - 1], match.group()[1:])


def _kind(beginning: Beginning) -> int:
    """Place in a matcher; most texts are ASCII and need the first expression only."""
    if beginning.writing is UNSPACED:
        return 2
    return 0 if beginning.text.isascii() and beginning.rest.replace("؟", "").isascii() else 1


def _grown(node: Node, text: str) -> Node:
    """The node at the end of a text, made where it is missing."""
    for character in text:
        node = node.nodes.setdefault(character, Node({}, []))
    return node


def _branches(tree: Node, writing: Writing) -> Branches:
    """One expression, and the rules in the order of its groups."""
    rules: list[PhraseRule] = []
    expression = _expression(tree, rules, writing)
    return Branches(re.compile(f"{writing.before}{expression}"), tuple(rules))


def _expression(node: Node, rules: list[PhraseRule], writing: Writing) -> str:
    """What may follow a node, longest beginning first; each end adds its rule and its group."""
    options = [
        re.escape(character) + _expression(following, rules, writing)
        for character, following in node.nodes.items()
    ]
    for ending in node.endings:
        rules.append(ending.rule)
        options.append(f"{ending.rest}{writing.end}()")
    return options[0] if len(options) == 1 else f"(?:{'|'.join(options) or NOTHING})"
