"""How well annotators agree, how each works, and where the guidelines may be at fault."""

from collections import defaultdict
from collections.abc import Mapping
from itertools import combinations
from statistics import median
from typing import NamedTuple

import numpy as np
from sqlalchemy import Engine

from db import known_answers, quality, studies
from db.engine import reading
from db.known_answers import CheckResult
from db.quality import Vote, Work
from db.tables import LabelType as LabelType
from db.tables import Value
from model.agreement import Agreement as Agreement
from model.agreement import Measure as Measure
from model.agreement import Ratings, measure_agreement

# Can't tell lies between no and yes where answers are ranks, and is left out elsewhere.
RANKS = {Value.NO: 0.0, Value.CANT_TELL: 1.0, Value.YES: 2.0}
OF_ALL = (Measure.RAW, Measure.KRIPPENDORFF_ALPHA, Measure.GWET_AC1)
OF_PAIRS = (
    Measure.RAW,
    Measure.COHEN_KAPPA,
    Measure.WEIGHTED_KAPPA,
    Measure.KRIPPENDORFF_ALPHA,
    Measure.GWET_AC1,
)
MIN_COMPARED = 5  # fewer common questions say nothing about how reliable somebody is
RELIABLE_SHARE = 0.5  # the better half of a team is asked against the rest


# A question of a label type, by its subject, with what each person said to it.
Asked = tuple[LabelType, int, dict[str, Value]]


class PairAgreement(NamedTuple):
    """The agreement of two people, or of all where `second` is empty."""

    first: str
    second: str
    measures: tuple[Agreement, ...]


class TypeQuality(NamedTuple):
    """Agreement on one label type; `questions` are those with two votes or more.

    `pairs` are those with enough questions in common to compare them.
    """

    label_type: LabelType
    questions: int
    cannot_tell_share: float
    overall: PairAgreement
    pairs: tuple[PairAgreement, ...]


class PersonQuality(NamedTuple):
    """How somebody works; `with_others` is the share of common votes that say what most others say.

    `with_others` None: too few questions in common. `median_seconds` None: nothing was timed.
    `checks` are hidden questions whose answer is known.
    """

    person: str
    labels: int
    cannot_tell: int
    skips: int
    median_seconds: float | None
    with_others: float | None
    compared: int
    checks_right: int
    checks: int


class Quality(NamedTuple):
    """Everything on the Quality screen but the conflicts."""

    interval: float
    types: tuple[TypeQuality, ...]
    people: tuple[PersonQuality, ...]
    guideline_problems: tuple[tuple[LabelType, int], ...]


def read_quality(engine: Engine, name: str, interval: float | None = None) -> Quality:
    """Agreement by label type and pair, and how each person works.

    Raises:
        StoreError: there is no such study.
    """
    with reading(engine) as session:
        study = studies.get_study(session, name)
        votes = {kind: quality.list_votes(session, study.id, kind) for kind in LabelType}
        work = quality.list_work(session, study.id)
        seconds = quality.list_seconds(session, study.id)
        checks = known_answers.list_check_results(session, study.id)
    probability = interval or study.settings.interval
    asked = [
        (kind, subject, said)
        for kind, given in votes.items()
        for subject, said in _by_subject(given).items()
    ]
    agreeing = _agreeing(asked)
    timed: dict[str, list[float]] = defaultdict(list)
    for person, taken in seconds:
        timed[person].append(taken)
    return Quality(
        probability,
        tuple(_type_quality(kind, found, probability) for kind, found in votes.items()),
        tuple(_person(one, timed[one.person], agreeing, checks) for one in work),
        tuple(_guideline_problems(asked, agreeing)),
    )


def _type_quality(label_type: LabelType, votes: list[Vote], interval: float) -> TypeQuality:
    table, people = _ratings(votes)
    unsure = sum(vote.value == Value.CANT_TELL for vote in votes)
    pairs = [
        PairAgreement(people[a], people[b], _measures(table[:, [a, b]], OF_PAIRS, interval))
        for a, b in combinations(range(len(people)), 2)
        if _in_common(table, a, b) >= MIN_COMPARED
    ]
    return TypeQuality(
        label_type,
        len(table),
        unsure / len(votes) if votes else 0.0,
        PairAgreement("all", "", _measures(table, OF_ALL, interval)),
        tuple(pairs),
    )


