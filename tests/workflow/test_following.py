"""A plan in force leads the queue: what is asked, why, until when, and who may end it."""

from collections import Counter
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import Engine, select, update

from db import audit, plans
from db.engine import reading
from db.planned import AUDIT, PLANNED
from db.plans import Known
from db.queue import STUDY_ORDER, EmptyReason
from db.studies import get_study
from db.tables import Lease
from model.allocation.strategies import StrategyName
from model.errors import ModelError
from tests.small_studies import (
    ANNA,
    BEN,
    LEAD,
    START,
    STUDY,
    Row,
    answer_next,
    bring_in,
    desk,
    export_rows,
    make_study,
    moment,
    question,
    say,
    want_votes,
)
from workflow import advising, fitting, following, labelling, shift
from workflow.errors import RatchetError
from workflow.exporting import Kind
from workflow.fitting import Engine as Sampler
from workflow.following import InForce, PlanTerms, Prices
from workflow.labelling import LabelType, Question, Value

ANSWERS, REFUSALS = 24, 8
TERMS = PlanTerms(
    system="one",
    strategy=StrategyName.OPTIMAL,
    quantity="policy_adherence",
    population="future_queries",
    prices=Prices(1.0, 1.0, 1.0),
    budget=20.0,
    half_width=None,
    audit_share=0.0,
)
# For what does not depend on the database.
ON_SQLITE = pytest.mark.parametrize("engine", ["sqlite"], indirect=True)


@pytest.fixture
def study(engine: Engine, tmp_path: Path) -> Engine:
    """Answers and refusals of one system, the first three answers fully labelled."""
    rows = [
        Row(
            f"i{n}",
            query=f"Question {n}?",
            contexts=f"Passage {n}.",
            answer="In the drawer." if n < ANSWERS else None,
        )
        for n in range(ANSWERS + REFUSALS)
    ]
    make_study(engine, tmp_path, rows)
    for item, retrieval, task in (("i0", "1", "1"), ("i1", "1", "0"), ("i2", "0", "0")):
        say(engine, item, LabelType.RETRIEVAL, Value(retrieval))
        say(engine, item, LabelType.TASK, Value(task))
    return engine


def work(engine: Engine) -> None:
    """What the worker does after a label."""
    fitting.refresh(engine, STUDY, Sampler.EXACT, START)
    advising.advise(engine, STUDY, START)


def use(engine: Engine, terms: PlanTerms = TERMS) -> InForce:
    """Put a plan in force and let the worker look."""
    following.use_plan(engine, STUDY, terms, LEAD, START)
    work(engine)
    found = following.read_in_force(engine, STUDY)
    assert found is not None
    return found


def known(engine: Engine, shown: Question) -> Known:
    """What is known of the item on screen."""
    row = next(
        row for row in export_rows(engine, Kind.ITEMS) if row["item_id"] == shown.item.item_id
    )
    cells = (row["retrieval_label"], row["task_label"])
    retrieval, task = (None if cell == "" else int(cell) for cell in cells)
    number = int(shown.item.item_id.removeprefix("i"))
    return Known(0 if number < ANSWERS else 1, retrieval, task)


def reasons(engine: Engine) -> list[str]:
    """Why each question that was handed out was asked, oldest first."""
    with reading(engine) as session:
        return list(session.scalars(select(Lease.reason_asked).order_by(Lease.id)))


def test_the_next_question_is_of_the_kind_and_state_of_the_best_recommendation(
    study: Engine,
) -> None:
    found = use(study)
    assert found.advice is not None
    best = found.advice.rows[0]
    shown = question(study, ANNA)
    assert (known(study, shown), shown.label_type) == (best.known, best.label)
    assert best.score == max(row.score for row in found.advice.rows)


@ON_SQLITE
def test_without_a_plan_the_queue_is_in_study_order(study: Engine) -> None:
    work(study)
    assert question(study, ANNA).item.item_id == "i3"
    assert reasons(study) == [STUDY_ORDER]


