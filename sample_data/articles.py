"""What does the invented help desk know? Articles and the facts they hold, read from `content/`.

One TOML file is one topic in one language. An article with facts can be retrieved for their
questions; one without is on the topic and answers nothing. Choosing passages is `retrieval`'s.
"""

import tomllib
from pathlib import Path
from typing import Any, NamedTuple

CONTENT = Path(__file__).parent / "content"
SLOT = "{x}"  # where a template takes the right value or a wrong one


class ContentError(ValueError):
    """A content file that breaks the rules the labels rest on."""


class Fact(NamedTuple):
    """One question with its right value, believable wrong values and two sentence shapes."""

    question: str
    key: str
    wrong: tuple[str, ...]
    full: str
    short: str


class Article(NamedTuple):
    """One page of the help centre; `text` holds the key of each fact word for word."""

    article_id: str
    language: str
    topic: str
    title: str
    text: str
    facts: tuple[Fact, ...]


def read_articles(content: Path = CONTENT) -> tuple[Article, ...]:
    """Every article of every topic, in the order of file names.

    Args:
        content: directory with one folder a language, one TOML file a topic.

    Raises:
        ContentError: a key that its article lacks, a wrong value that holds the key, a template
            without its slot, or fewer than two wrong values.
    """
    files = sorted(content.glob("*/*.toml"))
    return tuple(article for file in files for article in _read_topic(file))


def fill(template: str, value: str) -> str:
    """The template with the value in its slot, beginning with a capital."""
    sentence = template.replace(SLOT, value)
    return sentence[:1].upper() + sentence[1:]


def holds(text: str, key: str) -> bool:
    """Whether a text states the key, whatever the capitals."""
    return key.casefold() in text.casefold()


def _read_topic(file: Path) -> list[Article]:
    """The articles of one file, numbered as they stand."""
    document = tomllib.loads(file.read_text(encoding="utf-8"))
    language = file.parent.name
    articles = []
    for number, entry in enumerate(document["article"], start=1):
        article = Article(
            article_id=f"{language}-{file.stem}-{number:02}",
            language=language,
            topic=document["topic"],
            title=entry["title"],
            text=_unfold(entry["text"]),
            facts=tuple(_to_fact(fact) for fact in entry.get("fact", [])),
        )
        _check(article)
        articles.append(article)
    return articles


def _to_fact(entry: dict[str, Any]) -> Fact:
    """One `[[article.fact]]` table; without `short` the value alone is the short answer."""
    return Fact(
        question=entry["question"],
        key=entry["key"],
        wrong=tuple(entry["wrong"]),
        full=entry["full"],
        short=entry.get("short", f"{SLOT}."),
    )


def _unfold(text: str) -> str:
    """The text with line folds removed; blank lines stay as breaks between paragraphs."""
    paragraphs = text.strip().split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)


def _check(article: Article) -> None:
    """Raise unless every fact is stated by its article and told apart from its wrong values."""
    for fact in article.facts:
        where = f"{article.article_id}, '{fact.question}'"
        if not holds(article.text, fact.key):
            raise ContentError(f"{where}: the text lacks '{fact.key}'. State the key in it.")
        if len(set(fact.wrong)) < 2 or any(holds(value, fact.key) for value in fact.wrong):
            raise ContentError(
                f"{where}: wrong values are {fact.wrong}; two or more without the key are "
                "expected. Choose other values."
            )
        if SLOT not in fact.full or SLOT not in fact.short:
            raise ContentError(f"{where}: a template lacks {SLOT}. Put it where the value goes.")