def _measures(
    table: Ratings, measures: tuple[Measure, ...], interval: float
) -> tuple[Agreement, ...]:
    """The weighted kappa of ranks, the others of yes and no alone."""
    sure = np.where(table == RANKS[Value.CANT_TELL], np.nan, table)
    return tuple(
        measure_agreement(one, table if one == Measure.WEIGHTED_KAPPA else sure, interval)
        for one in measures
    )


def _ratings(votes: list[Vote]) -> tuple[Ratings, list[str]]:
    """float64[num_questions, num_people] of ranks, nan where somebody gave no vote."""
    people = sorted({vote.person for vote in votes})
    rows = {subject: row for row, subject in enumerate(dict.fromkeys(v.subject for v in votes))}
    columns = {person: column for column, person in enumerate(people)}
    table = np.full((len(rows), len(people)), np.nan)
    for vote in votes:
        table[rows[vote.subject], columns[vote.person]] = RANKS[vote.value]
    return table, people


def _in_common(table: Ratings, first: int, second: int) -> int:
    """How many questions both answered."""
    return int((~np.isnan(table[:, [first, second]])).all(axis=1).sum())


def _agreeing(asked: list[Asked]) -> dict[str, list[bool]]:
    """Of each person, vote by vote, whether they said what most others said; ties say nothing."""
    found: dict[str, list[bool]] = defaultdict(list)
    for _, _, said in asked:
        for person, value in said.items():
            majority = _majority([v for other, v in said.items() if other != person])
            if majority is not None and value != Value.CANT_TELL:
                found[person].append(value == majority)
    return found


def _by_subject(votes: list[Vote]) -> dict[int, dict[str, Value]]:
    found: dict[int, dict[str, Value]] = defaultdict(dict)
    for vote in votes:
        found[vote.subject][vote.person] = vote.value
    return found


def _majority(values: list[Value]) -> Value | None:
    balance = values.count(Value.YES) - values.count(Value.NO)
    return None if balance == 0 else Value.YES if balance > 0 else Value.NO


def _person(
    work: Work,
    seconds: list[float],
    agreeing: Mapping[str, list[bool]],
    checks: list[CheckResult],
) -> PersonQuality:
    hidden = [one for one in checks if one.person == work.person and not one.is_practice]
    compared = agreeing.get(work.person, [])
    return PersonQuality(
        work.person,
        work.labels,
        work.cannot_tell,
        work.skips,
        median(seconds) if seconds else None,
        sum(compared) / len(compared) if len(compared) >= MIN_COMPARED else None,
        len(compared),
        sum(one.given == one.known for one in hidden),
        len(hidden),
    )


def _guideline_problems(
    asked: list[Asked], agreeing: Mapping[str, list[bool]]
) -> list[tuple[LabelType, int]]:
    """Questions on which the more reliable people say one thing and the rest another.

    Where those who agree most with others stand against a group, the words they were given are a
    likelier cause than a slip. At least three people must have been compared.
    """
    shares = {
        person: sum(found) / len(found)
        for person, found in agreeing.items()
        if len(found) >= MIN_COMPARED
    }
    if len(shares) < 3:
        return []
    ranked = sorted(shares, key=lambda person: -shares[person])
    reliable = set(ranked[: max(1, round(RELIABLE_SHARE * len(ranked)))])
    return [
        (label_type, subject) for label_type, subject, said in asked if _are_opposed(said, reliable)
    ]


def _are_opposed(said: Mapping[str, Value], reliable: set[str]) -> bool:
    best = _majority([value for person, value in said.items() if person in reliable])
    rest = _majority([value for person, value in said.items() if person not in reliable])
    return best is not None and rest is not None and best != rest
