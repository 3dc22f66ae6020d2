"""What does a phrase match? Its beginnings as plain text, the rest as a regular expression.

(a|b) stands for either, also nested, … for a few words within one clause; all else is text.
"""

import re
from itertools import accumulate
from typing import NamedTuple

from model.abstention.answer_text import normalise
from model.abstention.phrases import GAP

SPECIAL = re.compile(r"([()|…])")
BLANKS_AT_GAP = re.compile(rf"\s*{GAP}\s*")
# Chinese, Japanese and Thai letters.
UNSPACED_LETTER = re.compile("[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
MAX_BEGINNINGS = 100
# Each gap multiplies the ways to try; the parser of expressions recurses into brackets.
MAX_GAPS = 4
MAX_DEPTH = 5
# Characters of a phrase in an error.
MAX_SHOWN = 80


class PhraseSyntaxError(ValueError):
    """A phrase that stands for nothing, or for too much."""


class Writing(NamedTuple):
    """Expressions of a way of writing: one character before a phrase, its end, a few words."""

    before: str
    end: str
    gap: str


# The character before is consumed and not looked back at: the search for it is several times
# faster than a trial at each place.
SPACED = Writing(r"\W", r"(?!\w)", r"\b[^,.;:!?؟]{0,60}?\b")
# No blanks between words, so phrases begin and end anywhere.
UNSPACED = Writing(r"(?s:.)", "", "[^,.;:!?、。]{0,30}?")


class Beginning(NamedTuple):
    """One of the plain texts that a phrase begins with, and the expression of what follows."""

    text: str
    rest: str
    writing: Writing


def beginnings(phrase: str) -> list[Beginning]:
    """Return the ways in which a phrase begins, in the order of its alternatives.

    Raises:
        PhraseSyntaxError: a bracket without its partner, a beginning without a letter, over 100
            beginnings, over 4 gaps, or brackets over 5 deep.
    """
    _check_brackets(phrase)
    writing = UNSPACED if UNSPACED_LETTER.search(phrase) else SPACED
    found = []
    for variant in _open_first(BLANKS_AT_GAP.sub(GAP, f"({phrase})")):
        text, *rest = SPECIAL.split(variant)
        plain = _literal(text)
        if not any(map(str.isalnum, plain)):
            raise PhraseSyntaxError(f"{phrase[:MAX_SHOWN]!r} may begin without a letter or digit")
        found.append(Beginning(plain, "".join(_translated(rest, writing)), writing))
    return found


def _check_brackets(phrase: str) -> None:
    """Every bracket has its partner, and there are not too many."""
    depths = list(accumulate((c == "(") - (c == ")") for c in f" {phrase}"))
    if depths[-1] or min(depths) < 0:
        raise PhraseSyntaxError(f"{phrase[:MAX_SHOWN]!r} has a bracket without its partner")
    if max(depths) > MAX_DEPTH or phrase.count(GAP) > MAX_GAPS:
        raise PhraseSyntaxError(
            f"{phrase[:MAX_SHOWN]!r} has over {MAX_GAPS} gaps, or brackets over {MAX_DEPTH} deep"
        )


def _open_first(phrase: str) -> list[str]:
    """The phrase with each alternative of its first bracket, until it begins with text."""
    pending, done = [phrase], []
    while pending:
        variant = pending.pop(0)
        if not variant.startswith("("):
            done.append(variant)
            continue
        pending = [*_choices(variant), *pending]
        if len(pending) + len(done) > MAX_BEGINNINGS:
            raise PhraseSyntaxError(f"{phrase[1:MAX_SHOWN]!r} begins in over {MAX_BEGINNINGS} ways")
    return done


def _choices(phrase: str) -> list[str]:
    """The alternatives of the bracket that a phrase begins with, each followed by the rest."""
    depth, starts, position = 0, [1], 0
    for position, character in enumerate(phrase):
        depth += (character == "(") - (character == ")")
        if character == "|" and depth == 1:
            starts.append(position + 1)
        if depth == 0:
            break
    ends = [start - 1 for start in starts[1:]] + [position]
    rest = phrase[position + 1 :]
    return [phrase[start:end] + rest for start, end in zip(starts, ends, strict=True)]


def _literal(text: str) -> str:
    """Normalised text that keeps a blank at its ends, where other words of the phrase follow."""
    before = " " if text[:1].isspace() else ""
    after = " " if text[-1:].isspace() and text.strip() else ""
    return f"{before}{normalise(text)}{after}"


def _translated(tokens: list[str], writing: Writing) -> list[str]:
    """The expression of each part of a phrase."""
    special = {"(": "(?:", ")": ")", "|": "|", GAP: writing.gap}
    return [special.get(token) or re.escape(_literal(token)) for token in tokens]
