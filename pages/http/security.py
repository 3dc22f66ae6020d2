"""What every request passes, http or websocket: from where it comes, and who asks.

Without accounts only this machine may ask, by a loopback name, since a foreign page can point its
own name at 127.0.0.1 (DNS rebinding). With accounts a session is needed for everything but the
pages of coming in. A request of another site is refused in both.
"""

from urllib.parse import urlsplit

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pages.http.sign_in import sign_in_address
from pages.http.visitor import Visitor, find_visitor, keep_visitor
from workflow import serving
from workflow.signing_in import Role

HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"SAMEORIGIN"),
    (b"referrer-policy", b"same-origin"),
)
# What is open to all, and what wants more than an annotator; the first that fits holds.
OPEN = ("/sign-in", "/invite/", "/oidc/", "/healthz")
ROLES = (
    ("/export/", Role.LEAD),
    ("/chart-data/", Role.LEAD),
    ("/_stcore/upload_file", Role.LEAD),
    ("/audit", Role.ADMIN),
)
READING = frozenset({"GET", "HEAD", "OPTIONS"})
SOLO_ONLY = "Ratchet without accounts answers only to this machine. Open http://127.0.0.1:8501."
WRONG_HOST = (
    "This name is not the one that Ratchet is served under. Set RATCHET_PUBLIC_URL to its address."
)
FOREIGN = "This request comes from another site and is refused. Use the pages of Ratchet."


class Guard:
    """ASGI middleware: lets through who may come in, and says to the others why not."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it."""
        if scope["type"] not in {"http", "websocket"}:
            await self.app(scope, receive, send)
            return
        connection = HTTPConnection(scope)
        visitor = await run_in_threadpool(find_visitor, connection)
        refusal = _refusal(connection, visitor)
        if refusal is None:
            keep_visitor(connection, visitor)
            if scope["type"] == "websocket":
                receive = _asking_anew(connection, receive, send)
            await self.app(scope, receive, _with_headers(send))
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
        else:
            await refusal(scope, receive, _with_headers(send))


MIDDLEWARE = [Middleware(Guard)]


def _refusal(connection: HTTPConnection, visitor: Visitor) -> Response | None:
    """What to answer instead; None lets it pass."""
    headers = connection.headers
    host = headers.get("host", "")
    if not _is_own_host(host, visitor):
        return PlainTextResponse(SOLO_ONLY if visitor.is_solo else WRONG_HOST, 403)
    if not _is_own_page(headers, host, connection.scope):
        return PlainTextResponse(FOREIGN, 403)
    path = str(connection.scope["path"])
    if path.startswith(OPEN):
        return None
    if not visitor.may(Role.ANNOTATOR):
        return _sign_in_first(connection, path)
    needed = next((role for start, role in ROLES if path.startswith(start)), Role.ANNOTATOR)
    if not visitor.may(needed):
        return PlainTextResponse(f"This is for a {needed}. Ask an admin for the role.", 403)
    return None


def _is_own_host(host: str, visitor: Visitor) -> bool:
    """Whether the name in the address is one that this server goes by."""
    if serving.is_loopback(_name(host)):
        return True
    public = serving.public_url()
    if visitor.is_solo:
        return False
    if public is not None:
        return host.lower() == urlsplit(public).netloc.lower()
    return not serving.is_loopback(serving.listening_host())


def _is_own_page(headers: Headers, host: str, scope: Scope) -> bool:
    """Whether a page of this server sent it; reading by a link from elsewhere is fine."""
    origin = headers.get("origin")
    if origin is not None and urlsplit(origin).netloc.lower() != host.lower():
        return False
    is_reading = scope["type"] == "http" and scope["method"] in READING
    return is_reading or headers.get("sec-fetch-site", "none") in {"same-origin", "none"}


def _sign_in_first(connection: HTTPConnection, path: str) -> Response:
    """Lead a person to the form; tell a program what is missing."""
    is_page = "text/html" in connection.headers.get("accept", "")
    if connection.scope["type"] == "http" and is_page:
        query = connection.url.query
        return RedirectResponse(sign_in_address(f"{path}?{query}" if query else path), 303)
    return PlainTextResponse("Sign in first: a session was expected and there is none.", 401)


def _name(authority: str) -> str:
    """The host of `host:port`; an IPv6 address keeps its brackets."""
    if authority.startswith("["):
        return authority.split("]", 1)[0] + "]"
    return authority.split(":", 1)[0]


def _asking_anew(connection: HTTPConnection, receive: Receive, send: Send) -> Receive:
    """The messages of a websocket for as long as its session lives.

    A websocket stays open for days; a press on a screen must count only while its person may.
    """

    async def receive_more() -> Message:
        message = await receive()
        if message["type"] == "websocket.receive":
            visitor = await run_in_threadpool(find_visitor, connection)
            if not visitor.may(Role.ANNOTATOR):
                await send({"type": "websocket.close", "code": 1008})
                return {"type": "websocket.disconnect", "code": 1008}
        return message

    return receive_more


def _with_headers(send: Send) -> Send:
    async def send_more(message: Message) -> None:
        if message["type"] == "http.response.start":
            present = {name for name, _ in message["headers"]}
            message["headers"] = [
                *message["headers"],
                *(header for header in HEADERS if header[0] not in present),
            ]
        await send(message)

    return send_more
