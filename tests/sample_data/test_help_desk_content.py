"""Do labels rest on the texts? Keys, passages and answers, checked against one another."""

from collections import Counter
from pathlib import Path
from random import Random

import pytest

from sample_data.articles import ContentError, read_articles
from sample_data.make_sample import (
    SEED,
    Question,
    build_sample,
    draw_answers,
    draw_questions,
    write_sample,
)
from sample_data.phrasebooks import PHRASEBOOKS
from sample_data.story import Outcome

ROOT = Path(__file__).parents[2]
RANDOM = Random(SEED)
QUESTIONS = draw_questions(RANDOM)
ANSWERS = draw_answers(RANDOM, QUESTIONS)

ARTICLE = """
topic = "ferry"
[[article]]
title = "Ferry times"
text = "The ferry leaves at nine."
[[article.fact]]
question = "When does the ferry leave?"
key = "{key}"
wrong = {wrong}
full = "{full}"
"""


def _passages_state_key(question: Question) -> bool:
    key = question.fact.key.lower()
    return any(key in passage.text.lower() for passage in question.passages)


def test_the_committed_files_are_what_the_script_writes(tmp_path: Path) -> None:
    write_sample(tmp_path)
    for name in ("help_desk.csv", "help_desk_truth.csv"):
        assert (tmp_path / name).read_bytes() == (ROOT / "sample_data" / name).read_bytes()


def test_another_seed_writes_another_sample() -> None:
    assert build_sample(SEED + 1) != build_sample(SEED)


def test_passages_state_the_key_exactly_where_retrieval_worked() -> None:
    assert [_passages_state_key(q) for q in QUESTIONS] == [q.retrieval for q in QUESTIONS]


def test_near_misses_are_of_the_same_topic() -> None:
    topics = {(a.article_id): (a.language, a.topic) for a in read_articles()}
    for question in QUESTIONS:
        found = {topics[passage.id] for passage in question.passages}
        assert found == {(question.source.language, question.source.topic)}


def test_right_answers_state_the_key_and_no_other_text_does() -> None:
    for answer in ANSWERS:
        states_key = answer.question.fact.key.lower() in answer.text.lower().replace("**", "")
        assert states_key == (answer.outcome is Outcome.RIGHT), answer


def test_wrong_answers_state_one_of_the_wrong_values() -> None:
    for answer in ANSWERS:
        if answer.outcome is Outcome.WRONG:
            text = answer.text.lower().replace("**", "")
            assert any(value.lower() in text for value in answer.question.fact.wrong), answer


def test_answers_cite_a_passage_that_exists() -> None:
    for answer in ANSWERS:
        number = len(answer.question.passages)
        cited = [n for n in range(1, 10) if answer.text.endswith(f"[{n}]")]
        assert all(n <= number for n in cited)


@pytest.mark.parametrize(("language", "least"), [("en", 40), ("de", 40)])
def test_each_language_asks_of_many_facts_in_many_sentence_shapes(
    language: str, least: int
) -> None:
    facts = [q.fact for q in QUESTIONS if q.source.language == language]
    assert len({fact.question for fact in facts}) == len(facts) >= least
    assert len({fact.full for fact in facts}) >= least


def test_refusals_come_in_many_wordings_and_none_is_overused() -> None:
    refusals = Counter(a.text for a in ANSWERS if a.outcome is Outcome.SILENT)
    total = sum(refusals.values())
    assert len(refusals) >= 30
    assert max(refusals.values()) / total <= 0.10


def test_refusal_of_each_language_answers_questions_of_that_language() -> None:
    for answer in ANSWERS:
        if answer.outcome is Outcome.SILENT:
            topic, language = answer.question.source.topic, answer.question.source.language
            wordings = {r.format(topic=topic) for r in PHRASEBOOKS[language].refusals}
            assert answer.text in wordings


def _write_article(directory: Path, key: str, wrong: str, full: str) -> None:
    (directory / "en").mkdir()
    text = ARTICLE.format(key=key, wrong=wrong, full=full)
    (directory / "en" / "ferry.toml").write_text(text, encoding="utf-8")


def test_a_sound_article_is_read(tmp_path: Path) -> None:
    _write_article(tmp_path, "at nine", '["at ten", "at noon"]', "It leaves {x}.")
    (article,) = read_articles(tmp_path)
    assert article.facts[0].short == "{x}."


@pytest.mark.parametrize(
    ("key", "wrong", "full", "message"),
    [
        ("at eleven", '["at ten", "at noon"]', "It leaves {x}.", "the text lacks 'at eleven'"),
        ("at nine", '["at ten"]', "It leaves {x}.", "two or more without the key"),
        ("at nine", '["at nine-ish", "at ten"]', "It leaves {x}.", "two or more without the key"),
        ("at nine", '["at ten", "at noon"]', "It leaves.", "a template lacks {x}"),
    ],
)
def test_an_article_whose_labels_would_be_false_is_refused(
    tmp_path: Path, key: str, wrong: str, full: str, message: str
) -> None:
    _write_article(tmp_path, key, wrong, full)
    with pytest.raises(ContentError, match=message):
        read_articles(tmp_path)