@ON_SQLITE
def test_before_the_first_advice_nobody_waits(study: Engine) -> None:
    following.use_plan(study, STUDY, TERMS, LEAD, START)
    assert question(study, ANNA).item.item_id == "i3"


@ON_SQLITE
@pytest.mark.parametrize(
    ("strategy", "label"),
    [
        (StrategyName.ALL_RETRIEVAL, LabelType.RETRIEVAL),
        (StrategyName.ALL_TASK, LabelType.TASK),
        (StrategyName.TASK_FIRST, LabelType.TASK),
        (StrategyName.RETRIEVAL_FIRST, LabelType.RETRIEVAL),
    ],
)
def test_a_fixed_strategy_begins_answers_with_its_own_label(
    study: Engine, strategy: StrategyName, label: LabelType
) -> None:
    found = use(study, TERMS._replace(strategy=strategy))
    assert found.advice is not None
    fresh_answers = [row for row in found.advice.rows if row.known == Known(0, None, None)]
    assert {row.label for row in fresh_answers} == {label}


@ON_SQLITE
@pytest.mark.parametrize(("value", "is_continued"), [(Value.YES, True), (Value.NO, False)])
def test_retrieval_first_asks_the_task_of_the_same_answer_only_where_it_is_still_open(
    study: Engine, value: Value, is_continued: bool
) -> None:
    # Retrieval that failed settles an answer: it was given, so the policy is broken.
    use(study, TERMS._replace(strategy=StrategyName.RETRIEVAL_FIRST))
    first = question(study, ANNA)
    while known(study, first) != Known(0, None, None):  # a refusal ends with its retrieval
        answer_next(study, ANNA, Value.NO)
        work(study)
        first = question(study, ANNA)
    answer_next(study, ANNA, value)
    second = question(study, ANNA)
    again = (second.item.item_id, second.label_type) == (first.item.item_id, LabelType.TASK)
    assert again == is_continued


def test_labels_carry_why_they_were_asked_their_probability_and_the_fit(study: Engine) -> None:
    found = use(study, TERMS._replace(audit_share=0.2))
    assert found.advice is not None
    answer_next(study, ANNA)
    row = export_rows(study, Kind.LABELS)[-1]
    assert row["reason_asked"] == AUDIT or row["reason_asked"].startswith(PLANNED)
    assert 0 < float(row["selection_probability"]) <= 1
    assert row["fit_id"] == str(found.advice.fit_id)


@ON_SQLITE
def test_an_even_draw_says_its_probability(study: Engine) -> None:
    # 21 answers without labels, 8 refusals, and 2 of 3 labelled answers are settled for good:
    # all three carry both labels, so 29 items are open.
    found = use(study, TERMS._replace(audit_share=1.0))
    assert found.advice is not None
    assert found.advice.audit.probability == pytest.approx(1 / 29)
    shown = question(study, ANNA)
    assert reasons(study) == [AUDIT]
    assert shown.label_type == LabelType.RETRIEVAL


@ON_SQLITE
def test_probabilities_of_a_ranked_row_are_those_of_an_even_draw_of_its_items(
    study: Engine,
) -> None:
    found = use(study, TERMS._replace(audit_share=0.2))
    assert found.advice is not None
    for row in found.advice.rows:
        assert row.probability == pytest.approx(0.2 / 29 + 0.8 / row.open_items)


@ON_SQLITE
def test_about_the_audit_share_of_questions_is_drawn_from_all_open_items(study: Engine) -> None:
    # 150 draws at a share of .3 are 45 ± 5.6: 4 of these sd are left on each side.
    use(study, TERMS._replace(audit_share=0.3))
    for number in range(150):
        question(study, ANNA, number)
        with study.begin() as connection:
            connection.execute(update(Lease).values(closed_at=moment(number)))
    counted = Counter(reason == AUDIT for reason in reasons(study))
    assert counted.total() == 150
    assert 22 <= counted[True] <= 68


