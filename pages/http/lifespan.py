"""What starts and stops with the server: the database, the sample study, the worker.

The worker is a process of its own, since a fit holds Python's lock and NumPyro is not safe in
threads. It watches its parent and ends with it, also after a kill; if it dies, it is started again.
"""

import asyncio
import gc
import logging
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import streamlit as st

from pages.resources import now
from workflow import database, sample, serving

STOP_SECONDS = 5
RESTART_SECONDS = 3

log = logging.getLogger("ratchet")


@asynccontextmanager
async def lifespan(_app: st.App) -> AsyncIterator[dict[str, Any]]:
    """Prepare the database and keep a worker while the server runs."""
    serving.require_loopback(str(st.get_option("server.address") or ""))
    sample.open_when_new(database.database_url(), now())
    worker = asyncio.create_task(_keep_worker())
    # What was imported stays: later collections need not walk over it.
    gc.collect()
    gc.freeze()
    try:
        yield {}
    finally:
        worker.cancel()
        with suppress(asyncio.CancelledError):
            await worker


async def _keep_worker() -> None:
    """Run the worker until the server stops; it reads the same DATABASE_URL."""
    command = (sys.executable, "-m", "workflow.worker")
    while True:
        process = await asyncio.create_subprocess_exec(*command)
        try:
            code = await process.wait()
        except asyncio.CancelledError:
            await _stop(process)
            raise
        log.error("The worker ended with code %s; it is started again.", code)
        await asyncio.sleep(RESTART_SECONDS)


async def _stop(process: asyncio.subprocess.Process) -> None:
    process.terminate()
    try:
        await asyncio.wait_for(process.wait(), STOP_SECONDS)
    except TimeoutError:
        process.kill()
