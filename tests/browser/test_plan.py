"""Plan in a browser: run it, read the answer, use it, and be asked what it recommends."""

import csv
import io
from datetime import UTC, datetime

import pytest
from playwright.sync_api import Page, expect
from sqlalchemy import Engine

from tests.browser.conftest import OpenPage
from tests.browser.desk import answer, wait_for_question
from tests.browser.studies import Event, Item, Study, StudyMaker
from workflow import following, plan_jobs
from workflow.planning import PlanRequest

pytestmark = pytest.mark.browser

WORKER_MS = 60_000
SMALL = PlanRequest(budget=2, replicates=8, num_budgets=2, num_draws=200)
QUESTIONS = {"retrieval": "Do the passages hold", "task": "Is the answer correct?"}


@pytest.fixture
def study(studies: StudyMaker) -> Study:
    """Sixty answers, the first six fully labelled."""
    made = studies.of([Item(f"i{n}", f"Question {n}?", (f"Passage {n}.",)) for n in range(60)])
    for number in range(6):
        for label, value in (("retrieval", number % 2), ("task", number % 3 > 0)):
            made.label(Event(0, None, f"i{number}", label, str(int(value)), None, True))
    return made


def open_plan(open_page: OpenPage, study: Study) -> Page:
    page = open_page(study.path("plan"))
    page.get_by_role("button", name="Run the plan").wait_for(timeout=WORKER_MS)
    return page


def test_a_plan_is_run_cancelled_read_used_followed_and_ended(
    open_page: OpenPage, study: Study, store: Engine
) -> None:
    page = open_plan(open_page, study)
    expect(page.locator(".ratchet-empty")).to_contain_text("No plan yet")
    page.get_by_role("button", name="Run the plan").click()
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_text("The plan was cancelled.")).to_be_visible(timeout=WORKER_MS)

    # A small one for the rest; it is the worker's, so a page that is opened later shows it.
    plan_jobs.queue_plan(store, study.name, "base", SMALL, datetime.now(UTC))
    page.reload()
    sentence = page.locator(".ratchet-query")
    expect(sentence).to_contain_text("narrow the interval from", timeout=WORKER_MS)
    use = page.get_by_role("button", name="Use this plan")
    use.wait_for(timeout=WORKER_MS)
    expect(page.get_by_role("button", name="Cancel")).to_have_count(0)
    assert len(strategies_to_take_along(page)) == 8
    share = page.get_by_role("spinbutton", name="Audit share, %")
    share.fill("0")
    share.press("Enter")
    expect(page.get_by_text("Without an audit nothing checks")).to_be_visible()
    use.click()
    expect(page.get_by_text("0 of 2 spent")).to_be_visible(timeout=WORKER_MS)

    found = following.read_in_force(store, study.name)
    assert found is not None
    assert found.advice is not None
    desk = open_page(study.path())
    wait_for_question(desk)
    expect(desk.get_by_text(QUESTIONS[found.advice.rows[0].label])).to_be_visible()
    answer(desk, "1")
    desk.keyboard.press("1")
    expect(desk.locator(".ratchet-empty")).to_contain_text("No more labels are wanted")
    desk.get_by_role("button", name="End the plan").click()
    wait_for_question(desk)
    assert following.read_in_force(store, study.name) is None


def strategies_to_take_along(page: Page) -> set[str]:
    """The strategies in the file behind the chart."""
    link = page.get_by_role("link", name="Data as CSV").evaluate("link => link.href")
    rows = csv.DictReader(io.StringIO(page.request.get(link).text()))
    return {row["strategy"] for row in rows}
