"""Coming in by an identity provider, and all the ways in which it must not work."""

from collections.abc import Iterator
from datetime import UTC, datetime
from urllib.parse import urlsplit

import pytest
from joserfc.jwk import RSAKey

from tests.running_server import running_server
from tests.security.conftest import PASSWORD, Answer, Guarded
from tests.security.oidc_provider import CLIENT_ID, CLIENT_SECRET, Provider, running_provider
from workflow import accounts, database
from workflow.accounts import Identity, Role

pytestmark = pytest.mark.behaviour(16)
BO = {"sub": "17", "email": "Bo@Example.org", "email_verified": True}


@pytest.fixture(scope="module")
def provider() -> Iterator[Provider]:
    with running_provider() as running:
        yield running


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory, provider: Provider) -> Iterator[Guarded]:
    """A server whose people may come in by the provider."""
    folder = tmp_path_factory.mktemp("oidc")
    url = f"sqlite:///{folder / 'ratchet.db'}"
    store = database.connect(url)
    accounts.add(store, "Ada", Role.ADMIN, PASSWORD, "test", datetime.now(UTC))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RATCHET_OIDC_ISSUER", provider.issuer)
        patch.setenv("RATCHET_OIDC_CLIENT_ID", CLIENT_ID)
        patch.setenv("RATCHET_OIDC_CLIENT_SECRET", CLIENT_SECRET)
        patch.setenv("RATCHET_OIDC_DOMAINS", "example.org")
        with running_server(folder, url) as server:
            yield Guarded(server, store)
    store.dispose()


@pytest.fixture(autouse=True)
def honest(provider: Provider) -> None:
    provider.person, provider.wrong, provider.signs_with = dict(BO), {}, provider.key


def come(guarded: Guarded, wished: str = "/", state: str | None = None) -> Answer:
    """Go to the provider and come back, as a browser does."""
    start = guarded.ask(f"/oidc/start?next={wished}")
    cookie = start.cookie("ratchet_state")
    place = urlsplit(start.location)
    provider = Guarded(
        guarded.server._replace(address=f"{place.scheme}://{place.netloc}"), guarded.store
    )
    back = urlsplit(provider.ask(f"{place.path}?{place.query}").location)
    query = back.query if state is None else f"{back.query.split('&state=')[0]}&state={state}"
    return guarded.ask(f"{back.path}?{query}", {"Cookie": cookie})


def test_the_form_offers_the_provider(guarded: Guarded) -> None:
    assert "/oidc/start" in guarded.ask("/sign-in").body


def test_a_verified_address_of_the_domain_comes_in_to_the_wished_page(
    guarded: Guarded, provider: Provider
) -> None:
    first = come(guarded, "/results")
    assert (first.status, first.location) == (303, "/results")
    assert first.cookie("ratchet_session")
    assert come(guarded).status == 303
    account = accounts.find_by_identity(guarded.store, Identity(provider.issuer, "17"))
    assert account is not None
    assert (account.name, account.role) == ("bo@example.org", Role.ANNOTATOR)


@pytest.mark.parametrize(
    "person",
    [
        {"sub": "18", "email": "x@evil.test", "email_verified": True},
        {"sub": "18", "email": "x@example.org", "email_verified": False},
        {"sub": "18", "email": "x@example.org"},
        {"sub": "18", "email": "x@example.org@evil.test", "email_verified": True},
        {"sub": "18"},
    ],
)
def test_others_stay_out(guarded: Guarded, provider: Provider, person: dict[str, object]) -> None:
    provider.person = person
    found = come(guarded)
    assert found.status == 403
    assert "known to the identity provider, but not here" in found.body
    assert not found.cookie("ratchet_session")


@pytest.mark.parametrize(
    "wrong",
    [{"aud": "another"}, {"iss": "https://evil.test"}, {"exp": 1}, {"nonce": "guessed"}],
)
def test_a_token_for_somebody_else_or_another_time_is_refused(
    guarded: Guarded, provider: Provider, wrong: dict[str, object]
) -> None:
    provider.wrong = wrong
    assert come(guarded).status == 403


def test_a_token_of_another_key_is_refused(guarded: Guarded, provider: Provider) -> None:
    provider.signs_with = RSAKey.generate_key(2048, {"kid": "one"})
    assert come(guarded).status == 403


def test_a_state_that_this_browser_was_not_given_is_refused(guarded: Guarded) -> None:
    assert come(guarded, state="guessed").status == 403


def test_a_disabled_account_stays_out(guarded: Guarded) -> None:
    come(guarded)
    accounts.disable(guarded.store, "bo@example.org", "test", datetime.now(UTC))
    found = come(guarded)
    accounts.enable(guarded.store, "bo@example.org", "test", datetime.now(UTC))
    assert found.status == 403
    assert "disabled" in found.body


def test_no_answer_leads_to_another_site(guarded: Guarded) -> None:
    assert come(guarded, "//evil.test").location == "/"
