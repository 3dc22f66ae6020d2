"""Do scope, length, citations, quotation and blanks decide as the rules say?"""

import time

import pytest

from model.abstention.phrases import PhraseRule, Scope
from model.abstention.rules import (
    DEFAULT_RULES,
    EMPTY_ANSWER,
    Abstention,
    AbstentionRules,
    ItemAnswer,
    RuleCatch,
    explain_answers,
    judge_answer,
    score_answers,
)

FIRST = PhraseRule("en", "no idea", Scope.FIRST_SENTENCE)
WHOLE = PhraseRule("en", "cannot tell", Scope.WHOLE_ANSWER)
ENTIRE = PhraseRule("en", "pass", Scope.ENTIRE_ANSWER)
RULES = AbstentionRules((FIRST, WHOLE, ENTIRE), max_characters=200)
FILLER = "Delivery takes two days and costs five euros. "


def test_missing_answer_is_unknown() -> None:
    assert judge_answer(None) == Abstention(None, None, "")


@pytest.mark.parametrize("blank", ["", " ", "\n\t ", "\u00a0\u3000"])
def test_blank_answer_is_an_abstention_by_the_rule_of_empty_answers(blank: str) -> None:
    assert judge_answer(blank) == Abstention(True, EMPTY_ANSWER, "")


def test_first_sentence_phrase_counts_in_the_first_sentence_only() -> None:
    assert judge_answer("I have no idea.", RULES) == Abstention(True, FIRST, "no idea")
    assert judge_answer(f"{FILLER}I have no idea.", RULES).abstained is False


def test_whole_answer_phrase_counts_anywhere_in_a_short_answer() -> None:
    short = f"{FILLER}So I cannot tell."
    assert judge_answer(short, RULES) == Abstention(True, WHOLE, "cannot tell")
    assert judge_answer(FILLER * 5 + "So I cannot tell.", RULES).abstained is False


def test_whole_answer_phrase_in_the_first_sentence_counts_at_any_length() -> None:
    assert judge_answer("I cannot tell from these pages. " + FILLER * 10, RULES).abstained is True


def test_entire_answer_phrase_counts_alone_and_with_punctuation() -> None:
    assert judge_answer("**Pass.**", RULES) == Abstention(True, ENTIRE, "pass")
    assert judge_answer("The pass is closed.", RULES).abstained is False
    assert judge_answer("Pass the salt.", RULES).abstained is False


def test_courtesy_before_the_refusal_is_part_of_the_opening() -> None:
    assert judge_answer("Sorry! I have no idea. " + FILLER, RULES).abstained is True
    assert judge_answer("Hello.\n\nI have no idea, sadly.", RULES).abstained is True


def test_late_mention_in_a_long_answer_is_no_refusal() -> None:
    answer = (
        "The refund takes ten working days once the parcel is at the depot. You see its state "
        "under Orders. " + FILLER * 8 + "I could not find anything about express refunds."
    )
    assert judge_answer(answer).abstained is False


@pytest.mark.parametrize(
    "citation",
    [
        "[1]",
        "[2, 3]",
        "[1-4]",
        "[^2]",
        "[doc-3]",
        "[Source: faq.md]",
        "(source: FAQ, p. 3)",
        "【4†x】",
    ],
)
def test_cited_refusal_is_a_refusal_wherever_the_citation_stands(citation: str) -> None:
    for answer in (
        f"I do not know. {citation}",
        f"{citation} I do not know.",
        f"I do {citation} not know.",
    ):
        assert judge_answer(answer).abstained is True


def test_brackets_that_cite_nothing_stay_part_of_the_answer() -> None:
    rules = AbstentionRules((PhraseRule("en", "no idea", Scope.FIRST_SENTENCE),), citations=())
    assert judge_answer("no [1] idea", rules).abstained is False
    assert judge_answer("no [really] idea").abstained is False


def test_quoted_refusal_is_no_refusal_unless_all_is_quoted() -> None:
    assert judge_answer('The bot says "I do not know" when it is offline.').abstained is False
    assert judge_answer("Le message « je ne sais pas » disparaît ensuite.").abstained is False
    assert judge_answer('"I do not know."').abstained is True


