"""Rules of abstention as JSON text, as a study keeps them and a file brings them."""

import json
import re

from model.abstention.phrase_syntax import PhraseSyntaxError, beginnings
from model.abstention.phrases import PhraseRule, Scope
from model.abstention.rule_set import AbstentionRules, compile_citations
from model.errors import ModelError

MAX_PHRASES = 5_000
MAX_PHRASE_CHARACTERS = 500
MAX_CITATIONS = 100
MAX_CITATION_CHARACTERS = 500

# A JSON document's value, as the json module gives it.
JsonValue = None | bool | int | float | str | list["JsonValue"] | dict[str, "JsonValue"]


def rules_to_json(rules: AbstentionRules) -> str:
    """Return the rules as JSON text that `rules_from_json` reads."""
    document = {
        "phrases": [rule._asdict() for rule in rules.phrases],
        "citations": list(rules.citations),
        "max_characters": rules.max_characters,
    }
    return json.dumps(document, ensure_ascii=False, indent=1)


def rules_from_json(text: str) -> AbstentionRules:
    """Return the rules that JSON text spells.

    Args:
        text: an object of "phrases" (objects of "language", "phrase" and "scope", which is
            first_sentence, whole_answer or entire_answer), "citations" (regular expressions) and
            "max_characters"; the last two may be left out.

    Raises:
        ModelError: anything else, with its place.
    """
    try:
        document: JsonValue = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ModelError(
            f"The abstention rules are no JSON ({error}). Correct the text."
        ) from error
    if not isinstance(document, dict):
        raise _wrong("The rules", document, 'an object with "phrases"')
    _check_keys("The rules", document, AbstentionRules._fields)
    defaults = AbstentionRules(())
    return AbstentionRules(
        _phrases(document.get("phrases")),
        _citations(document.get("citations", list(defaults.citations))),
        _max_characters(document.get("max_characters", defaults.max_characters)),
    )


def _phrases(value: JsonValue) -> tuple[PhraseRule, ...]:
    """The phrases, at least one."""
    if not isinstance(value, list) or not 0 < len(value) <= MAX_PHRASES:
        raise _wrong('"phrases"', value, f"a list of 1 to {MAX_PHRASES} objects")
    return tuple(_phrase(entry, number) for number, entry in enumerate(value, start=1))


def _phrase(entry: JsonValue, number: int) -> PhraseRule:
    """One phrase, checked."""
    place = f"Phrase {number}"
    if not isinstance(entry, dict):
        raise _wrong(place, entry, 'an object of "language", "phrase" and "scope"')
    _check_keys(place, entry, PhraseRule._fields)
    phrase = _text(entry.get("phrase"), f"{place}: phrase", MAX_PHRASE_CHARACTERS)
    try:
        beginnings(phrase)
    except PhraseSyntaxError as error:
        raise ModelError(f"{place}: {error}. Correct the abstention rules.") from error
    scope = entry.get("scope", Scope.FIRST_SENTENCE)
    if scope not in list(Scope):
        raise _wrong(f"{place}: scope", scope, ", ".join(Scope))
    language = _text(entry.get("language", ""), f"{place}: language", MAX_PHRASE_CHARACTERS)
    return PhraseRule(language, phrase, Scope(str(scope)))


def _citations(value: JsonValue) -> tuple[str, ...]:
    """Expressions that compile and do not match everything."""
    if not isinstance(value, list) or len(value) > MAX_CITATIONS:
        raise _wrong('"citations"', value, f"a list of up to {MAX_CITATIONS} regular expressions")
    citations = tuple(
        _text(entry, f"Citation {number}", MAX_CITATION_CHARACTERS)
        for number, entry in enumerate(value, start=1)
    )
    for number in range(1, len(citations) + 1):
        _check_citations(citations[:number])
    return citations


def _check_citations(citations: tuple[str, ...]) -> None:
    """Raise when the last one is no expression, does not go with the others, or takes nothing."""
    place, expression = f"Citation {len(citations)}", citations[-1]
    try:
        takes_nothing = compile_citations(citations).match("")
    except (re.error, RecursionError, OverflowError) as error:
        raise ModelError(
            f"{place} is {expression!r}, which is no regular expression ({error}). Correct it."
        ) from error
    if takes_nothing:
        raise _wrong(place, expression, "an expression that needs at least one character")


def _max_characters(value: JsonValue) -> int:
    """A whole number, not negative."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise _wrong('"max_characters"', value, "a whole number from 0")
    return value


def _text(value: JsonValue, place: str, max_characters: int) -> str:
    """A text of bounded length."""
    if not isinstance(value, str) or len(value) > max_characters:
        raise _wrong(place, value, f"a text of up to {max_characters} characters")
    return value


def _check_keys(place: str, value: dict[str, JsonValue], known: tuple[str, ...]) -> None:
    """Raise for a key that nobody reads: it is a misspelt one."""
    for key in value:
        if key not in known:
            raise _wrong(f"{place}: key", key, ", ".join(known))


def _wrong(place: str, found: JsonValue, expected: str) -> ModelError:
    """The error for a value that is something else."""
    shown = json.dumps(found, ensure_ascii=False)[:60]
    return ModelError(f"{place} is {shown}; expected {expected}. Correct the abstention rules.")
