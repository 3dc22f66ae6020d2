"""Coming in by an identity provider: Authlib does the protocol, this knows whom to let in.

Code flow with PKCE, state and nonce; the id token is checked against the provider's keys. Who has
an account of this identity comes in; who is new needs a verified address of an allowed domain.
"""

import hashlib
from html import escape

from authlib.integrations.base_client import OAuthError
from authlib.integrations.starlette_client import OAuth
from httpx2 import HTTPError
from joserfc.errors import JoseError
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.middleware.sessions import SessionMiddleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from pages.http.forms import error_line, own_path, page
from pages.http.visitor import browser_of, let_in
from pages.resources import engine, now
from workflow import accounts, oidc, serving, signing_in
from workflow.accounts import AccountRow, Identity
from workflow.errors import EXPECTED, RatchetError
from workflow.oidc import Provider

NEXT, NAME = "next", "provider"
SECONDS = 600  # from leaving for the provider to coming back
FAILED = "The identity provider did not vouch for you: {reason}. Try again, or ask an admin."
UNKNOWN = (
    "You are known to the identity provider, but not here. Ask an admin to let your organisation's"
    " domain in, or for an invitation."
)


def oidc_routes() -> list[BaseRoute]:
    """The routes of the configured provider; none without one.

    Raises:
        RatchetError: the configuration is no good.
    """
    if not oidc.is_configured():
        return []
    provider = oidc.read_provider()
    # From the client's secret, so that every server process reads the others' state.
    secret = hashlib.sha256(f"state:{provider.client_secret}".encode()).hexdigest()
    keep_state = Middleware(
        SessionMiddleware,
        secret_key=secret,
        session_cookie="ratchet_state",
        max_age=SECONDS,
        same_site="lax",
        https_only=serving.is_secure(),
    )
    desk = _Desk(provider)
    routes = [Route("/start", desk.start), Route("/back", desk.come_back)]
    return [Mount("/oidc", routes=routes, middleware=[Middleware(_OwnScope), keep_state])]


class _OwnScope:
    """Streamlit keeps a session of its own in the same place of the scope; ours is apart."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a copy on."""
        await self.app(dict(scope), receive, send)


class _Desk:
    """The two steps: off to the provider, and back with what it says."""

    def __init__(self, provider: Provider) -> None:
        self.provider = provider
        registry = OAuth()
        registry.register(
            NAME,
            server_metadata_url=f"{provider.issuer}/.well-known/openid-configuration",
            client_id=provider.client_id,
            client_secret=provider.client_secret,
            client_kwargs={"scope": "openid email profile", "code_challenge_method": "S256"},
        )
        self.client = registry.create_client(NAME)

    async def start(self, request: Request) -> Response:
        """Leave for the provider."""
        request.session[NEXT] = own_path(request.query_params.get(NEXT, "/"))
        base = serving.public_url() or str(request.base_url).rstrip("/").removesuffix("/oidc")
        try:
            answer: Response = await self.client.authorize_redirect(request, f"{base}/oidc/back")
        except (HTTPError, OAuthError, RuntimeError, ValueError) as error:
            return _refused(request, FAILED.format(reason=_reason(error)))
        return answer

    async def come_back(self, request: Request) -> Response:
        """Check what the provider says and let its person in."""
        wished = own_path(str(request.session.get(NEXT, "/")))
        try:
            token = await self.client.authorize_access_token(request)
            claims = token.get("userinfo") or {}
            account = await run_in_threadpool(_account_of, self.provider, dict(claims))
            session = await run_in_threadpool(
                signing_in.open_for, engine(), account, browser_of(request), now()
            )
        except (HTTPError, OAuthError, JoseError, RuntimeError, ValueError) as error:
            return _refused(request, FAILED.format(reason=_reason(error)))
        except EXPECTED as error:
            return _refused(request, str(error))
        request.session.clear()
        return let_in(RedirectResponse(wished, 303), session)


def _account_of(provider: Provider, claims: dict[str, object]) -> AccountRow:
    """The account of these claims, made where the domain is allowed."""
    issuer, subject = str(claims.get("iss", "")), str(claims.get("sub", ""))
    if not subject or not issuer:
        raise RatchetError(FAILED.format(reason="it named nobody"))
    identity = Identity(issuer, subject)
    known = accounts.find_by_identity(engine(), identity)
    if known is not None:
        if known.is_disabled:
            raise RatchetError("This account is disabled. Ask an admin to enable it.")
        return known
    address = str(claims.get("email", "")).lower()
    is_allowed = claims.get("email_verified") is True and address.count("@") == 1
    if not is_allowed or address.split("@")[1] not in provider.domains:
        raise RatchetError(UNKNOWN)
    return accounts.add_identity(engine(), address, provider.role, identity, now())


def _refused(request: Request, text: str) -> Response:
    again = f'<p class="quiet"><a href="/sign-in">{escape("Back")}</a></p>'
    return page(request, "Not signed in", lambda _hidden: error_line(text) + again, 403)


def _reason(error: Exception) -> str:
    """What went wrong, in one line without addresses or secrets."""
    if isinstance(error, OAuthError):
        return str(error.description or error.error or "it refused")
    if isinstance(error, HTTPError):
        return "it does not answer"
    return f"its answer is no good ({type(error).__name__})"
