"""Do the default abstention rules read the sample's answers as the truth file has them?"""

import csv
from pathlib import Path

from model.abstention.rules import DEFAULT_RULES, AbstentionRules, score_answers

SAMPLE = Path(__file__).parents[2] / "sample_data"


def _column(name: str, column: str) -> list[str]:
    with (SAMPLE / name).open(encoding="utf-8", newline="") as file:
        return [row[column] for row in csv.DictReader(file)]


def _misread(rules: AbstentionRules) -> list[str]:
    answers = _column("help_desk.csv", "answer")
    truths = _column("help_desk_truth.csv", "abstained")
    judged = score_answers(answers, rules)
    return [
        answer
        for answer, truth, abstention in zip(answers, truths, judged, strict=True)
        if abstention.abstained is not (truth == "1")
    ]


def test_default_rules_find_every_refusal_of_the_sample_and_nothing_else() -> None:
    assert _misread(DEFAULT_RULES) == []


def test_rules_without_phrases_miss_all_refusals_but_the_empty_ones() -> None:
    answers = _column("help_desk.csv", "answer")
    truths = _column("help_desk_truth.csv", "abstained")
    spoken = [a for a, truth in zip(answers, truths, strict=True) if truth == "1" and a]
    assert len(spoken) > 100
    assert _misread(DEFAULT_RULES._replace(phrases=())) == spoken
