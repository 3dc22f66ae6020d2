"""The rules of abstention that a study has, and those that it begins with."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from model.abstention.eastern import EASTERN
from model.abstention.english import ENGLISH
from model.abstention.european import EUROPEAN
from model.abstention.phrases import PhraseRule

# References: [1], [2, 3], [1-4], [^1], [doc-3], [source: x], (source: x), 【4†source】.
DEFAULT_CITATIONS = (
    r"\[\^?\d[\d\s,;–-]*\]",
    r"\[(?:doc|document|source|ref|passage|context|quelle)\b[^\[\]]{0,200}\]",
    r"\((?:source|sources|see|ref|quelle|quellen|fonte|fuente)\b[^()]{0,200}\)",
    r"【[^【】]{0,200}】",
)
# About four sentences; a refusal with an apology, a reason and an offer is no longer.
DEFAULT_MAX_CHARACTERS = 400


class AbstentionRules(NamedTuple):
    """What makes an answer a refusal.

    Attributes:
        phrases: any of them, where its scope says.
        citations: regular expressions (case does not matter) of what is left out before.
        max_characters: a longer answer is judged by its first sentence alone.
    """

    phrases: tuple[PhraseRule, ...]
    citations: tuple[str, ...] = DEFAULT_CITATIONS
    max_characters: int = DEFAULT_MAX_CHARACTERS


DEFAULT_RULES = AbstentionRules(
    tuple(rule for phrases in (ENGLISH, *EUROPEAN, *EASTERN) for rule in phrases.rules())
)


def compile_citations(citations: Sequence[str]) -> re.Pattern[str]:
    """Return one expression of all citations, case left aside.

    Raises:
        re.error: one of them is no regular expression, or they cannot be joined.
    """
    return re.compile("|".join(f"(?:{citation})" for citation in citations), re.IGNORECASE)
