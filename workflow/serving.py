"""What must hold before the server starts, and its worker; imports little, to start quickly."""

import os
import subprocess
import sys
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

from db.engine import parse_url
from workflow import signing_in
from workflow.database import connect, database_url
from workflow.errors import RatchetError

PUBLIC_URL = "RATCHET_PUBLIC_URL"
_HOST = "RATCHET_LISTENING_HOST"
_WORKER = "RATCHET_WORKER_PROCESS"


def is_loopback(host: str) -> bool:
    """Whether an address names this machine only; a name that begins with 127. may be anybody's."""
    if host == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def require_safe(host: str) -> None:
    """Refuse to listen where others can come in, unless they must sign in.

    Raises:
        RatchetError: the host is not this machine alone and there are no accounts; or
            RATCHET_PUBLIC_URL is no address.
    """
    public_url()
    if is_loopback(host) or signing_in.needs_sign_in(connect(database_url())):
        os.environ[_HOST] = host
        return
    raise RatchetError(
        f"The host is {host!r}; without accounts only this machine may come in, by 127.0.0.1."
        " Leave --host out, or make the first account with `ratchet user add NAME --role admin`."
    )


def public_url() -> str | None:
    """The address under which people reach this server through a proxy, or None.

    Raises:
        RatchetError: what the environment says is no address.
    """
    url = os.environ.get(PUBLIC_URL, "").rstrip("/")
    if not url:
        return None
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.netloc or parts.path:
        raise RatchetError(
            f"{PUBLIC_URL} is {url!r}; an address without a path was expected, like"
            " https://ratchet.example.org."
        )
    return url


def is_secure() -> bool:
    """Whether people come by TLS, so that cookies may travel by nothing else."""
    return (public_url() or "").startswith("https://")


def listening_host() -> str:
    """Where this process listens."""
    return os.environ.get(_HOST, "127.0.0.1")


def server_flags(host: str, port: int) -> list[str]:
    """What the server is started with."""
    flags = ["--server.port", str(port), "--server.address", host]
    url = public_url()
    if url is None:
        return flags
    parts = urlsplit(url)
    default = 443 if parts.scheme == "https" else 80
    address = ["--browser.serverAddress", str(parts.hostname)]
    return [*flags, *address, "--browser.serverPort", str(parts.port or default)]


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
