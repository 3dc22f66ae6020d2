"""What runs beside the people of the load test: an import, an export, and the worker's fits."""

import asyncio
import os
import sys
import time
import urllib.request
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from sqlalchemy import text

from benchmarks.load_people import ITEMS_LATER, STUDY, write_items
from tests.running_server import Server
from workflow import database

ROWS = 10_000


class Side(NamedTuple):
    """What was done beside."""

    refreshes: int
    imported_rows: int
    import_seconds: float
    exported_rows: int
    export_seconds: float


async def run_beside(server: Server, folder: Path, cookie: str, seconds: float) -> Side:
    """Export after a quarter of the time, import after the half; count the posteriors."""
    refreshes = await asyncio.to_thread(_count_refreshes, server.database_url)
    await asyncio.sleep(seconds / 4)
    start = time.perf_counter()
    rows = await asyncio.to_thread(_export, server, cookie)
    exported = time.perf_counter() - start
    await asyncio.sleep(max(0.0, seconds / 4 - exported))
    path = write_items(folder / "more.csv", range(ITEMS_LATER, ITEMS_LATER + ROWS))
    start = time.perf_counter()
    await _import(server, path)
    imported = time.perf_counter() - start
    await asyncio.sleep(max(0.0, seconds / 2 - imported))
    refreshes = await asyncio.to_thread(_count_refreshes, server.database_url) - refreshes
    return Side(refreshes, ROWS, imported, rows, exported)


def memory_mb(process: int) -> float:
    """What a process holds in memory."""
    for line in Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return float("nan")


async def _import(server: Server, path: Path) -> None:
    """By the command line, in a process of its own, as a script of a team would."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "cli",
        "import",
        STUDY,
        str(path),
        env=os.environ | {"DATABASE_URL": server.database_url},
        stdout=asyncio.subprocess.DEVNULL,
    )
    if await process.wait():
        raise RuntimeError("the import failed")


def _export(server: Server, cookie: str) -> int:
    """All items as CSV from the server; returns how many lines came."""
    address = f"{server.address}/export/items?study={quote(STUDY)}&format=csv"
    request = urllib.request.Request(address, headers={"Cookie": cookie})
    with urllib.request.urlopen(request, timeout=300) as answer:
        return sum(1 for _ in answer) - 1


def _count_refreshes(url: str) -> int:
    engine = database.connect(url)
    with engine.connect() as connection:
        found = connection.scalar(text("SELECT count(*) FROM refresh")) or 0
    engine.dispose()
    return int(found)
