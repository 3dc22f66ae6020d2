"""A server with accounts, and a plain client that shows every header of what comes back."""

import http.client
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import NamedTuple
from urllib.parse import urlencode, urlsplit

import pytest
from sqlalchemy import Engine

from tests.running_server import Server, running_server
from workflow import accounts, database, signing_in
from workflow.accounts import Role
from workflow.signing_in import Browser

PASSWORD = "several words are good"
PEOPLE = {"Anna": Role.ANNOTATOR, "Lea": Role.LEAD, "Ada": Role.ADMIN}
HERE = Browser("127.0.0.1", "test")


class Answer(NamedTuple):
    """What a server said."""

    status: int
    headers: dict[str, str]
    body: str

    def cookie(self, name: str) -> str:
        """`name=value` of a cookie that it sets; empty when it sets none of that name."""
        for one in self.headers.get("set-cookie", "").splitlines():
            if one.startswith(f"{name}="):
                return one.split(";", 1)[0]
        return ""

    @property
    def location(self) -> str:
        """Where it leads."""
        return self.headers.get("location", "")


class Guarded(NamedTuple):
    """A running server with accounts."""

    server: Server
    store: Engine

    def ask(
        self,
        path: str,
        headers: dict[str, str] | None = None,
        form: dict[str, str] | None = None,
        method: str | None = None,
    ) -> Answer:
        """One request; a form makes it a POST."""
        place = urlsplit(self.server.address)
        connection = http.client.HTTPConnection(str(place.hostname), place.port, timeout=20)
        body = None if form is None else urlencode(form)
        sent = {} if form is None else {"Content-Type": "application/x-www-form-urlencoded"}
        connection.request(
            method or ("GET" if form is None else "POST"), path, body, sent | (headers or {})
        )
        found = connection.getresponse()
        text = found.read().decode(errors="replace")
        connection.close()
        sent_back = {name.lower(): value for name, value in found.getheaders()}
        cookies = "\n".join(found.headers.get_all("set-cookie") or [])
        return Answer(found.status, sent_back | {"set-cookie": cookies}, text)

    def session_of(self, name: str) -> str:
        """The token of a new session."""
        account = next(
            one
            for one in accounts.read_team(self.store, datetime.now(UTC)).accounts
            if one.name == name
        )
        return signing_in.open_for(self.store, account, HERE, datetime.now(UTC))

    def cookie_of(self, name: str) -> dict[str, str]:
        """The header of somebody who is signed in."""
        return {"Cookie": f"ratchet_session={self.session_of(name)}"}

    def form_token(self, path: str = "/sign-in") -> str:
        """The token of a form, which stands in its cookie too."""
        return self.ask(path).cookie("ratchet_form").partition("=")[2]


@pytest.fixture(scope="session")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guarded]:
    """A server that nobody has visited, with an account of each role."""
    folder = tmp_path_factory.mktemp("guarded")
    url = f"sqlite:///{folder / 'ratchet.db'}"
    store = database.connect(url)
    for name in reversed(PEOPLE):
        accounts.add(store, name, PEOPLE[name], PASSWORD, "test", datetime.now(UTC))
    with running_server(folder, url) as server:
        yield Guarded(server, store)
    store.dispose()