def test_the_queue_follows_the_plan_until_it_has_nothing_more_to_ask(study: Engine) -> None:
    use(study, TERMS._replace(strategy=StrategyName.ALL_TASK, budget=100.0))
    seen = []
    for second in range(ANSWERS - 3):  # the shortlist is longer than that
        shown = question(study, ANNA, second)
        assert shown.label_type == LabelType.TASK
        seen.append(shown.item.item_id)
        answer_next(study, ANNA, Value.YES, second)
    assert len(set(seen)) == ANSWERS - 3
    work(study)
    empty = desk(study, ANNA, 100).empty
    assert empty is not None
    assert empty.reason == EmptyReason.PLAN_DONE


def test_a_reached_half_width_ends_the_questions_until_the_lead_wants_more(study: Engine) -> None:
    found = use(study, TERMS._replace(budget=None, half_width=0.45))
    assert found.advice is not None
    assert found.advice.half_width is not None
    assert found.advice.half_width < 0.45
    empty = desk(study, ANNA).empty
    assert empty is not None
    assert empty.reason == EmptyReason.PLAN_DONE
    assert "goal is reached" in following.describe_goal(found)
    following.go_on(study, STUDY, LEAD, START)
    assert question(study, ANNA) is not None


@ON_SQLITE
def test_a_half_width_that_is_not_reached_lets_the_questions_come(study: Engine) -> None:
    found = use(study, TERMS._replace(budget=None, half_width=0.01))
    assert found.advice is not None
    assert not found.advice.is_reached
    assert question(study, ANNA) is not None


def test_an_ended_plan_gives_the_study_order_back(study: Engine) -> None:
    use(study, TERMS._replace(budget=None, half_width=0.45))
    assert desk(study, ANNA).question is None
    following.end_plan(study, STUDY, LEAD, START)
    assert question(study, ANNA).item.item_id == "i3"
    assert following.read_in_force(study, STUDY) is None


def test_labels_and_live_leases_never_exceed_the_budget_also_while_the_worker_sleeps(
    study: Engine,
) -> None:
    use(study, TERMS._replace(budget=3.0))
    held = [question(study, who) for who in (ANNA, BEN)]
    answer_next(study, ANNA)
    held.append(question(study, ANNA))  # the third unit of money
    answer_next(study, BEN)
    for who in (BEN, ANNA._replace(person="cara")):
        empty = desk(study, who).empty
        assert empty is not None
        assert empty.reason == EmptyReason.PLAN_DONE
    answer_next(study, ANNA)
    work(study)
    found = following.read_in_force(study, STUDY)
    assert found is not None
    assert found.advice is not None
    assert (found.advice.spent, found.advice.is_reached) == (3.0, True)
    assert following.describe_goal(found).startswith("The plan's goal is reached: 3 of 3 spent")


def test_many_people_at_once_spend_the_budget_to_the_last_unit_and_no_more(study: Engine) -> None:
    use(study, TERMS._replace(budget=10.0))

    def label(number: int) -> int:
        person, given = ANNA._replace(person=f"person {number}"), 0
        while desk(study, person).question is not None:
            answer_next(study, person)
            given += 1
        return given

    with ThreadPoolExecutor(6) as pool:
        given = list(pool.map(label, range(6)))
    # Others may still hold a question when one hears that nothing is left, so look again.
    assert sum(given) + label(7) == 10


def test_skips_and_imported_labels_cost_nothing_also_before_the_worker_has_looked(
    study: Engine, tmp_path: Path
) -> None:
    use(study, TERMS._replace(budget=2.0))
    answer_next(study, ANNA, Value.SKIP)
    answer_next(study, ANNA, Value.SKIP)
    lines = [f"i{n},Question {n}?,Passage {n}.,In the drawer.,1" for n in range(10, 15)]
    path = tmp_path / "labelled.csv"
    path.write_text("\n".join(["item_id,query,contexts,answer,retrieval_label", *lines]))
    bring_in(study, path)
    assert question(study, ANNA) is not None
    work(study)
    found = following.read_in_force(study, STUDY)
    assert found is not None
    assert found.advice is not None
    assert found.advice.spent == 0


