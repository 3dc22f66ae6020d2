"""What starts and stops with the server: the database, the sample study, the worker.

The worker is a process of its own, since a fit holds Python's lock and NumPyro is not safe in
threads. It watches its parent and ends with it, also after a kill; if it dies, it is started again.
"""

import asyncio
import gc
import logging
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import streamlit as st

from pages.resources import now
from workflow import database, sample, serving

STOP_SECONDS = 5
RESTART_SECONDS = 3
WATCH_SECONDS = 0.5

log = logging.getLogger("ratchet")


@asynccontextmanager
async def lifespan(_app: st.App) -> AsyncIterator[dict[str, Any]]:
    """Prepare the database and keep a worker while the server runs."""
    serving.require_safe(str(st.get_option("server.address") or ""))
    worker = asyncio.create_task(_keep_worker(serving.take_worker()))
    sample.open_when_new(database.database_url(), now())
    # What was imported stays: later collections need not walk over it.
    gc.collect()
    gc.freeze()
    try:
        yield {}
    finally:
        worker.cancel()
        with suppress(asyncio.CancelledError):
            await worker


async def _keep_worker(worker: int) -> None:
    """Watch the worker until the server stops; start another where it ended."""
    try:
        while True:
            await asyncio.sleep(WATCH_SECONDS)
            if serving.has_ended(worker):
                log.error("The worker ended; it is started again.")
                await asyncio.sleep(RESTART_SECONDS)
                worker = serving.start_worker()
    finally:
        await _stop(worker)


async def _stop(worker: int) -> None:
    """Ask it to end, then make it."""
    with suppress(ProcessLookupError):
        os.kill(worker, signal.SIGTERM)
        for _ in range(10 * STOP_SECONDS):
            if serving.has_ended(worker):
                return
            await asyncio.sleep(0.1)
        os.kill(worker, signal.SIGKILL)