def test_phrases_match_whole_words() -> None:
    rules = AbstentionRules((PhraseRule("en", "no idea", Scope.FIRST_SENTENCE),))
    assert judge_answer("It is no ideal place.", rules).abstained is False
    assert judge_answer("Casino idea: roulette.", rules).abstained is False
    assert judge_answer("(no idea)", rules).abstained is True


def test_spelling_makes_no_difference() -> None:
    rules = AbstentionRules(
        (
            PhraseRule("fr", "je n'ai pas trouvé", Scope.FIRST_SENTENCE),
            PhraseRule("en", "I don't know", Scope.FIRST_SENTENCE),
        )
    )
    for answer in (
        "Je n\u2019ai pas trouve\u0301 cela",
        "JE N'AI PAS\n  TROUVE CELA",
        "I do not know",
        "I don\u02bct know",
        "Ｉ ｄｏｎ＇ｔ ｋｎｏｗ",
    ):
        assert judge_answer(answer, rules).abstained is True


def test_gap_and_alternatives_stay_within_a_clause() -> None:
    rules = AbstentionRules(
        (PhraseRule("en", "(text|page) … (lacks|has no (date|price))", Scope.FIRST_SENTENCE),)
    )
    assert judge_answer("The page of the shop has no price.", rules).matched == (
        "page of the shop has no price"
    )
    assert judge_answer("This text lacks it.", rules).abstained is True
    assert judge_answer("The page is long, it has no price.", rules).abstained is False
    assert judge_answer("The page has no prices.", rules).abstained is False


def test_first_of_two_equal_phrases_is_the_rule() -> None:
    twice = (FIRST, FIRST._replace(language="de"))
    assert judge_answer("no idea", AbstentionRules(twice)).rule == FIRST


def test_answers_are_judged_alike_alone_and_together() -> None:
    answers = [None, "", "I do not know.", "Yes.", "Das weiß ich nicht."] * 3
    assert score_answers(answers) == [judge_answer(answer) for answer in answers]


def test_explanation_lists_the_items_of_each_rule_and_of_none() -> None:
    answers = [
        ItemAnswer("a", "No idea."),
        ItemAnswer("b", "Yes."),
        ItemAnswer("c", None),
        ItemAnswer("d", "Really no idea at all."),
        ItemAnswer("e", "I cannot tell."),
        ItemAnswer("f", " "),
    ]
    assert explain_answers(answers, RULES) == (
        RuleCatch(True, FIRST, ("a", "d")),
        RuleCatch(True, WHOLE, ("e",)),
        RuleCatch(True, EMPTY_ANSWER, ("f",)),
        RuleCatch(False, None, ("b",)),
        RuleCatch(None, None, ("c",)),
    )


def test_long_answers_of_any_text_are_judged_fast() -> None:
    start = time.process_time()
    for answer in ("a" * 10**6, "[" * 10**6, '"' * 10**6, "the context " * 10**5, "不" * 10**6):
        judge_answer(answer)
    assert time.process_time() - start < 5


def test_hundred_thousand_short_answers_take_about_a_second() -> None:
    answers = [
        f"{number}: {text}"
        for number in range(20_000)
        for text in (
            "I'm sorry, but I could not find any information about that.",
            "The parcel is sent back within fourteen days of receipt [1].",
            "Yes, you can return opened items if unused and complete.",
            "Ich konnte dazu leider nichts finden, tut mir sehr leid.",
            "No, the warranty covers only defects of the material used.",
        )
    ]
    start = time.process_time()
    judged = score_answers(answers)
    # Aim 0.8 s on one core; the bound leaves room for a loaded machine.
    assert time.process_time() - start < 4
    assert sum(abstention.abstained is True for abstention in judged) == 40_000


def test_default_rules_have_no_phrase_twice_and_all_languages() -> None:
    assert len(set(DEFAULT_RULES.phrases)) == len(DEFAULT_RULES.phrases)
    languages = {rule.language for rule in DEFAULT_RULES.phrases}
    european = {"en", "de", "fr", "es", "it", "pt", "nl"}
    assert languages == european | {"tr", "pl", "ru", "ar", "he", "zh", "ja"}
