"""A real Ratchet server on a free port with a database of its own, for tests and benchmarks."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

START_SECONDS = 60.0


class Server(NamedTuple):
    """A running server: its address, its database, its process."""

    address: str
    database_url: str
    process: "subprocess.Popen[bytes]"

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self.address.rsplit(":", 1)[1])

    def health(self) -> dict[str, Any]:
        """What /healthz says."""
        with urllib.request.urlopen(f"{self.address}/healthz", timeout=5) as answer:
            found: dict[str, Any] = json.load(answer)
        return found

    def kill(self) -> None:
        """Kill it as a power cut would."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


@contextmanager
def running_server(
    folder: Path, database_url: str | None = None, settings: Mapping[str, str] = {}
) -> Iterator[Server]:
    """A server that answers, stopped at the end."""
    server = start_server(folder, database_url, settings=settings)
    try:
        yield server
    finally:
        stop_server(server)


def start_server(
    folder: Path,
    database_url: str | None = None,
    port: int | None = None,
    settings: Mapping[str, str] = {},
) -> Server:
    """A server that answers; the folder holds its database, cache and log."""
    url = database_url or f"sqlite:///{folder / 'ratchet.db'}"
    port = port or free_port()
    environment = os.environ | {
        "DATABASE_URL": url,
        "RATCHET_ANNOTATOR": "tester",
        "RATCHET_UPLOAD_DIR": str(folder),
        "PYTHONPATH": os.environ.get("PYTHONPATH", ""),
        **settings,
    }
    command = [sys.executable, "-m", "cli", "serve", "--port", str(port)]
    with (folder / "server.log").open("ab") as log:
        process = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
    server = Server(f"http://127.0.0.1:{port}", url, process)
    _wait_until_it_answers(server, folder)
    return server


def stop_server(server: Server) -> None:
    """Stop it as Ctrl+C does, or harder if it does not listen."""
    if server.process.poll() is not None:
        return
    server.process.send_signal(signal.SIGINT)
    try:
        server.process.wait(10)
    except subprocess.TimeoutExpired:
        server.kill()


def free_port() -> int:
    """A port of this machine that nobody uses now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def _wait_until_it_answers(server: Server, folder: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if server.process.poll() is not None:
            break
        try:
            server.health()
        except OSError:
            time.sleep(0.05)
        else:
            return
    log = (folder / "server.log").read_text(errors="replace")
    raise RuntimeError(f"the server did not start:\n{log[-3000:]}")
