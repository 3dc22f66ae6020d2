"""Who a request comes from: the cookie of a session, or nobody, or the one person of solo mode."""

from typing import NamedTuple

from starlette.requests import HTTPConnection, Request
from starlette.responses import Response

from pages.resources import engine, now
from workflow import serving, signing_in
from workflow.signing_in import Browser, Role, User

COOKIE = "ratchet_session"
RANKS = {Role.ANNOTATOR: 0, Role.LEAD: 1, Role.ADMIN: 2}
_SECONDS = 14 * 24 * 3600
_VISITOR = "ratchet.visitor"


class Visitor(NamedTuple):
    """Somebody who asks; without accounts the one person here may do all."""

    user: User | None
    is_solo: bool

    def may(self, role: Role) -> bool:
        """Whether they may do what this role may."""
        return self.is_solo or (self.user is not None and RANKS[self.user.role] >= RANKS[role])


def find_visitor(connection: HTTPConnection) -> Visitor:
    """Who is at the other end; read from the database, so a revoked session is nobody's at once."""
    return visitor_by(connection.cookies.get(COOKIE))


def visitor_by(cookie: str | None) -> Visitor:
    """Who holds this cookie; one person works alone only where nobody else can reach the server."""
    user = signing_in.find_user(engine(), cookie, now())
    is_alone = user is None and serving.is_loopback(serving.listening_host())
    return Visitor(user, is_alone and not signing_in.needs_sign_in(engine()))


def keep_visitor(connection: HTTPConnection, visitor: Visitor) -> None:
    """Let the routes behind the middleware know who it is."""
    connection.scope[_VISITOR] = visitor


def visitor_of(request: Request) -> Visitor:
    """Who the middleware found."""
    found: Visitor = request.scope[_VISITOR]
    return found


def browser_of(request: Request) -> Browser:
    """Where a request comes from; behind our own proxy, what the proxy says."""
    address = request.client.host if request.client else ""
    forwarded = request.headers.get("x-forwarded-for", "")
    if forwarded and serving.public_url() is not None and serving.is_loopback(address):
        address = forwarded.rsplit(",", 1)[-1].strip()
    return Browser(address, request.headers.get("user-agent", ""))


def let_in(response: Response, token: str) -> Response:
    """The response with the cookie of a new session."""
    response.set_cookie(
        COOKIE, token, _SECONDS, httponly=True, samesite="lax", secure=serving.is_secure()
    )
    return response


def let_out(response: Response) -> Response:
    """The response that takes the cookie back."""
    response.delete_cookie(COOKIE, httponly=True, samesite="lax", secure=serving.is_secure())
    return response
