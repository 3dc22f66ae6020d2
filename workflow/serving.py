"""What must hold before the server starts, and its worker; imports little, to start quickly."""

import os
import subprocess
import sys
from ipaddress import ip_address
from pathlib import Path

from db.engine import parse_url
from workflow.database import database_url
from workflow.errors import RatchetError

_WORKER = "RATCHET_WORKER_PROCESS"


def is_loopback(host: str) -> bool:
    """Whether an address names this machine only; a name that begins with 127. may be anybody's."""
    if host == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def require_loopback(host: str) -> None:
    """Refuse to listen where others can come in: there are no accounts.

    Raises:
        RatchetError: the host is not this machine alone.
    """
    if not is_loopback(host):
        raise RatchetError(
            f"The host is {host!r}; without accounts only this machine may come in, by 127.0.0.1."
            " Leave --host out."
        )


def absolute_url() -> str:
    """This process's database, named so that it is the same from any working directory."""
    parsed = parse_url(database_url())
    if parsed.get_backend_name() == "sqlite" and parsed.database:
        parsed = parsed.set(database=str(Path(parsed.database).absolute()))
    return parsed.render_as_string(hide_password=False)


def start_worker() -> int:
    """Start a worker as a child of this process; returns its process id."""
    return subprocess.Popen([sys.executable, "-m", "workflow.worker"]).pid


def start_worker_early() -> None:
    """Start the worker before the server is there; `take_worker` finds it after an exec."""
    os.environ[_WORKER] = str(start_worker())


def take_worker() -> int:
    """The worker that was started early, else a new one; returns its process id."""
    early = os.environ.pop(_WORKER, None)
    return int(early) if early else start_worker()


def has_ended(worker: int) -> bool:
    """Whether this child process is gone."""
    try:
        return os.waitpid(worker, os.WNOHANG)[0] == worker
    except ChildProcessError:
        return True
