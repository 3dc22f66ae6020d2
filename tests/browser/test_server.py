"""The running server: its settings, who it answers, where its addresses lead. No browser needed
but for the addresses."""

import http.client
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect
from sqlalchemy import Engine

from tests.browser.conftest import OpenPage
from tests.browser.studies import Study
from tests.running_server import Server, free_port, running_server, start_server, stop_server
from workflow import database

SETTINGS = {
    "runner.postScriptGC": False,
    "runner.fastReruns": False,
    "runner.magicEnabled": False,
    "server.fileWatcherType": "none",
    "server.disconnectedSessionTTL": 1800,
    "client.toolbarMode": "viewer",
    "client.showErrorDetails": "none",
    "client.disableDataExport": True,
}
WEBSOCKET = {
    "Connection": "Upgrade",
    "Upgrade": "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "MDEyMzQ1Njc4OWFiY2RlZg==",
    "Sec-WebSocket-Protocol": "streamlit",
}
START_SECONDS = 30.0


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that no session has visited yet."""
    with running_server(tmp_path_factory.mktemp("fresh")) as running:
        yield running


@pytest.fixture(scope="module")
def store(server: Server) -> Iterator[Engine]:
    engine = database.connect(server.database_url)
    yield engine
    engine.dispose()


def status(server: Server, path: str, headers: dict[str, str]) -> int:
    """The status of a request with these headers, Host and Origin among them."""
    place = urlsplit(server.address)
    connection = http.client.HTTPConnection(str(place.hostname), place.port, timeout=10)
    connection.putrequest("GET", path, skip_host=True)
    for name, value in ({"Host": place.netloc} | headers).items():
        connection.putheader(name, value)
    connection.endheaders()
    found = connection.getresponse().status
    connection.close()
    return found


def test_the_settings_of_the_screens_are_in_force(server: Server) -> None:
    found = server.health()
    assert found["settings"] == SETTINGS
    assert found["status"] == "ok"


def test_a_new_server_answers_within_seconds(tmp_path: Path) -> None:
    started = time.monotonic()
    server = start_server(tmp_path)
    seconds = time.monotonic() - started
    studies = server.health()["studies"]
    stop_server(server)
    print(f"first answer of a new server after {seconds:.1f} s")
    assert studies == 1, "the sample study is there from the start"
    assert seconds < START_SECONDS


@pytest.mark.parametrize("headers", [{"Host": "evil.test"}, {"Origin": "http://evil.test"}])
def test_requests_from_elsewhere_are_refused(server: Server, headers: dict[str, str]) -> None:
    assert status(server, "/healthz", {}) == 200
    assert status(server, "/healthz", headers) == 403
    assert status(server, "/_stcore/stream", WEBSOCKET) == 101
    assert status(server, "/_stcore/stream", WEBSOCKET | headers) == 403


def test_an_address_open_to_others_does_not_start(tmp_path: Path) -> None:
    environment = os.environ | {"DATABASE_URL": f"sqlite:///{tmp_path / 'ratchet.db'}"}
    command = [sys.executable, "-m", "streamlit", "run", "app.py"]
    command += ["--server.address", "0.0.0.0", "--server.port", str(free_port())]
    run = subprocess.run(command, env=environment, capture_output=True, timeout=60, check=False)
    assert run.returncode != 0
    assert b"only this machine may come in" in run.stdout + run.stderr


@pytest.mark.browser
@pytest.mark.parametrize("screen", ["label", "results", "data", "studies"])
def test_an_address_opens_its_screen_on_a_fresh_server(
    open_page: OpenPage, study: Study, screen: str
) -> None:
    page = open_page(study.path(screen))
    expect(page.get_by_role("heading", name=screen.capitalize(), exact=True)).to_be_visible()
    expect(page.get_by_role("combobox", name="Study", exact=True)).to_have_value(study.name)
    assert "study=" in page.url


def test_a_page_asks_no_other_host(open_page: OpenPage, study: Study) -> None:
    page = open_page(study.path())
    asked: set[str] = set()
    page.on("request", lambda request: asked.add(urlsplit(request.url).netloc))
    for title in ("Results", "Plan", "Data", "Studies", "Label"):
        page.get_by_role("link", name=title).click()
        expect(page.get_by_role("heading", name=title, exact=True)).to_be_visible()
    page.reload()
    expect(page.get_by_role("heading", name="Label", exact=True)).to_be_visible()
    assert asked - {"", urlsplit(page.url).netloc} == set()
