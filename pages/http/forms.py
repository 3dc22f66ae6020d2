"""The plain pages of coming in: no script, no other host, and a token that binds form and cookie.

A form is answered only where the token in it equals the one in a cookie of the same browser, which
another site can neither read nor set (double submit).
"""

import secrets
from collections.abc import Callable
from html import escape
from urllib.parse import urlsplit

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from workflow import serving
from workflow.errors import RatchetError

FORM_COOKIE = "ratchet_form"
FORM_SECONDS = 3600
MAX_FORM_BYTES = 20_000
POLICY = "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'"
STALE = "This form is too old or comes from another page. Load the page again, then send it."
STYLE = """
:root { color-scheme: light dark; --back: #fbfbf9; --box: #f0f1ec; --text: #1d2321;
  --line: #d9dcd4; --accent: #1f7a6d; --bad: #c0313b; }
@media (prefers-color-scheme: dark) { :root { --back: #14191a; --box: #1e2526; --text: #e6eae8;
  --line: #344041; --accent: #1f8072; --bad: #e0606a; } }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; background: var(--back);
  color: var(--text); font: 16px/1.5 "Source Sans Pro", "Source Sans 3", system-ui, sans-serif; }
main { width: min(22rem, 90vw); }
h1 { font-size: 1.35rem; margin: 0 0 .3rem; }
p { margin: 0 0 1rem; overflow-wrap: anywhere; }
.quiet { opacity: .75; font-size: .9rem; }
label { display: block; font-size: .875rem; margin: .8rem 0 .25rem; }
input { box-sizing: border-box; width: 100%; padding: .55rem .75rem; font: inherit; color: inherit;
  background: var(--box); border: 1px solid var(--line); border-radius: 8px; }
button, a.button { display: inline-block; margin-top: 1.2rem; padding: .55rem 1.1rem; font: inherit;
  border: 0; border-radius: 8px; background: var(--accent); color: #fff; cursor: pointer;
  text-decoration: none; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.error { border-inline-start: 4px solid var(--bad); padding: .5rem .8rem; border-radius: 8px;
  background: color-mix(in srgb, var(--bad) 14%, transparent); }
"""


def page(request: Request, title: str, body: Callable[[str], str], status: int = 200) -> Response:
    """A page with the cookie that its form needs.

    Args:
        request: what is answered.
        title: plain text.
        body: makes the HTML, escaped already, around the hidden field of the form.
        status: of the response.
    """
    token = request.cookies.get(FORM_COOKIE) or secrets.token_urlsafe(24)
    text = body(f'<input type="hidden" name="token" value="{escape(token)}">')
    response = HTMLResponse(
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{escape(title)} · Ratchet'
        '</title><meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{STYLE}</style><main><h1>{escape(title)}</h1>{text}</main></html>",
        status_code=status,
        headers={"Content-Security-Policy": POLICY, "Cache-Control": "no-store"},
    )
    response.set_cookie(
        FORM_COOKIE,
        token,
        FORM_SECONDS,
        httponly=True,
        samesite="strict",
        secure=serving.is_secure(),
    )
    return response


async def read_form(request: Request) -> FormData:
    """The fields of a form of ours.

    Raises:
        RatchetError: it is too large, or was not made for this browser.
    """
    if int(request.headers.get("content-length") or MAX_FORM_BYTES + 1) > MAX_FORM_BYTES:
        raise RatchetError(
            f"The form is larger than {MAX_FORM_BYTES} bytes. Shorten what it holds."
        )
    fields = await request.form(max_files=0, max_fields=20, max_part_size=MAX_FORM_BYTES)
    sent, kept = str(fields.get("token", "")), request.cookies.get(FORM_COOKIE, "")
    if not kept or not secrets.compare_digest(sent.encode(), kept.encode()):
        raise RatchetError(STALE)
    return fields


def field(name: str, title: str, kind: str = "text", value: str = "", more: str = "") -> str:
    """A labelled field as HTML."""
    return (
        f'<label for="{name}">{escape(title)}</label><input id="{name}" name="{name}"'
        f' type="{kind}" value="{escape(value)}" required {more}>'
    )


def error_line(text: str) -> str:
    """What went wrong, as HTML; nothing when nothing did."""
    return f'<p class="error" role="alert">{escape(text)}</p>' if text else ""


def own_path(wished: str) -> str:
    """The wished path if it lies on this site, else the first screen."""
    parts = urlsplit(wished)
    is_path = wished.startswith("/") and not wished.startswith(("//", "/\\"))
    is_own = is_path and not parts.scheme and not parts.netloc and wished.isprintable()
    return wished if is_own and "\\" not in wished else "/"
