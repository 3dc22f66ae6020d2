"""Saved means on disk: after a kill, and said otherwise when it is not; one question for all."""

import resource
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from sqlalchemy import Engine

from db.locks import worker_lock
from tests.browser import desk
from tests.browser.conftest import VIEWPORT, OpenPage
from tests.browser.studies import Study, StudyMaker
from tests.running_server import Server, start_server, stop_server
from workflow import database, fitting
from workflow.fitting import Engine as Sampler

pytestmark = pytest.mark.browser


def test_a_reload_and_a_second_tab_show_the_same_question(
    open_page: OpenPage, study: Study
) -> None:
    first = open_page(study.path())
    desk.wait_for_question(first)
    lease_id = desk.answer(first, "1")
    second = open_page(study.path())
    assert desk.wait_for_question(second) == lease_id
    first.reload()
    assert desk.wait_for_question(first) == lease_id


def test_a_question_answered_in_another_tab_is_answered_once(
    open_page: OpenPage, study: Study
) -> None:
    first, second = open_page(study.path()), open_page(study.path())
    desk.wait_for_question(first)
    lease_id = desk.wait_for_question(second)
    desk.answer(first, "1")
    second.bring_to_front()
    second.keyboard.press("2")
    desk.wait_for_other(second, lease_id)
    assert [event.value for event in study.events()] == ["1"]


def fill_note(page: Page, text: str) -> None:
    page.keyboard.press("m")
    expect(page.get_by_label("Note", exact=True)).to_be_focused()
    page.get_by_text("Yes", exact=True).click()
    desk.settle(page)
    page.get_by_label("Note", exact=True).click()
    page.keyboard.type(text)


def test_a_failed_save_keeps_the_form_and_says_so(
    open_page: OpenPage, study: Study, server: Server
) -> None:
    page = open_page(study.path())
    lease_id = desk.wait_for_question(page)
    fill_note(page, "worth keeping")
    process = server.process.pid
    limits = resource.prlimit(process, resource.RLIMIT_FSIZE)
    # The server may make no file larger than this: to SQLite the disk is full.
    resource.prlimit(process, resource.RLIMIT_FSIZE, (1, limits[1]))
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("alert")).to_contain_text("Not saved")
    expect(page.get_by_label("Note", exact=True)).to_have_value("worth keeping")
    assert study.events() == []
    assert desk.shown_lease(page) == lease_id
    resource.prlimit(process, resource.RLIMIT_FSIZE, limits)
    page.keyboard.press("Control+Enter")
    desk.wait_for_other(page, lease_id)
    assert [(event.value, event.note) for event in study.events()] == [("1", "worth keeping")]


def posterior(store: Engine, study: Study) -> dict[str, object]:
    """The numbers that the counts of a study give, by system."""
    due = fitting.read_due(store, study.name)
    fits = fitting.fit_systems(due.tables, due.settings, Sampler.EXACT)
    return {fit.system: fit.summary for fit in fits}


def wait_until_worker_ended(store: Engine) -> None:
    """A worker outlives its server by the fit it is at, and would save that after ours."""
    for _ in range(200):
        with worker_lock(store) as is_mine:
            if is_mine:
                return
        time.sleep(0.1)
    raise AssertionError("the worker is still there")


def test_a_label_survives_a_kill_right_after_saved(browser: Browser, tmp_path: Path) -> None:
    server = start_server(tmp_path)
    store = database.connect(server.database_url)
    study = StudyMaker(store, tmp_path, "killed").plain(10)
    page = browser.new_context(viewport=VIEWPORT).new_page()
    page.goto(server.address + study.path())
    desk.wait_for_question(page)
    page.keyboard.press("2")
    page.locator("[role=status]", has_text="Saved").wait_for()
    server.kill()
    assert [event.value for event in study.labels()] == ["0"]
    again = start_server(tmp_path, port=server.port)
    try:
        # The page finds the server again by itself and goes on.
        page.locator("[role=dialog]").wait_for(state="hidden")
        desk.wait_for_question(page)
        before = desk.shown_lease(page)
        page.keyboard.press("1")
        page.wait_for_timeout(2000)
        if desk.shown_lease(page) == before:  # a new session drops the first press
            page.keyboard.press("1")
            desk.wait_for_other(page, before)
        assert [event.value for event in study.labels()] == ["0", "1"]
        # A running worker would put its own fits, by another engine, between those compared here.
        stop_server(again)
        wait_until_worker_ended(store)
        fitting.refresh(store, study.name, Sampler.EXACT, datetime.now(UTC))
        fresh = StudyMaker(store, tmp_path, "fresh").plain(10)
        for event in study.labels():
            fresh.label(event)
        latest = fitting.read_latest(store, study.name)
        assert latest is not None
        assert {fit.system: fit.summary for fit in latest.fits} == posterior(store, fresh)
    finally:
        stop_server(again)
        store.dispose()
        page.context.close()
