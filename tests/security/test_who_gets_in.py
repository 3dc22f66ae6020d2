"""Every address without a session, with a bad one, and with too small a role."""

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import update
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin, Subprotocol

from db.engine import transaction
from db.tables import LoginSession
from tests.security.conftest import PASSWORD, Guarded
from workflow import accounts, signing_in
from workflow.passwords import hash_token

pytestmark = pytest.mark.behaviour(16)
SCREENS = ("/", "/label", "/results", "/plan", "/data", "/studies", "/team")
LEADS = ("/export/items?study=x", "/export/labels?study=x", "/chart-data/plan?study=x")
UPLOAD = "/_stcore/upload_file/session/file"
INSIDE = ("/_stcore/health", "/_stcore/host-config", "/static/index.html", UPLOAD)
PAGE = {"Accept": "text/html"}


def websocket(guarded: Guarded, headers: dict[str, str]) -> ClientConnection:
    origin = headers.pop("Origin", guarded.server.address)
    address = guarded.server.address.replace("http", "ws") + "/_stcore/stream"
    return connect(
        address,
        origin=Origin(origin),
        additional_headers=headers,
        subprotocols=[Subprotocol("streamlit")],
    )


@pytest.mark.parametrize("path", [*SCREENS, *LEADS, "/audit.csv"])
def test_a_page_without_a_session_leads_to_the_form_and_back(guarded: Guarded, path: str) -> None:
    found = guarded.ask(path, PAGE)
    assert found.status == 303
    assert found.location.startswith("/sign-in")
    token = guarded.form_token()
    form = {"token": token, "name": "ada", "password": PASSWORD}
    wished = guarded.ask(found.location).body.split('name="next" value="', 1)[1].split('"', 1)[0]
    answer = guarded.ask("/sign-in", {"Cookie": f"ratchet_form={token}"}, form | {"next": wished})
    assert (answer.status, answer.location) == (303, path)


@pytest.mark.parametrize("path", [*SCREENS, *LEADS, *INSIDE, "/audit.csv"])
@pytest.mark.parametrize("kind", ["none", "forged", "expired", "revoked", "disabled"])
def test_a_program_without_a_good_session_hears_401(guarded: Guarded, path: str, kind: str) -> None:
    assert guarded.ask(path, bad_session(guarded, kind)).status == 401


@pytest.mark.parametrize("kind", ["none", "forged", "expired", "revoked", "disabled"])
def test_a_websocket_without_a_good_session_is_refused(guarded: Guarded, kind: str) -> None:
    with pytest.raises(InvalidStatus, match="403"):
        websocket(guarded, bad_session(guarded, kind))


def bad_session(guarded: Guarded, kind: str) -> dict[str, str]:
    """A cookie that must open nothing."""
    if kind == "none":
        return {}
    if kind == "forged":
        return {"Cookie": "ratchet_session=YWRtaW4"}
    name = "Gone" if kind == "disabled" else "Ada"
    now = datetime.now(UTC)
    if kind == "disabled" and not any(
        one.name == name for one in accounts.read_team(guarded.store, now).accounts
    ):
        accounts.add(guarded.store, name, accounts.Role.ADMIN, PASSWORD, "test", now)
    token = guarded.session_of(name)
    if kind == "expired":
        with transaction(guarded.store) as session:
            row = update(LoginSession).where(LoginSession.token_hash == hash_token(token))
            session.execute(row.values(expires_at=now - timedelta(seconds=1)))
    elif kind == "revoked":
        signing_in.sign_out(guarded.store, token, now)
    else:
        accounts.disable(guarded.store, name, "test", now)
    return {"Cookie": f"ratchet_session={token}"}


@pytest.mark.parametrize(
    ("name", "path", "status"),
    [
        *(("Anna", path, 403) for path in (*LEADS, UPLOAD, "/audit.csv")),
        ("Lea", "/audit.csv", 403),
        ("Ada", "/audit.csv", 200),
        ("Lea", "/chart-data/intervals?study=x&quantity=rho", 400),
        ("Anna", "/", 200),
        ("Anna", "/healthz", 200),
    ],
)
def test_a_role_opens_its_own_addresses(
    guarded: Guarded, name: str, path: str, status: int
) -> None:
    assert guarded.ask(path, guarded.cookie_of(name)).status == status


def test_outsiders_hear_only_that_the_server_is_there(guarded: Guarded) -> None:
    assert guarded.ask("/healthz").body == '{"status":"ok"}'
    assert "worker" in guarded.ask("/healthz", guarded.cookie_of("Anna")).body


def test_an_open_screen_ends_with_its_session(guarded: Guarded) -> None:
    token = guarded.session_of("Anna")
    with websocket(guarded, {"Cookie": f"ratchet_session={token}"}) as open_screen:
        signing_in.sign_out(guarded.store, token, datetime.now(UTC))
        open_screen.send(b"a press")
        with pytest.raises(ConnectionClosed) as closed:
            read_all(open_screen)
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 1008


def read_all(screen: ClientConnection) -> None:
    """Read until it is closed."""
    while True:
        screen.recv(timeout=10)


def test_a_changed_role_counts_at_once(guarded: Guarded) -> None:
    now = datetime.now(UTC)
    accounts.add(guarded.store, "Bo", accounts.Role.LEAD, PASSWORD, "test", now)
    cookie = guarded.cookie_of("Bo")
    assert guarded.ask(LEADS[0], cookie).status == 400  # no such study, but he may ask
    accounts.set_role(guarded.store, "Bo", accounts.Role.ANNOTATOR, "test", now)
    assert guarded.ask(LEADS[0], cookie).status == 401
    assert guarded.ask(LEADS[0], guarded.cookie_of("Bo")).status == 403
