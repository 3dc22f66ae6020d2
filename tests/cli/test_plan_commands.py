"""plan, next and simulate on the command line: the contract, the answer, the refusals."""

import csv
from pathlib import Path

import pytest

from tests.cli.conftest import Run, one_line_of_error

QUICK = ("--replicates", "8")


@pytest.fixture
def half_labelled(tmp_path: Path) -> str:
    """120 answers of one system, every fourth with both labels."""
    with (tmp_path / "half.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["item_id", "query", "answer", "retrieval_label", "task_label"])
        for number in range(120):
            answer = "" if number % 3 == 0 else f"Answer {number}"
            retrieval = number % 5 != 0
            labels = [int(retrieval), "" if not answer else number % 4 != 1]
            shown = [str(int(label)) if label != "" else "" for label in labels]
            writer.writerow(
                [f"i{number}", f"Query {number}", answer, *(shown if number % 4 == 0 else ["", ""])]
            )
    return "half.csv"


def test_plan_prints_one_document_of_the_contract(ratchet: Run, half_labelled: str) -> None:
    found = ratchet("plan", half_labelled, "--budget", "40", "--json", *QUICK)
    assert (found.code, found.err) == (0, "")
    document = found.document
    assert document["system"] == "default"
    assert document["now"].keys() == {"sd", "half_width"}
    assert {row["name"] for row in document["strategies"]} >= {"all_retrieval", "optimal"}
    same = ratchet("plan", half_labelled, "--budget", "40", "--json", *QUICK).document
    assert same["strategies"] == document["strategies"]


def test_plan_answers_in_one_sentence(ratchet: Run, half_labelled: str) -> None:
    found = ratchet("plan", half_labelled, "--half-width", "0.11", *QUICK)
    assert "to ±11.0 points" in found.out.splitlines()[0]
    assert "What the next label buys:" in found.out


def test_the_difference_of_two_systems_can_be_planned(ratchet: Run, tmp_path: Path) -> None:
    text = (tmp_path / "rows.csv").read_text(encoding="utf-8")
    lines = text.splitlines()
    labels = [lines[0].split(",").index(name) for name in ("retrieval_label", "task_label")]
    rows = [line.split(",") for line in lines]
    for row in rows[1::2]:
        for column in labels:
            row[column] = ""
    (tmp_path / "some.csv").write_text("\n".join(",".join(row) for row in rows), encoding="utf-8")
    asked = ("plan", "some.csv", "--budget", "10", "--system", "good", "--json", *QUICK)
    document = ratchet(*asked, "--against", "bad").document
    alone = ratchet(*asked).document
    assert document["against"] == "bad"
    assert document["now"]["half_width"] > alone["now"]["half_width"]
    assert "two different systems" in one_line_of_error(ratchet(*asked, "--against", "good"))


def test_next_names_an_open_item_and_says_why(ratchet: Run, half_labelled: str) -> None:
    rows = ratchet("next", half_labelled, "--count", "6", "--json").document
    assert len({row["item_id"] for row in rows}) == 6
    for row in rows:
        assert int(row["item_id"][1:]) % 4 != 0
        assert row["label"] in {"retrieval", "task"}
        assert 0 < row["selection_probability"] < 1
        assert row["reason"]
    assert ratchet("next", half_labelled, "--json").document[0]["per_cost"] > 0


def test_next_works_on_a_study_too(ratchet: Run, half_labelled: str) -> None:
    ratchet("import", "S", half_labelled)
    in_study = ratchet("next", "S", "--count", "3", "--audit-share", "0", "--json").document
    in_file = ratchet(
        "next", half_labelled, "--count", "3", "--audit-share", "0", "--json"
    ).document
    assert in_study == in_file
    assert not any(row["audit"] for row in in_study)


def test_next_ends_when_no_item_is_open(ratchet: Run, half_labelled: str) -> None:
    rows = ratchet("next", half_labelled, "--count", "500", "--audit-share", "0", "--json").document
    # 120 answers, every fourth labelled.
    assert len(rows) == len({row["item_id"] for row in rows}) == 90


def test_next_takes_abstention_from_the_column_alone_where_asked(
    ratchet: Run, half_labelled: str
) -> None:
    asked = ("next", half_labelled, "--count", "500", "--audit-share", "0", "--json")
    rows = ratchet(*asked, "--abstention", "column").document
    # The file has no such column: all 90 that wait for labels are unknown, the empty ones too.
    assert len({row["item_id"] for row in rows}) == 90
    assert all("whose answer is unknown" in row["reason"] for row in rows)


def test_several_systems_are_planned_one_by_one_and_asked_as_one(
    ratchet: Run, half_labelled: str, tmp_path: Path
) -> None:
    lines = (tmp_path / half_labelled).read_text(encoding="utf-8").splitlines()
    rows = [f"{line},{'AB'[number % 2]}" for number, line in enumerate(lines[1:])]
    (tmp_path / "two.csv").write_text("\n".join([f"{lines[0]},system", *rows]), encoding="utf-8")
    document = ratchet("plan", "two.csv", "--budget", "10", "--json", *QUICK).document
    assert {name: one["system"] for name, one in document["plans"].items()} == {"A": "A", "B": "B"}
    found = ratchet("next", "two.csv", "--count", "90", "--audit-share", "0.99", "--json").document
    assert {row["system"] for row in found} == {"A", "B"}
    assert len({row["item_id"] for row in found}) == 90


def test_a_typed_truth_obeys_seed_policy_and_population(ratchet: Run) -> None:
    asked = ("simulate", "--truth", "0.5 0.6 0.1 0.2 0.8", "--items", "200", "--pilot", "20")
    small = ("--budget", "30", "--replicates", "10", "--json")

    def systems(*more: str) -> object:
        return ratchet(*asked, *small, *more).document["systems"]

    plain = systems()
    assert systems("--seed", "0") == plain
    changes = ("--seed", "--policy", "--prior", "--population")
    for change in zip(changes, ("1", "cautious", "jeffreys", "this_test_set"), strict=True):
        assert systems(*change) != plain, change


@pytest.mark.parametrize(
    ("truth", "sds"),
    [
        # statistics of the design: none .061 .063 .054; All-R, All-T, both, T first, R first
        ("0.5 0.6 0.1 0.2 0.8", (0.040, 0.042, 0.027, 0.025, 0.025)),
        ("0.81 0.54 0.013 0.025 0.71", (0.056, 0.031, 0.029, 0.027, 0.028)),
        ("0.35 0.05 0.02 0.25 0.6", (0.039, 0.042, 0.026, 0.022, 0.022)),
    ],
)
def test_simulate_gives_the_published_sds(ratchet: Run, truth: str, sds: tuple[float, ...]) -> None:
    arguments = ("--truth", truth, "--items", "1000", "--pilot", "50", "--budget", "400")
    document = ratchet("simulate", *arguments, "--replicates", "150", "--json").document
    found = {row["name"]: row["sd"] for row in document["systems"]["typed truth"]}
    names = ("all_retrieval", "all_task", "both", "task_first", "retrieval_first")
    for name, wanted in zip(names, sds, strict=True):
        # Half a unit of the last printed digit beside the .002 asked for.
        assert found[name] == pytest.approx(wanted, abs=0.0025), name
    assert found["optimal"] <= min(sds) + 0.0005
    assert (found["all_retrieval"] < found["all_task"]) == (truth[:3] != "0.8")


def test_simulate_replays_a_labelled_file(ratchet: Run) -> None:
    document = ratchet(
        "simulate", "rows.csv", "--pilot", "8", "--budget", "20", "--replicates", "8", "--json"
    ).document
    assert document["systems"].keys() == document["left_out"].keys()
    for rows in document["systems"].values():
        for row in rows:
            assert row["half_width"] == pytest.approx(row["predicted_half_width"], abs=0.06)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--budget", "0"), "budget is 0"),
        (("--budget", "10", "--cost-task", "-1"), "'task' is -1"),
        (("--half-width", "0.0001"), "narrowest reachable is ±"),
        (("--budget", "10", "--target", "abstention"), "No label informs abstention"),
        (("--budget", "10", "--target", "happiness"), "--target is 'happiness'"),
        (("--budget", "10", "--votes", "0"), "--votes is 0"),
        (("--budget", "10", "--system", "nobody"), "no system 'nobody'"),
        ((), "budget or a half-width"),
    ],
)
def test_a_plan_that_makes_no_sense_is_one_line(
    ratchet: Run, half_labelled: str, arguments: tuple[str, ...], words: str
) -> None:
    assert words in one_line_of_error(ratchet("plan", half_labelled, *arguments, *QUICK))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--truth", "0.5 0.6"), "five numbers between 0 and 1"),
        (("--truth", "0.5 0.6 0.1 0.2 1.8"), "five numbers between 0 and 1"),
        (("--truth", "0.5 0.6 0.1 0.2 0.8", "--items", "-5"), "--items is -5"),
        (("--truth", "0.5 0.6 0.1 0.2 0.8", "--policy", "kind"), "'kind' is unknown"),
        (("--truth", "0.5 0.6 0.1 0.2 0.8", "--replicates", "1"), "--replicates is 1"),
        ((), "one of the two"),
        (("rows.csv", "--truth", "0.5 0.6 0.1 0.2 0.8"), "one of the two"),
        (("rows.csv", "--pilot", "4000"), "pilot of 4000 items"),
        (("rows.csv", "--budget", "nan"), "--budget is nan"),
    ],
)
def test_a_replay_that_makes_no_sense_is_one_line(
    ratchet: Run, arguments: tuple[str, ...], words: str
) -> None:
    assert words in one_line_of_error(ratchet("simulate", *arguments))
