"""Accounts: made, invited, changed, disabled; each deed is in the record."""

import csv
import io
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import Engine, text

from db.errors import StoreError
from workflow import accounts, auditing, signing_in
from workflow.accounts import Identity, Role
from workflow.auditing import Search
from workflow.errors import EXPECTED, RatchetError
from workflow.signing_in import Browser

NOW = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
PASSWORD = "several words are good"
HERE = Browser("127.0.0.1", "test")


@pytest.fixture
def team(engine: Engine) -> Engine:
    accounts.add(engine, "Ada", Role.ADMIN, PASSWORD, "test", NOW)
    return engine


def deeds(engine: Engine, **search: str) -> list[str]:
    found = auditing.read_page(engine, Search(**search), 100)
    return [line.action for line in found.lines]


def test_from_the_first_account_on_everybody_signs_in(engine: Engine) -> None:
    assert not signing_in.needs_sign_in(engine)
    with pytest.raises(RatchetError, match="The first account would be lead"):
        accounts.add(engine, "Lea", Role.LEAD, PASSWORD, "test", NOW)
    accounts.add(engine, "Ada", Role.ADMIN, PASSWORD, "test", NOW)
    assert signing_in.needs_sign_in(engine)


def test_a_session_lives_while_it_is_used(team: Engine) -> None:
    token = signing_in.sign_in(team, "ada", PASSWORD, HERE, NOW)
    for day in range(0, 60, 10):
        user = signing_in.find_user(team, token, NOW + timedelta(days=day))
        assert user is not None
        assert (user.name, user.role) == ("Ada", Role.ADMIN)
    assert signing_in.find_user(team, token, NOW + timedelta(days=65)) is None


def test_an_invitation_makes_one_account_once(team: Engine) -> None:
    token = accounts.invite(team, None, Role.LEAD, "Ada", NOW)

    def accept(name: str) -> bool:
        try:
            accounts.accept(team, token, name, PASSWORD, NOW)
        except EXPECTED:
            return False
        return True

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(accept, ["Bo", "Cy", "Di", "Ed"])) == 1
    team_now = accounts.read_team(team, NOW)
    assert len(team_now.accounts) == 2
    assert team_now.invitations == []


@pytest.mark.parametrize("kind", ["expired", "revoked", "guessed"])
def test_an_invitation_that_ended_makes_none(team: Engine, kind: str) -> None:
    token, now = accounts.invite(team, None, Role.LEAD, "Ada", NOW), NOW
    if kind == "expired":
        now = NOW + accounts.INVITATION_LIFE
    elif kind == "revoked":
        accounts.revoke_invitation(
            team, accounts.read_team(team, NOW).invitations[0].id, "Ada", NOW
        )
    else:
        token = token[:-1] + ("A" if token[-1] != "A" else "B")
    with pytest.raises(RatchetError, match="used, revoked or is too old"):
        accounts.accept(team, token, "Bo", PASSWORD, now)


def test_who_chooses_a_name_cannot_become_somebody_with_labels(team: Engine) -> None:
    token = accounts.invite(team, None, Role.ANNOTATOR, "Ada", NOW)
    with pytest.raises(RatchetError, match="'ADA' is taken"):
        accounts.accept(team, token, "ADA", PASSWORD, NOW)
    assert accounts.accept(team, token, "Bo", PASSWORD, NOW).role == Role.ANNOTATOR


def test_a_short_password_leaves_the_invitation_open(team: Engine) -> None:
    token = accounts.invite(team, "Bo", Role.ANNOTATOR, "Ada", NOW)
    with pytest.raises(RatchetError, match="has 5 characters"):
        accounts.accept(team, token, "ignored", "short", NOW)
    assert accounts.accept(team, token, "ignored", PASSWORD, NOW).name == "Bo"


@pytest.mark.parametrize("name", ["", "  ", "a\nb\0", "x" * 81])
def test_a_bad_name_is_refused(team: Engine, name: str) -> None:
    with pytest.raises(StoreError, match="printable"):
        accounts.add(team, name, Role.LEAD, PASSWORD, "test", NOW)


def test_the_last_admin_stays(team: Engine) -> None:
    with pytest.raises(StoreError, match="the only admin"):
        accounts.disable(team, "Ada", "Ada", NOW)
    with pytest.raises(StoreError, match="the only admin"):
        accounts.set_role(team, "Ada", Role.LEAD, "Ada", NOW)
    accounts.add(team, "Bo", Role.ADMIN, PASSWORD, "Ada", NOW)
    accounts.disable(team, "Ada", "Bo", NOW)
    with pytest.raises(StoreError, match="the only admin"):
        accounts.disable(team, "Bo", "Bo", NOW)


def test_a_new_password_ends_the_sessions(team: Engine) -> None:
    token = signing_in.sign_in(team, "Ada", PASSWORD, HERE, NOW)
    accounts.set_password(team, "Ada", "another good phrase", "Ada", NOW)
    assert signing_in.find_user(team, token, NOW) is None
    with pytest.raises(RatchetError):
        signing_in.sign_in(team, "Ada", PASSWORD, HERE, NOW)
    assert signing_in.sign_in(team, "Ada", "another good phrase", HERE, NOW)


def test_an_identity_finds_its_account_again(team: Engine) -> None:
    identity = Identity("https://id.example.org", "17")
    made = accounts.add_identity(team, "Bo", Role.ANNOTATOR, identity, NOW)
    assert accounts.find_by_identity(team, identity) == made
    assert accounts.find_by_identity(team, identity._replace(subject="18")) is None
    with pytest.raises(RatchetError, match="is taken"):
        accounts.add_identity(team, "ada", Role.ANNOTATOR, identity, NOW)


def test_nothing_secret_is_stored_as_it_is(team: Engine) -> None:
    session_token = signing_in.sign_in(team, "Ada", PASSWORD, HERE, NOW)
    link = accounts.invite(team, None, Role.LEAD, "Ada", NOW)
    with team.connect() as connection:
        for table in ("account", "invitation", "login_session", "sign_in_failure", "audit"):
            stored = str(connection.execute(text(f"SELECT * FROM {table}")).all())
            assert PASSWORD not in stored
            assert session_token not in stored
            assert link not in stored


def test_every_deed_is_in_the_record_and_can_be_searched(team: Engine) -> None:
    accounts.invite(team, "Bo", Role.LEAD, "Ada", NOW)
    accounts.sign_out_everywhere(team, "Ada", "Ada", NOW)
    assert deeds(team) == ["sign out everywhere", "invite", "add account"]
    assert deeds(team, words="LEAD bo") == ["invite"]
    assert deeds(team, person="test") == ["add account"]
    assert deeds(team, action="invite", words="100%") == []


def test_the_record_as_a_file_holds_no_formula(team: Engine) -> None:
    accounts.add(team, "=1+1", Role.LEAD, PASSWORD, "=cmd", NOW)
    content = b"".join(auditing.stream(team, Search())).decode()
    rows = list(csv.DictReader(io.StringIO(content)))
    assert [row["person"] for row in rows] == ["test", "'=cmd"]
    assert '"=1+1"' in rows[1]["detail"]
