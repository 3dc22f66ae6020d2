"""Which 720 answers make the sample study? Writes help_desk.csv and help_desk_truth.csv.

Run from the top of the repository: `python -m sample_data.make_sample`. The seed is fixed and only
`random()` is drawn from, so every run on every Python writes the same bytes; a test compares them.
"""

import json
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import NamedTuple

from sample_data.articles import Article, ContentError, Fact, fill, read_articles
from sample_data.phrasebooks import PHRASEBOOKS
from sample_data.retrieval import Passage, Search, retrieve
from sample_data.story import (
    NUM_QUESTIONS,
    SYSTEMS,
    Outcome,
    draw_outcomes,
    draw_retrieved,
    shuffled,
)
from sample_data.wordings import Reply, pick, word_answer, word_refusals

DIRECTORY = Path(__file__).parent
SEED = 20260385  # its labelled part happens to be typical: within .06 of the whole
NUM_LABELLED_QUESTIONS = 36  # 15 % of the questions, hence of the items
FIRST_LABEL = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


class Question(NamedTuple):
    """One question with what the shared retriever found; `retrieval` is R, `ease` in [0, 1]."""

    query_id: str
    source: Article
    fact: Fact
    passages: tuple[Passage, ...]
    retrieval: bool
    ease: float


class Answer(NamedTuple):
    """What one system said to one question."""

    question: Question
    system: str
    outcome: Outcome
    text: str


class Item(NamedTuple):
    """One row of help_desk.csv; None is a blank cell, "" a quoted empty one."""

    item_id: str
    system: str
    query_id: str
    query: str
    context_id: str
    contexts: str
    answer: str
    reference: str
    retrieval_label: str | None
    task_label: str | None
    annotator: str | None
    labelled_at: str | None
    topic: str
    language: str


class Truth(NamedTuple):
    """One row of help_desk_truth.csv: R, A, T as 0 or 1, T blank where A=1."""

    item_id: str
    retrieval: str
    abstained: str
    task: str | None


class Sample(NamedTuple):
    """Both files, row for row."""

    items: tuple[Item, ...]
    truths: tuple[Truth, ...]


def main() -> None:
    """Write both files beside this one."""
    write_sample(DIRECTORY)


def write_sample(directory: Path) -> None:
    """Write help_desk.csv and help_desk_truth.csv into a directory."""
    sample = build_sample()
    _write_csv(directory / "help_desk.csv", Item._fields, sample.items)
    _write_csv(directory / "help_desk_truth.csv", Truth._fields, sample.truths)


def build_sample(seed: int = SEED) -> Sample:
    """All rows in study order: shuffled, numbered, 15 % of the questions labelled."""
    random = Random(seed)
    questions = draw_questions(random)
    answers = draw_answers(random, questions)
    labelled = {
        questions[index].query_id: rank
        for rank, index in enumerate(
            shuffled(random, range(len(questions)))[:NUM_LABELLED_QUESTIONS]
        )
    }
    order = shuffled(random, range(len(answers)))
    truths = tuple(
        _to_truth(f"hd-{number:04}", answers[index]) for number, index in enumerate(order, start=1)
    )
    items = tuple(
        _to_item(truth, answers[index], labelled)
        for truth, index in zip(truths, order, strict=True)
    )
    return Sample(items, truths)


def draw_questions(random: Random) -> tuple[Question, ...]:
    """Every fact of the content as a question, with R, the passages and its ease."""
    articles = read_articles()
    facts = [(article, fact) for article in articles for fact in article.facts]
    if len(facts) != NUM_QUESTIONS:
        raise ContentError(f"{len(facts)} facts, {NUM_QUESTIONS} expected. Add or remove some.")
    questions = []
    for number, retrieval in enumerate(draw_retrieved(random)):
        source, fact = facts[number]
        siblings = [a for a in articles if (a.language, a.topic) == (source.language, source.topic)]
        search = Search(fact, source, tuple(siblings))
        passages = retrieve(random, search, is_found=retrieval)
        query_id = f"q-{number + 1:03}"
        questions.append(Question(query_id, source, fact, passages, retrieval, random.random()))
    return tuple(questions)


