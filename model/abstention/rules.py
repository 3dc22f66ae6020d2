"""Did an answer decline (A=1)? Phrases in its first sentence, anywhere in a short answer, or alone.

A long answer that says late what it could not find has answered; a refusal with a citation is a
refusal. What is no answer at all is unknown, and an empty one is an abstention.
"""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from model.abstention.answer_text import normalise, opening, own_words
from model.abstention.matching import Hit, Matcher, compile_phrases, find_phrase, match_phrase
from model.abstention.phrases import PhraseRule, Scope
from model.abstention.rule_set import DEFAULT_RULES, AbstentionRules, compile_citations
from model.abstention.rules_json import rules_from_json, rules_to_json

__all__ = [
    "DEFAULT_RULES",
    "Abstention",
    "AbstentionRules",
    "ItemAnswer",
    "RuleCatch",
    "explain_answers",
    "judge_answer",
    "rules_from_json",
    "rules_to_json",
    "score_answers",
]

EMPTY_ANSWER = PhraseRule("", "empty answer", Scope.WHOLE_ANSWER)
# An answer of nothing but a phrase is a few words.
MAX_ENTIRE = 40
PUNCTUATION = " .!?,;:*_#-–—\"'()[]{}<>。、؟،"


class Abstention(NamedTuple):
    """Whether an answer declined, by which rule, and the words that the rule matched.

    Attributes:
        abstained: None when there is no answer to judge.
        rule: None where no rule applied.
        matched: normalised text; "" where no phrase matched.
    """

    abstained: bool | None
    rule: PhraseRule | None = None
    matched: str = ""


class ItemAnswer(NamedTuple):
    """An answer and the item it belongs to; None when the answer is not known."""

    item_id: str
    answer: str | None


class RuleCatch(NamedTuple):
    """Items of one outcome: caught by a rule; without one answered (False) or unknown (None)."""

    abstained: bool | None
    rule: PhraseRule | None
    item_ids: tuple[str, ...]


class CompiledRules(NamedTuple):
    """Rules ready to judge many answers."""

    citations: re.Pattern[str] | None
    entire: Matcher
    in_opening: Matcher
    anywhere: Matcher
    max_characters: int


UNKNOWN = Abstention(None)
EMPTY = Abstention(True, EMPTY_ANSWER)
ANSWERED = Abstention(False)


def judge_answer(answer: str | None, rules: AbstentionRules = DEFAULT_RULES) -> Abstention:
    """Return whether one answer declined; None is unknown, blank text declined."""
    return _judge(answer, _compiled(rules))


def score_answers(
    answers: Iterable[str | None], rules: AbstentionRules = DEFAULT_RULES
) -> list[Abstention]:
    """Return the judgement of each answer, in their order."""
    compiled = _compiled(rules)
    return [_judge(answer, compiled) for answer in answers]


def explain_answers(
    answers: Sequence[ItemAnswer], rules: AbstentionRules = DEFAULT_RULES
) -> tuple[RuleCatch, ...]:
    """Return which rule catches which items, the rule that catches most first.

    What no rule catches comes as the catch without a rule: answered, or unknown (None).
    """
    items: dict[Abstention, list[str]] = {}
    judged = score_answers([item.answer for item in answers], rules)
    for item, abstention in zip(answers, judged, strict=True):
        items.setdefault(abstention._replace(matched=""), []).append(item.item_id)
    caught = [RuleCatch(key.abstained, key.rule, tuple(ids)) for key, ids in items.items()]
    return tuple(sorted(caught, key=lambda catch: (catch.rule is None, -len(catch.item_ids))))


@lru_cache(maxsize=16)
def _compiled(rules: AbstentionRules) -> CompiledRules:
    """Phrases by scope; those of the whole answer count in its opening at any length."""
    entire, first, anywhere = (
        [rule for rule in rules.phrases if rule.scope is scope]
        for scope in (Scope.ENTIRE_ANSWER, Scope.FIRST_SENTENCE, Scope.WHOLE_ANSWER)
    )
    return CompiledRules(
        compile_citations(rules.citations) if rules.citations else None,
        compile_phrases(entire),
        compile_phrases([*anywhere, *first]),
        compile_phrases(anywhere),
        rules.max_characters,
    )


def _judge(answer: str | None, rules: CompiledRules) -> Abstention:
    """Opening first, then the rest of a short answer."""
    if answer is None:
        return UNKNOWN
    if not answer or answer.isspace():
        return EMPTY
    uncited = rules.citations.sub(" ", answer) if rules.citations else answer
    text = normalise(own_words(uncited))
    first = opening(text)
    hit = find_phrase(rules.in_opening, first) or _match_entire(rules.entire, text)
    if hit is None and len(first) < len(text) <= rules.max_characters:
        hit = find_phrase(rules.anywhere, text)
    return ANSWERED if hit is None else Abstention(True, hit.rule, hit.text)


def _match_entire(matcher: Matcher, text: str) -> Hit | None:
    """A phrase that is all of a short text, punctuation aside."""
    return match_phrase(matcher, text.strip(PUNCTUATION)) if len(text) <= MAX_ENTIRE else None