def test_undo_gives_the_money_back(study: Engine) -> None:
    use(study)
    saved = answer_next(study, ANNA)
    labelling.undo(study, ANNA, saved.event_id, moment(1))
    work(study)
    found = following.read_in_force(study, STUDY)
    assert found is not None
    assert found.advice is not None
    assert found.advice.spent == 0


def test_a_task_after_retrieval_of_the_same_person_costs_its_own_price(study: Engine) -> None:
    use(study, TERMS._replace(prices=Prices(2.0, 3.0, 0.5)))
    say(study, "i5", LabelType.RETRIEVAL, Value.YES)
    say(study, "i5", LabelType.TASK, Value.YES)  # 2 + .5
    say(study, "i6", LabelType.TASK, Value.YES, BEN)  # 3
    say(study, "i7", LabelType.TASK, Value.SKIP, BEN)  # nothing
    work(study)
    found = following.read_in_force(study, STUDY)
    assert found is not None
    assert found.advice is not None
    assert found.advice.spent == 5.5


def test_questions_with_some_of_their_votes_come_first(study: Engine) -> None:
    want_votes(study, 2)
    use(study)  # three answers have one vote for each of their labels
    shown = question(study, BEN)
    assert shown.item.item_id in {"i0", "i1", "i2"}


@ON_SQLITE
def test_each_deed_of_the_lead_is_on_record(study: Engine) -> None:
    use(study)
    following.go_on(study, STUDY, LEAD, START)
    following.end_plan(study, STUDY, LEAD, START)
    with reading(study) as session:
        deeds = audit.list_deeds(session, get_study(session, STUDY).id)
    assert [deed.action for _, deed in deeds][-3:] == [
        "use plan",
        "go on beyond the plan",
        "end plan",
    ]
    assert deeds[-3][1].detail["budget"] == 20


def test_one_plan_leads_and_a_new_one_takes_its_place(study: Engine) -> None:
    use(study)
    found = use(study, TERMS._replace(strategy=StrategyName.ALL_TASK))
    assert found.terms.strategy == StrategyName.ALL_TASK
    with reading(study) as session:
        open_plan = plans.find_open(session, get_study(session, STUDY).id)
    assert open_plan is not None
    assert open_plan.terms == found.terms


@ON_SQLITE
def test_the_worker_advises_by_itself_after_each_label(study: Engine) -> None:
    compiling: Future[None] = Future()
    hand = shift.Shift(study, compiling)
    following.use_plan(study, STUDY, TERMS, LEAD, START)
    shift.look(hand)
    first = following.read_in_force(study, STUDY)
    answer_next(study, ANNA)
    shift.look(hand)
    second = following.read_in_force(study, STUDY)
    assert first is not None
    assert second is not None
    assert first.advice is not None
    assert second.advice is not None
    assert (first.advice.spent, second.advice.spent) == (0.0, 1.0)
    assert second.advice.fit_id != first.advice.fit_id


@ON_SQLITE
def test_what_the_plan_believes_is_not_in_what_an_annotator_gets(study: Engine) -> None:
    found = use(study)
    assert found.advice is not None
    shown = repr(desk(study, ANNA))
    assert found.advice.rows[0].reason not in shown
    assert PLANNED not in shown


@ON_SQLITE
@pytest.mark.parametrize(
    ("terms", "error", "words"),
    [
        (TERMS._replace(system="three"), RatchetError, "no system 'three'"),
        (TERMS._replace(budget=0.0), RatchetError, "above 0"),
        (TERMS._replace(half_width=0.1), RatchetError, "one of"),
        (TERMS._replace(audit_share=1.5), RatchetError, "0 to 1"),
        (TERMS._replace(prices=Prices(-1, 1, 1)), ModelError, "above 0"),
    ],
)
def test_terms_that_make_no_sense_are_refused(
    study: Engine, terms: PlanTerms, error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        following.use_plan(study, STUDY, terms, LEAD, START)
    assert following.read_in_force(study, STUDY) is None
