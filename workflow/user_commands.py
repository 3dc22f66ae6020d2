"""What `ratchet user` does, in the words of the command line."""

import sys
from datetime import datetime
from typing import Any, NamedTuple

from workflow import accounts, database
from workflow.accounts import BY_COMMAND, AccountRow, Role
from workflow.errors import RatchetError
from workflow.serving import public_url


class AddWish(NamedTuple):
    """Arguments of `user add`; without a password an invitation is made."""

    name: str
    role: Role
    password: str | None


def add(wish: AddWish, now: datetime) -> str:
    """Make an account, or the link by which its person makes it; returns what to say.

    Raises:
        StoreError: the name is no good or taken.
        RatchetError: the password is too short, or the first account is no admin.
    """
    engine = database.connect(database.database_url())
    if wish.password is not None:
        account = accounts.add(engine, wish.name, wish.role, wish.password, BY_COMMAND, now)
        return f"{account.name} can sign in as {account.role}."
    token = accounts.invite(engine, wish.name, wish.role, BY_COMMAND, now)
    address = public_url() or "http://127.0.0.1:8501"
    days = accounts.INVITATION_LIFE.days
    return (
        f"Send this link to {wish.name}; it works once, for {days} days:\n{address}/invite/{token}"
    )


def read_password() -> str:
    """The password on standard input, without the end of its line.

    Raises:
        RatchetError: there is none.
    """
    password = sys.stdin.readline().rstrip("\r\n")
    if not password:
        raise RatchetError("Standard input is empty; the password was expected on its first line.")
    return password


def list_users(now: datetime) -> list[dict[str, Any]]:
    """All accounts as rows of a document."""
    engine = database.connect_existing(database.database_url())
    return [_row(account) for account in accounts.read_team(engine, now).accounts]


def users_text(rows: list[dict[str, Any]]) -> str:
    """The same for people."""
    if not rows:
        return "There are no accounts: one person works here without signing in."
    return "\n".join(
        f"{row['name']:<24}{row['role']:<12}{'disabled' if row['disabled'] else 'enabled':<10}"
        f"seen {row['seen_at'] or 'never'}"
        for row in rows
    )


def disable(name: str, now: datetime) -> str:
    """Let somebody in no more.

    Raises:
        StoreError: there is no such account, or no other admin.
    """
    accounts.disable(_engine(), name, BY_COMMAND, now)
    return f"{name} cannot sign in any more; all sessions are ended."


def enable(name: str, now: datetime) -> str:
    """Let somebody in again.

    Raises:
        StoreError: there is no such account.
    """
    accounts.enable(_engine(), name, BY_COMMAND, now)
    return f"{name} can sign in again."


def set_role(name: str, role: Role, now: datetime) -> str:
    """Change what somebody may do.

    Raises:
        StoreError: there is no such account, or no other admin.
    """
    accounts.set_role(_engine(), name, Role(role), BY_COMMAND, now)
    return f"{name} is {role} now."


def set_password(name: str, password: str, now: datetime) -> str:
    """Give somebody a new password.

    Raises:
        StoreError: there is no such account.
        RatchetError: it is too short.
    """
    accounts.set_password(_engine(), name, password, BY_COMMAND, now)
    return f"{name} has a new password; all sessions are ended."


def _engine() -> Any:
    return database.connect_existing(database.database_url())


def _row(account: AccountRow) -> dict[str, Any]:
    return {
        "name": account.name,
        "role": account.role,
        "disabled": account.is_disabled,
        "signs_in_by": "password" if account.has_password else "identity provider",
        "created_at": account.created_at.isoformat(),
        "seen_at": account.seen_at.isoformat() if account.seen_at else None,
    }
