"""Plain routes beside the screens: health, and downloads that stream."""

from collections.abc import Iterator
from urllib.parse import quote

import streamlit as st
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import (
    JSONResponse,
    PlainTextResponse,
    RedirectResponse,
    Response,
    StreamingResponse,
)
from starlette.routing import Route

from pages.http.chart_data import CHART_ROUTES
from pages.http.oidc import oidc_routes
from pages.http.sign_in import SIGN_IN_ROUTES
from pages.http.visitor import visitor_of
from pages.resources import engine, now
from workflow import auditing, exporting, health
from workflow.auditing import Search
from workflow.errors import EXPECTED, RatchetError
from workflow.exporting import FileFormat, Filter, Kind, Labelled, Wish
from workflow.signing_in import Role

# What the screens rely on; a server started with other settings says so here.
SETTINGS = (
    "runner.postScriptGC",
    "runner.fastReruns",
    "runner.magicEnabled",
    "server.fileWatcherType",
    "server.disconnectedSessionTTL",
    "client.toolbarMode",
    "client.showErrorDetails",
    "client.disableDataExport",
)


def export_address(wish: Wish) -> str:
    """The address of a download on this server."""
    parameters = {
        "study": wish.study,
        "format": wish.file_format,
        "safe": int(wish.is_spreadsheet_safe),
        "every": int(wish.every),
        "system": wish.chosen.system or "",
        "labelled": wish.chosen.labelled,
    }
    query = "&".join(f"{name}={quote(str(value), safe='')}" for name, value in parameters.items())
    return f"/export/{wish.kind}?{query}"


async def report_health(request: Request) -> Response:
    """Whether the database answers, what the worker does, which settings are in force.

    Who is not signed in hears only that the server is there.
    """
    if not visitor_of(request).may(Role.ANNOTATOR):
        return JSONResponse({"status": "ok"})
    found = await run_in_threadpool(health.read_health, engine(), now())
    settings = {name: st.get_option(name) for name in SETTINGS}
    return JSONResponse({**found._asdict(), "settings": settings})


async def download(request: Request) -> Response:
    """A label or item file as a stream."""
    try:
        wish = _wish(request)
        media_type = exporting.MEDIA_TYPES[wish.file_format]
        stream = exporting.stream(engine(), wish)
        return await _streamed(stream, exporting.file_name(wish), media_type)
    except EXPECTED as error:
        return PlainTextResponse(str(error), status_code=400)


async def download_record(request: Request) -> Response:
    """The record of deeds as a stream."""
    query = request.query_params
    search = Search(**{name: query.get(name, "") for name in Search._fields})
    media_type = exporting.MEDIA_TYPES[FileFormat.CSV]
    return await _streamed(auditing.stream(engine(), search), "record.csv", media_type)


async def open_label(request: Request) -> Response:
    """Label is the first screen and lives at /; its other address leads there."""
    query = f"?{request.url.query}" if request.url.query else ""
    return RedirectResponse(f"/{query}", status_code=307)


ROUTES = [
    Route("/label", open_label),
    Route("/healthz", report_health),
    Route("/export/{kind}", download),
    Route("/audit.csv", download_record),
    *CHART_ROUTES,
    *SIGN_IN_ROUTES,
    *oidc_routes(),
]


async def _streamed(stream: Iterator[bytes], name: str, media_type: str) -> Response:
    """A file as it comes; what is wrong with it shows before the first byte is sent."""
    first = await run_in_threadpool(next, stream, b"")
    return StreamingResponse(
        _joined(first, stream),
        media_type=media_type,
        headers={"Content-Disposition": f"attachment; filename*=UTF-8''{quote(name)}"},
    )


def _joined(first: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    yield first
    yield from rest


def _wish(request: Request) -> Wish:
    query = request.query_params
    try:
        return Wish(
            study=query.get("study", ""),
            kind=Kind(request.path_params["kind"]),
            file_format=FileFormat(query.get("format", "csv")),
            is_spreadsheet_safe=query.get("safe") == "1",
            every=query.get("every") == "1",
            chosen=Filter(query.get("system") or None, Labelled(query.get("labelled", "all"))),
        )
    except ValueError as error:
        raise RatchetError(
            f"The address asks for something unknown: {error}. Use the buttons of the Data screen."
        ) from error