def draw_answers(random: Random, questions: Sequence[Question]) -> tuple[Answer, ...]:
    """Three answers a question, one per system, meeting the quotas of the story."""
    retrieved = [question.retrieval for question in questions]
    ease = [question.ease for question in questions]
    drafts = [
        Answer(question, story.system, outcome, "")
        for story in SYSTEMS
        for question, outcome in zip(
            questions, draw_outcomes(random, story, retrieved, ease), strict=True
        )
    ]
    refusals = _draw_refusals(random, drafts)
    return tuple(
        draft._replace(
            text=refusals[index]
            if draft.outcome is Outcome.SILENT
            else _draw_statement(random, draft)
        )
        for index, draft in enumerate(drafts)
    )


def _draw_refusals(random: Random, drafts: Sequence[Answer]) -> dict[int, str]:
    """A refusal for each silent draft, by its index."""
    refusals: dict[int, str] = {}
    for language, book in PHRASEBOOKS.items():
        silent = [
            index
            for index, draft in enumerate(drafts)
            if draft.outcome is Outcome.SILENT and draft.question.source.language == language
        ]
        topics = [drafts[index].question.source.topic for index in silent]
        refusals.update(zip(silent, word_refusals(random, topics, book), strict=True))
    return refusals


def _draw_statement(random: Random, draft: Answer) -> str:
    """The right value or a wrong one, citing the source where it was found."""
    question = draft.question
    is_right = draft.outcome is Outcome.RIGHT
    value = question.fact.key if is_right else pick(random, question.fact.wrong)
    ids = [passage.id for passage in question.passages]
    cited = ids.index(question.source.article_id) if question.retrieval else 0
    reply = Reply(question.fact, value, cited + 1, question.passages[cited].title)
    return word_answer(random, draft.system, reply, PHRASEBOOKS[question.source.language])


def _to_truth(item_id: str, answer: Answer) -> Truth:
    """R, A, T of one answer."""
    is_silent = answer.outcome is Outcome.SILENT
    task = None if is_silent else str(int(answer.outcome is Outcome.RIGHT))
    return Truth(item_id, str(int(answer.question.retrieval)), str(int(is_silent)), task)


def _to_item(truth: Truth, answer: Answer, labelled: dict[str, int]) -> Item:
    """The row an annotator sees; `labelled` gives the rank of each labelled question."""
    question = answer.question
    rank = labelled.get(question.query_id)
    is_labelled = rank is not None
    return Item(
        item_id=truth.item_id,
        system=answer.system,
        query_id=question.query_id,
        query=question.fact.question,
        context_id=question.query_id.replace("q-", "c-"),
        contexts=_to_json(question.passages),
        answer=answer.text,
        reference=fill(question.fact.full, question.fact.key),
        retrieval_label=truth.retrieval if is_labelled else None,
        task_label=truth.task if is_labelled else None,
        annotator="sample" if is_labelled else None,
        labelled_at=None if rank is None else _label_time(rank),
        topic=question.source.topic,
        language=question.source.language,
    )


def _to_json(passages: Iterable[Passage]) -> str:
    """A JSON list of {id, title, text, score}."""
    return json.dumps([passage._asdict() for passage in passages], ensure_ascii=False)


def _label_time(rank: int) -> str:
    """The time of the label: two minutes a question, ISO 8601 in UTC."""
    return (FIRST_LABEL + timedelta(minutes=2 * rank)).strftime("%Y-%m-%dT%H:%M:%SZ")


def _write_csv(path: Path, header: Sequence[str], rows: Iterable[tuple[str | None, ...]]) -> None:
    """RFC 4180 with \\n at line ends; the csv module would not tell "" from a blank cell."""
    lines = [",".join(header), *(",".join(map(_to_cell, row)) for row in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")


def _to_cell(value: str | None) -> str:
    """Blank for None, quoted where a comma, a quote, a line break or emptiness asks for it."""
    if value is None:
        return ""
    if value and not any(mark in value for mark in ',"\r\n'):
        return value
    return '"' + value.replace('"', '""') + '"'


if __name__ == "__main__":
    main()
