"""A real server and a real Chromium for the tests of this folder; console errors fail a test."""

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, ViewportSize
from sqlalchemy import Engine

from tests.browser.desk import RECORD
from tests.browser.studies import Study, StudyMaker
from tests.chromium import chromium, find_chromium
from tests.running_server import Server, running_server
from workflow import database

VIEWPORT: ViewportSize = {"width": 1280, "height": 720}
# A closed network: what the browser itself asks for elsewhere is not ours. At /results, /plan,
# /data and /studies Streamlit asks below that path first whether it is served there: 404.
HARMLESS = re.compile(r"net::ERR_NAME_NOT_RESOLVED|404.*/(results|plan|data|studies)/_stcore/")

OpenPage = Callable[[str], Page]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One Chromium for all tests; without one a person is told, and CI fails."""
    if find_chromium() is None:
        text = "no Chromium found: install one, or name it in RATCHET_CHROMIUM"
        if os.environ.get("CI"):
            pytest.fail(text)
        pytest.skip(text)
    with chromium() as running:
        yield running


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server for all tests, since its start costs seconds; each test has a study of its own."""
    with running_server(tmp_path_factory.mktemp("server")) as running:
        yield running


@pytest.fixture(scope="session")
def store(server: Server) -> Iterator[Engine]:
    """The server's database, for what a test needs there."""
    engine = database.connect(server.database_url)
    yield engine
    engine.dispose()


@pytest.fixture
def studies(store: Engine, tmp_path: Path, request: pytest.FixtureRequest) -> StudyMaker:
    """Makes studies named after the test."""
    return StudyMaker(store, tmp_path, request.node.name.removeprefix("test_")[:60])


@pytest.fixture
def study(studies: StudyMaker) -> Study:
    """A study of sixty plain items that nobody has labelled."""
    return studies.plain(60)


class Window(NamedTuple):
    """A browser window and what its console complained of."""

    context: BrowserContext
    errors: list[str]


@pytest.fixture(scope="session")
def window(browser: Browser) -> Iterator[Window]:
    """One window for all tests: its cache spares each test the loading of the page's scripts."""
    context = browser.new_context(viewport=VIEWPORT, timezone_id="Europe/Zurich", locale="en-GB")
    context.set_default_timeout(15_000)
    context.add_init_script(RECORD)
    errors: list[str] = []

    def listen(message: ConsoleMessage) -> None:
        text = f"{message.text} {message.location}"
        if message.type == "error" and not HARMLESS.search(text):
            errors.append(text)

    context.on("console", listen)
    context.on("weberror", lambda error: errors.append(str(error.error)))
    yield Window(context, errors)
    context.close()


@pytest.fixture
def context(window: Window) -> Iterator[BrowserContext]:
    """The window without tabs; its console must stay clean."""
    window.errors.clear()
    yield window.context
    for page in window.context.pages:
        page.close()
    assert not window.errors, f"errors in the console: {window.errors}"


@pytest.fixture
def open_page(context: BrowserContext, server: Server) -> OpenPage:
    """Opens a path of the server in a tab."""

    def open_path(path: str) -> Page:
        page = context.new_page()
        page.goto(server.address + path)
        return page

    return open_path
