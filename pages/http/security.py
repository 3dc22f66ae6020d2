"""What every request passes: only this machine may ask, and only from pages of this server.

Solo mode has no accounts, so a request must name a loopback host: a foreign page that points its
own name at 127.0.0.1 (DNS rebinding) is refused.
"""

from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from workflow.serving import is_loopback

HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"SAMEORIGIN"),
    (b"referrer-policy", b"same-origin"),
)


class LoopbackOnly:
    """ASGI middleware: refuses requests to other hosts and from other origins."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it."""
        if scope["type"] not in {"http", "websocket"}:
            await self.app(scope, receive, send)
        elif not _is_local(Headers(scope=scope)):
            await _refuse(scope, receive, send)
        else:
            await self.app(scope, receive, _with_headers(send))


MIDDLEWARE = [Middleware(LoopbackOnly)]


def _is_local(headers: Headers) -> bool:
    origin = headers.get("origin")
    is_own_page = origin is None or is_loopback(_host(origin.split("://", 1)[-1]))
    return is_own_page and is_loopback(_host(headers.get("host", "")))


def _host(authority: str) -> str:
    """The host of `host:port`; an IPv6 address keeps its brackets."""
    if authority.startswith("["):
        return authority.split("]", 1)[0] + "]"
    return authority.split(":", 1)[0]


async def _refuse(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008})
        return
    text = "Ratchet without accounts answers only to this machine. Open http://127.0.0.1:8501."
    await PlainTextResponse(text, status_code=403)(scope, receive, send)


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
