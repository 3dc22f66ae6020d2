"""The Plan screen without a browser: what it says of a finished, failed or cancelled run."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import Engine
from streamlit.testing.v1 import AppTest

from db import jobs
from db.engine import transaction
from pages import resources
from tests.browser.studies import Item, Study, StudyMaker
from workflow import advising, database, fitting, following, plan_jobs, working
from workflow.fitting import Engine as Sampler
from workflow.planning import PlanRequest

NAME = "planned"
TIMEOUT = 30
SMALL = PlanRequest(budget=6, replicates=4, num_budgets=2, num_draws=120)


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Engine]:
    url = f"sqlite:///{tmp_path / 'plan.db'}"
    monkeypatch.setenv("DATABASE_URL", url)
    monkeypatch.setenv("RATCHET_ANNOTATOR", "tester")
    resources.engine.clear()
    engine = database.connect(url)
    yield engine
    engine.dispose()
    resources.engine().dispose()
    resources.engine.clear()


@pytest.fixture
def study(store: Engine, tmp_path: Path) -> Study:
    return StudyMaker(store, tmp_path, NAME).of([Item(f"i{n}", f"Q{n}?") for n in range(12)])


def plan_screen() -> None:
    from pages.screens import plan

    plan.draw()


def run(
    store: Engine, request: PlanRequest = SMALL, is_cancelled: bool = False, system: str = "base"
) -> None:
    """Ask for a plan and do what the worker does."""
    now = datetime.now(UTC)
    job_id = plan_jobs.queue_plan(store, NAME, system, request, now)
    with transaction(store) as session:
        job = jobs.claim(session, tuple(working.JOBS), now)
    assert job is not None
    if is_cancelled:
        plan_jobs.cancel_plan(store, job_id)
    working.run_job(store, job)


def shown() -> AppTest:
    screen = AppTest.from_function(plan_screen, default_timeout=TIMEOUT).run()
    assert not screen.exception
    return screen


def words(screen: AppTest) -> str:
    blocks = [*screen.get("html"), *screen.caption, *screen.subheader]
    return "\n".join(str(getattr(block, "body", "") or block.value) for block in blocks)


def button(screen: AppTest, key: str) -> bool:
    return any(one.key == key for one in screen.button)


def test_before_the_first_plan_the_screen_says_what_to_do(study: Study) -> None:
    screen = shown()
    assert "No plan yet" in words(screen)
    assert not button(screen, "plan-use")


def test_run_asks_the_worker_and_offers_to_cancel(study: Study, store: Engine) -> None:
    screen = shown()
    next(one for one in screen.button if one.key == "plan-run").click().run()
    newest = plan_jobs.read_runs(store, NAME, "base").newest
    assert newest is not None
    assert newest.request.budget == 200
    assert button(shown(), "plan-cancel")


def test_a_finished_plan_shows_its_sentence_chart_tables_and_what_the_audit_costs(
    study: Study, store: Engine
) -> None:
    run(store)
    screen = shown()
    found = plan_jobs.read_runs(store, NAME, "base").finished
    assert found is not None
    assert found.document is not None
    text = words(screen)
    assert found.document["sentence"] in text
    assert len(screen.get("vega_lite_chart")) == 1
    assert len(screen.dataframe) == 3
    assert len(screen.dataframe[0].value) == 8
    assert "labels go to items drawn evenly" in text
    for note in found.document["notes"]:
        assert note[:40] in text


def test_the_form_remembers_what_was_asked_last(study: Study, store: Engine) -> None:
    run(store, SMALL._replace(budget=None, half_width=0.3))
    screen = shown()
    values = {one.label: one.value for one in screen.number_input}
    assert values["± in percentage points"] == 30


def test_a_plan_that_failed_says_why_and_keeps_the_one_before(study: Study, store: Engine) -> None:
    run(store)
    run(store, SMALL._replace(budget=None, half_width=0.001))
    text = words(shown())
    assert "narrowest reachable" in text
    assert "Ways to spend it" in text


def test_a_cancelled_plan_says_so(study: Study, store: Engine) -> None:
    run(store, is_cancelled=True)
    assert "The plan was cancelled." in words(shown())


def test_use_this_plan_puts_it_in_force_and_shows_the_reasons(study: Study, store: Engine) -> None:
    run(store)
    screen = shown()
    next(one for one in screen.button if one.key == "plan-use").click().run()
    found = following.read_in_force(store, NAME)
    assert found is not None
    assert (found.terms.budget, found.terms.audit_share) == (6, 0.2)
    fitting.refresh(store, NAME, Sampler.EXACT, datetime.now(UTC))
    advising.advise(store, NAME, datetime.now(UTC))
    screen = shown()
    assert "leads the queue" in words(screen)
    advice = following.read_in_force(store, NAME)
    assert advice is not None
    assert advice.advice is not None
    for row in advice.advice.rows:
        assert f"{row.words}</b><span>{row.open_items} open" in words(screen)
    next(one for one in screen.button if one.key == "plan-end").click().run()
    assert following.read_in_force(store, NAME) is None


@pytest.fixture
def pair(store: Engine, tmp_path: Path) -> Study:
    items = [Item(f"{system}{n}", f"Q{n}?", system=system) for system in "ab" for n in range(6)]
    return StudyMaker(store, tmp_path, NAME).of(items)


def test_two_systems_with_the_same_passages_split_the_price_and_can_be_compared(
    pair: Study, store: Engine
) -> None:
    screen = shown()
    assert "among the 2 systems" in screen.checkbox[0].label
    next(one for one in screen.selectbox if one.label == "Compared with").set_value("b").run()
    next(one for one in screen.button if one.key == "plan-run").click().run()
    newest = plan_jobs.read_runs(store, NAME, "a").newest
    assert newest is not None
    assert (newest.request.against, newest.request.systems_sharing) == ("b", 2.0)


def test_a_plan_in_force_counts_a_shared_retrieval_label_at_its_part_of_the_price(
    pair: Study, store: Engine
) -> None:
    run(store, SMALL._replace(systems_sharing=2.0), system="a")
    next(one for one in shown().button if one.key == "plan-use").click().run()
    found = following.read_in_force(store, NAME)
    assert found is not None
    assert tuple(found.terms.prices) == (0.5, 1.0, 1.0)


def test_the_plan_of_a_difference_says_how_to_use_it(pair: Study, store: Engine) -> None:
    run(store, SMALL._replace(against="b"), system="a")
    screen = shown()
    assert "one system at a time" in words(screen)
    assert not button(screen, "plan-use")
    assert "a − b." in words(screen)
