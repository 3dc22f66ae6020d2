"""Forms that others send, cookies, paths to elsewhere, scripts in names, and 10,000 tries."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import Engine, func, select
from websockets.exceptions import InvalidStatus

from db.engine import reading
from db.tables import SignInFailure
from pages.http.forms import own_path
from tests.security.conftest import HERE, PASSWORD, Guarded
from tests.security.test_who_gets_in import websocket
from workflow import accounts, signing_in, uploads
from workflow.accounts import Role
from workflow.errors import RatchetError

pytestmark = pytest.mark.behaviour(16)
NOW = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
FOREIGN = ({"Origin": "https://evil.test"}, {"Sec-Fetch-Site": "cross-site"}, {"Origin": "null"})


def sign_in(guarded: Guarded, more: dict[str, str] | None = None, **fields: str) -> int:
    token = guarded.form_token()
    form = {"token": token, "name": "Ada", "password": PASSWORD} | fields
    return guarded.ask("/sign-in", {"Cookie": f"ratchet_form={token}"} | (more or {}), form).status


def test_the_form_lets_in_only_who_sends_its_token(guarded: Guarded) -> None:
    assert sign_in(guarded) == 303
    assert sign_in(guarded, token="guessed") == 400
    assert sign_in(guarded, {"Cookie": ""}) == 400
    assert sign_in(guarded, password="wrong") == 401


@pytest.mark.parametrize("headers", FOREIGN)
def test_a_post_of_another_site_is_refused(guarded: Guarded, headers: dict[str, str]) -> None:
    assert sign_in(guarded, headers) == 403
    cookie = guarded.cookie_of("Ada")
    assert guarded.ask("/sign-out", cookie | headers, {"token": "x"}).status == 403
    assert guarded.ask("/export/items?study=x", cookie).status == 400


def test_a_websocket_of_another_site_is_refused(guarded: Guarded) -> None:
    with pytest.raises(InvalidStatus, match="403"):
        websocket(guarded, guarded.cookie_of("Ada") | {"Origin": "https://evil.test"})


def test_signing_out_wants_the_form_and_ends_the_session(guarded: Guarded) -> None:
    session = guarded.cookie_of("Ada")["Cookie"]
    assert guarded.ask("/sign-out", {"Cookie": session}, {"token": ""}).status == 400
    assert guarded.ask("/audit.csv", {"Cookie": session}).status == 200
    both = {"Cookie": f"{session}; ratchet_form=abc"}
    assert guarded.ask("/sign-out", both, {"token": "abc"}).status == 303
    assert guarded.ask("/audit.csv", {"Cookie": session}).status == 401


def test_the_cookie_is_out_of_reach_of_scripts_and_other_sites(guarded: Guarded) -> None:
    token = guarded.form_token()
    form = {"token": token, "name": "Ada", "password": PASSWORD}
    cookie = guarded.ask("/sign-in", {"Cookie": f"ratchet_form={token}"}, form).headers[
        "set-cookie"
    ]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie


@pytest.mark.parametrize(
    "wished",
    ["https://evil.test", "//evil.test", "/\\evil.test", "\\\\evil.test", "javascript:alert(1)",
     "/a\r\nSet-Cookie: x=1", "", "/\tx", "/x\\..\\y"],
)  # fmt: skip
def test_no_form_leads_to_another_site(wished: str) -> None:
    assert own_path(wished) == "/"


def test_a_wished_path_of_this_site_is_kept() -> None:
    assert own_path("/results?study=a%20b&x=1") == "/results?study=a%20b&x=1"


def test_scripts_in_fields_come_back_as_text(guarded: Guarded) -> None:
    script = "<script>alert(1)</script>\"'>"
    token = guarded.form_token()
    form = {"token": token, "name": script, "password": "x", "next": f"/{script}"}
    found = guarded.ask("/sign-in", {"Cookie": f"ratchet_form={token}"}, form)
    assert "<script>" not in found.body
    assert "&lt;script&gt;" in found.body
    assert "default-src 'none'" in found.headers["content-security-policy"]


def test_a_form_of_megabytes_is_refused_unread(guarded: Guarded) -> None:
    assert sign_in(guarded, name="x" * 1_000_000) == 400


def tries(engine: Engine, count: int, now: datetime) -> int:
    """How many of so many wrong tries had their password looked at."""
    looked_at = 0
    for _ in range(count):
        try:
            signing_in.sign_in(engine, "Ada", "wrong wrong wrong", HERE, now)
        except RatchetError as error:
            looked_at += str(error) == signing_in.WRONG
    return looked_at


def test_of_ten_thousand_tries_five_are_looked_at(sqlite_engine: Engine) -> None:
    accounts.add(sqlite_engine, "Ada", Role.ADMIN, PASSWORD, "test", NOW)
    assert tries(sqlite_engine, 10_000, NOW) == signing_in.FREE_TRIES_LOGIN
    with pytest.raises(RatchetError, match="too many wrong tries"):
        signing_in.sign_in(sqlite_engine, "Ada", PASSWORD, HERE, NOW)
    with reading(sqlite_engine) as session:
        # A login and an address for each try that was looked at, however many were turned away.
        kept = session.scalar(select(func.count()).select_from(SignInFailure))
    assert kept == 2 * signing_in.FREE_TRIES_LOGIN


def test_waits_double_and_end(engine: Engine) -> None:
    accounts.add(engine, "Ada", Role.ADMIN, PASSWORD, "test", NOW)
    assert tries(engine, 6, NOW) == 5
    assert tries(engine, 2, NOW + timedelta(seconds=1)) == 1
    assert tries(engine, 1, NOW + timedelta(seconds=2.9)) == 0
    assert tries(engine, 1, NOW + timedelta(seconds=3)) == 1
    assert signing_in.sign_in(engine, " ADA ", PASSWORD, HERE, NOW + timedelta(hours=1))
    assert tries(engine, 6, NOW + timedelta(hours=1)) == 5


def test_an_unknown_name_is_told_the_same_as_a_wrong_password(engine: Engine) -> None:
    accounts.add(engine, "Ada", Role.ADMIN, PASSWORD, "test", NOW)
    said = []
    for name in ("Ada", "Nobody"):
        with pytest.raises(RatchetError) as refused:
            signing_in.sign_in(engine, name, "wrong wrong wrong", HERE, NOW)
        said.append(str(refused.value))
    assert said == [signing_in.WRONG] * 2


@pytest.mark.parametrize(
    "name",
    ["../../etc/passwd", "a.csv/../../b.sh", "..", "a.\0csv", "C:\\x\\..\\y.csv", "a." * 999],
)
def test_no_upload_name_leaves_its_folder(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RATCHET_UPLOAD_DIR", str(tmp_path))
    path = uploads.keep(name, b"query\nx\n")
    assert path.resolve().parent == (tmp_path / "ratchet-uploads").resolve()
    assert path.read_bytes() == b"query\nx\n"
