"""What starts and stops with the server: the database, the sample study, the worker.

The worker is a process of its own, since a fit holds Python's lock and NumPyro is not safe in
threads. It watches its parent and ends with it, also after a kill.
"""

import gc
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import streamlit as st

from pages.http.security import is_loopback
from pages.resources import now
from workflow import database, sample
from workflow.errors import RatchetError

STOP_SECONDS = 5


@asynccontextmanager
async def lifespan(_app: st.App) -> AsyncIterator[dict[str, Any]]:
    """Prepare the database and keep a worker while the server runs."""
    _require_loopback()
    url = database.database_url()
    sample.open_when_new(url, now())
    worker = subprocess.Popen([sys.executable, "-m", "workflow.worker", url])
    # What was imported stays: later collections need not walk over it.
    gc.collect()
    gc.freeze()
    try:
        yield {}
    finally:
        _stop(worker)


def _require_loopback() -> None:
    address = st.get_option("server.address") or ""
    if not is_loopback(str(address)):
        raise RatchetError(
            f"The server address is {address!r}; without accounts only a loopback address such as"
            " 127.0.0.1 is accepted. Remove --server.address."
        )


def _stop(worker: subprocess.Popen[bytes]) -> None:
    worker.terminate()
    try:
        worker.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        worker.kill()
