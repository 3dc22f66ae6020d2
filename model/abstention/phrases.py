"""What is a phrase of refusal, and where does it count? The lists are in files by language.

A phrase is plain text; (a|b) in it stands for either, … for a few words within one clause. Upper
case, accents, typographic apostrophes and English contractions make no difference (answer_text).
The lists were written for this project. They hold only wordings that an answer to the question
would hardly hold: "I could not find", and not "cannot".
"""

from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple

GAP = "…"


class Scope(StrEnum):
    """Where a phrase makes an answer a refusal; `entire_answer` is when nothing else is said."""

    FIRST_SENTENCE = "first_sentence"
    WHOLE_ANSWER = "whole_answer"
    ENTIRE_ANSWER = "entire_answer"


class PhraseRule(NamedTuple):
    """An answer that holds this phrase declines; `language` is for people to sort by."""

    language: str
    phrase: str
    scope: Scope


class LanguagePhrases(NamedTuple):
    """Phrases of one language (ISO 639-1), by where they count."""

    language: str
    first_sentence: tuple[str, ...]
    whole_answer: tuple[str, ...] = ()
    entire_answer: tuple[str, ...] = ()

    def rules(self) -> Iterator[PhraseRule]:
        """Yield the phrases as rules, those that say most first."""
        for phrase in self.entire_answer:
            yield PhraseRule(self.language, phrase, Scope.ENTIRE_ANSWER)
        for phrase in self.whole_answer:
            yield PhraseRule(self.language, phrase, Scope.WHOLE_ANSWER)
        for phrase in self.first_sentence:
            yield PhraseRule(self.language, phrase, Scope.FIRST_SENTENCE)
