"""Signing in and out, and accepting an invitation: plain forms, since a script sets no cookie."""

from html import escape
from urllib.parse import quote

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from pages.http.forms import error_line, field, own_path, page, read_form
from pages.http.visitor import COOKIE, browser_of, let_in, let_out, visitor_of
from pages.resources import engine, now
from workflow import accounts, oidc, signing_in
from workflow.errors import EXPECTED
from workflow.passwords import MIN_LENGTH

NEXT = "next"
UNUSABLE = f'<p>{escape(accounts.UNUSABLE)}</p><p class="quiet"><a href="/">Sign in</a></p>'


def sign_in_address(wished: str) -> str:
    """Where to sign in, to come back to the wished path."""
    return "/sign-in" if wished == "/" else f"/sign-in?{NEXT}={quote(wished, safe='')}"


async def show_sign_in(request: Request) -> Response:
    """The form; who is in already is led on."""
    wished = own_path(request.query_params.get(NEXT, "/"))
    visitor = visitor_of(request)
    if visitor.user is not None or visitor.is_solo:
        return RedirectResponse(wished, 303)
    return _sign_in_page(request, wished)


async def sign_in(request: Request) -> Response:
    """Look at name and password; let them in, or say that they do not belong together."""
    name, wished = "", "/"
    try:
        fields = await read_form(request)
        name, wished = str(fields.get("name", "")), own_path(str(fields.get(NEXT, "/")))
        password = str(fields.get("password", ""))
        token = await run_in_threadpool(
            signing_in.sign_in, engine(), name, password, browser_of(request), now()
        )
    except EXPECTED as error:
        return _sign_in_page(request, wished, name, str(error))
    return let_in(RedirectResponse(wished, 303), token)


async def show_sign_out(request: Request) -> Response:
    """Ask before signing out: a link alone must not do it."""
    user = visitor_of(request).user
    if user is None:
        return RedirectResponse("/", 303)
    name = escape(user.name)
    return page(
        request,
        "Sign out",
        lambda hidden: (
            f'<p>You are signed in as <b>{name}</b>.</p><form method="post">{hidden}'
            '<button>Sign out</button></form><p class="quiet"><a href="/">Stay</a></p>'
        ),
    )


async def sign_out(request: Request) -> Response:
    """End the session of this browser."""
    try:
        await read_form(request)
    except EXPECTED as error:
        line = error_line(str(error))
        return page(request, "Sign out", lambda _hidden: line, 400)
    await run_in_threadpool(signing_in.sign_out, engine(), request.cookies.get(COOKIE, ""), now())
    return let_out(RedirectResponse("/sign-in", 303))


async def show_invitation(request: Request) -> Response:
    """The form that makes the account of an invitation."""
    return await _invitation_page(request)


async def accept_invitation(request: Request) -> Response:
    """Make the account and let its person in."""
    token = request.path_params["token"]
    try:
        fields = await read_form(request)
        name, password = str(fields.get("name", "")), str(fields.get("password", ""))
        account = await run_in_threadpool(accounts.accept, engine(), token, name, password, now())
    except EXPECTED as error:
        return await _invitation_page(request, str(error))
    session = await run_in_threadpool(
        signing_in.open_for, engine(), account, browser_of(request), now()
    )
    return let_in(RedirectResponse("/", 303), session)


SIGN_IN_ROUTES = [
    Route("/sign-in", show_sign_in),
    Route("/sign-in", sign_in, methods=["POST"]),
    Route("/sign-out", show_sign_out),
    Route("/sign-out", sign_out, methods=["POST"]),
    Route("/invite/{token}", show_invitation),
    Route("/invite/{token}", accept_invitation, methods=["POST"]),
]


def _sign_in_page(request: Request, wished: str, name: str = "", error: str = "") -> Response:
    again = f'<input type="hidden" name="{NEXT}" value="{escape(wished)}">'
    provider = ""
    if oidc.is_configured():
        address = escape(f"/oidc/start?{NEXT}={quote(wished, safe='')}")
        provider = f'<p><a class="button" href="{address}">Sign in with your organisation</a></p>'
    before = f'{error_line(error)}{provider}<form method="post" action="/sign-in">{again}'
    after = (
        f"{field('name', 'Name', value=name, more='autocomplete=username autofocus')}"
        f"{field('password', 'Password', 'password', more='autocomplete=current-password')}"
        "<button>Sign in</button></form>"
    )
    title = "Sign in to Ratchet"
    return page(request, title, lambda hidden: before + hidden + after, _status(error))


def _status(error: str) -> int:
    if not error:
        return 200
    if error.startswith(signing_in.TOO_MANY):
        return 429
    return 401 if error == signing_in.WRONG else 400


async def _invitation_page(request: Request, error: str = "") -> Response:
    token = request.path_params["token"]
    found = await run_in_threadpool(accounts.find_invitation, engine(), token, now())
    if found is None:
        return page(request, "This invitation is no longer open", lambda _hidden: UNUSABLE, 410)
    fixed = "readonly" if found.name else "autofocus"
    before = (
        f"{error_line(error)}<p>{escape(found.created_by)} asked you in as"
        f' {escape(found.role)}.</p><form method="post">'
    )
    password = f"A password of {MIN_LENGTH} characters or more"
    after = (
        f"{field('name', 'Your name, as others see it', value=found.name or '', more=fixed)}"
        f"{field('password', password, 'password', more='autocomplete=new-password')}"
        "<button>Join</button></form>"
    )
    status = 400 if error else 200
    return page(request, "Join Ratchet", lambda hidden: before + hidden + after, status)
