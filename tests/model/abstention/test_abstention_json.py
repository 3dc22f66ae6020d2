"""Do rules come back from their JSON, and is every wrong document refused with its place?"""

import json

import pytest

from model.abstention.phrases import PhraseRule, Scope
from model.abstention.rule_set import DEFAULT_CITATIONS
from model.abstention.rules import DEFAULT_RULES, AbstentionRules, judge_answer
from model.abstention.rules_json import rules_from_json, rules_to_json
from model.errors import ModelError

MANY = "|".join(f"w{number}" for number in range(101))
PHRASE = {"language": "en", "phrase": "no idea", "scope": "whole_answer"}


def test_default_rules_come_back() -> None:
    assert rules_from_json(rules_to_json(DEFAULT_RULES)) == DEFAULT_RULES


def test_only_phrases_are_needed() -> None:
    rules = rules_from_json(json.dumps({"phrases": [{"phrase": "no idea"}]}))
    assert rules == AbstentionRules(
        (PhraseRule("", "no idea", Scope.FIRST_SENTENCE),), DEFAULT_CITATIONS, 400
    )
    assert judge_answer("No idea!", rules).abstained is True


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ("{", "are no JSON"),
        ("[" * 100_000, "are no JSON"),
        ("[]", 'expected an object with "phrases"'),
        ({}, '"phrases" is null; expected a list'),
        ({"phrases": []}, "expected a list of 1 to"),
        ({"phrases": [PHRASE], "phrase": []}, 'key is "phrase"; expected phrases'),
        ({"phrases": ["no idea"]}, 'Phrase 1 is "no idea"; expected an object'),
        ({"phrases": [PHRASE, {"phrase": 7}]}, "Phrase 2: phrase is 7; expected a text"),
        ({"phrases": [{"language": "en"}]}, "Phrase 1: phrase is null"),
        ({"phrases": [{"phrase": " … "}]}, "begin without a letter"),
        ({"phrases": [{"phrase": "a (b"}]}, "bracket without its partner"),
        ({"phrases": [{"phrase": "a) (b"}]}, "bracket without its partner"),
        ({"phrases": [{"phrase": "(a|b|)"}]}, "begin without a letter"),
        (
            {"phrases": [{"phrase": MANY}]},
            "begins in over 100 ways",
        ),
        ({"phrases": [{"phrase": "a … b … c … d … e … f"}]}, "over 4 gaps"),
        ({"phrases": [{"phrase": "a " + "(" * 99 + "b" + ")" * 99}]}, "over 5 deep"),
        ({"phrases": [{"phrase": "x" * 501}]}, "expected a text of up to 500"),
        ({"phrases": [PHRASE | {"scope": "somewhere"}]}, 'scope is "somewhere"; expected first'),
        ({"phrases": [PHRASE | {"scope": ["x"]}]}, "scope is"),
        ({"phrases": [PHRASE | {"scop": "x"}]}, 'key is "scop"; expected language, phrase, scope'),
        ({"phrases": [PHRASE | {"language": None}]}, "language is null"),
        ({"phrases": [PHRASE], "citations": "[1]"}, '"citations" is'),
        ({"phrases": [PHRASE], "citations": ["("]}, "Citation 1 is '\\('.* no regular expression"),
        ({"phrases": [PHRASE], "citations": ["a", "(?i)b"]}, "Citation 2 is .* no regular"),
        ({"phrases": [PHRASE], "citations": ["(?P<n>a)", "(?P<n>b)"]}, "Citation 2 is"),
        ({"phrases": [PHRASE], "citations": ["a*"]}, "needs at least one character"),
        ({"phrases": [PHRASE], "citations": [1]}, "Citation 1 is 1"),
        ({"phrases": [PHRASE], "max_characters": -1}, '"max_characters" is -1'),
        ({"phrases": [PHRASE], "max_characters": True}, '"max_characters" is true'),
        ({"phrases": [PHRASE], "max_characters": "400"}, "expected a whole number from 0"),
    ],
)
def test_wrong_rules_are_refused_with_their_place(document: object, message: str) -> None:
    text = document if isinstance(document, str) else json.dumps(document)
    with pytest.raises(ModelError, match=message) as caught:
        rules_from_json(text)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400
