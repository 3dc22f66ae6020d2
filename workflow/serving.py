"""What must hold before the server starts; imports little, so that it starts quickly."""

from pathlib import Path

from db.engine import parse_url
from workflow.database import database_url
from workflow.errors import RatchetError

LOOPBACK_HOSTS = frozenset({"localhost", "::1", "[::1]", "0:0:0:0:0:0:0:1"})


def is_loopback(host: str) -> bool:
    """Whether an address names this machine only."""
    return host in LOOPBACK_HOSTS or host.startswith("127.")


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
