"""Which passages does the invented retriever hand over? Those that share most words with the query.

Within a topic, passages are ranked by rarity-weighted word overlap (inverse document
frequency, Spärck Jones 1972). Where retrieval is to fail, every article that states the key is
taken out first, so that the best near misses remain.
"""

import math
import re
from collections.abc import Sequence
from functools import cache
from random import Random
from typing import NamedTuple

from sample_data.articles import Article, Fact, holds

MIN_PASSAGES, MAX_PASSAGES = 2, 4


class Passage(NamedTuple):
    """One retrieved passage as the items file shows it; score in [0, 1]."""

    id: str
    title: str
    text: str
    score: float


class Search(NamedTuple):
    """One question put to the retriever, the article that answers it, and its topic's articles."""

    fact: Fact
    source: Article
    pool: tuple[Article, ...]


def retrieve(random: Random, search: Search, is_found: bool) -> tuple[Passage, ...]:
    """Two to four passages, best score first; with `is_found` the source is among them."""
    others = [article for article in search.pool if not holds(article.text, search.fact.key)]
    scores = {a.article_id: _score(random, search, a) for a in (*others, search.source)}
    others.sort(key=lambda article: -scores[article.article_id])
    number = MIN_PASSAGES + int(random.random() * (MAX_PASSAGES - MIN_PASSAGES + 1))
    chosen = [search.source, *others[: number - 1]] if is_found else others[:number]
    chosen.sort(key=lambda article: -scores[article.article_id])
    return tuple(Passage(a.article_id, a.title, a.text, scores[a.article_id]) for a in chosen)


def _score(random: Random, search: Search, article: Article) -> float:
    """.4 + .5 · (weight of the query's words in the article) / (weight of all) + noise ≤ .08."""
    query = _words(search.fact.question)
    weights = {word: _rarity(word, search.pool) for word in query}
    shared = sum(weights[word] for word in sorted(query & _article_words(article)))
    total = sum(weights[word] for word in sorted(query))
    return round(0.4 + 0.5 * shared / total + 0.08 * random.random(), 3)


def _rarity(word: str, pool: Sequence[Article]) -> float:
    """log(1 + n / (1 + documents with the word))."""
    documents = sum(word in _article_words(article) for article in pool)
    return math.log(1 + len(pool) / (1 + documents))


@cache
def _article_words(article: Article) -> frozenset[str]:
    """The words of title and text."""
    return _words(f"{article.title} {article.text}")


def _words(text: str) -> frozenset[str]:
    """First five letters of each word of four or more: crude stems, without the commonest words."""
    return frozenset(word[:5] for word in re.findall(r"\w{4,}", text.casefold()))
