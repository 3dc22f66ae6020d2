"""Who is in the team: accounts made, invited, changed and disabled, each deed in the record."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from sqlalchemy import Engine
from sqlalchemy.orm import Session

from db import accounts as store
from db import audit, invitations, login_sessions
from db.accounts import AccountRow as AccountRow
from db.accounts import Identity as Identity
from db.accounts import NewAccount
from db.engine import reading, transaction
from db.invitations import InvitationRow as InvitationRow
from db.invitations import NewInvitation
from db.tables import Role as Role
from workflow.errors import RatchetError
from workflow.passwords import hash_password, hash_token, make_token

INVITATION_LIFE = timedelta(days=7)
BY_COMMAND = "command line"
UNUSABLE = (
    "This invitation was used, revoked or is too old; one that is open was expected. Ask for a new"
    " one."
)


class Team(NamedTuple):
    """Who is in, and who was asked in."""

    accounts: list[AccountRow]
    invitations: list[InvitationRow]


def read_team(engine: Engine, now: datetime) -> Team:
    """All accounts, and the invitations that can still be used."""
    with reading(engine) as session:
        return Team(store.list_accounts(session), invitations.list_open(session, now))


def add(engine: Engine, name: str, role: Role, password: str, by: str, now: datetime) -> AccountRow:
    """Make an account with a password; labels that somebody of this name gave become theirs.

    Raises:
        StoreError: the name is no good or taken.
        RatchetError: the password is too short.
    """
    hashed = hash_password(password)
    with transaction(engine) as session:
        _first_is_admin(session, role)
        account = store.add_account(session, NewAccount(name, role, hashed), now)
        _tell(session, by, "add account", {"name": account.name, "role": role}, now)
        return account


def invite(engine: Engine, name: str | None, role: Role, by: str, now: datetime) -> str:
    """Ask somebody in; returns the word at the end of their link, which is kept nowhere.

    Args:
        engine: the database.
        name: whom it is meant for; None: who has the link chooses a new name.
        role: what they may do.
        by: who asks.
        now: this moment.

    Raises:
        StoreError: the name is no good or has an account.
    """
    token = make_token()
    with transaction(engine) as session:
        _first_is_admin(session, role)
        clean = None if name is None else store.checked_name(name)
        if clean is not None and store.find_by_login(session, clean) is not None:
            raise RatchetError(f"{clean!r} has an account already. Choose another name.")
        new = NewInvitation(hash_token(token), role, clean, by, now + INVITATION_LIFE)
        invitations.add_invitation(session, new, now)
        _tell(session, by, "invite", {"name": clean, "role": role}, now)
    return token


def find_invitation(engine: Engine, token: str, now: datetime) -> InvitationRow | None:
    """The invitation behind a link while it can be used, or None."""
    with reading(engine) as session:
        return invitations.find_invitation(session, hash_token(token), now)


def accept(engine: Engine, token: str, name: str, password: str, now: datetime) -> AccountRow:
    """Make the account of an invitation with a password of its person's choice.

    Raises:
        RatchetError: the link or the password is no good, or the name is somebody else's.
    """
    if find_invitation(engine, token, now) is None:
        raise RatchetError(UNUSABLE)
    password_hash = hash_password(password)
    with transaction(engine) as session:
        invitation = invitations.use(session, hash_token(token), now)
        if invitation is None:
            raise RatchetError(UNUSABLE)
        if invitation.name is None:
            _require_new_name(session, name)
        new = NewAccount(invitation.name or name, invitation.role, password_hash)
        account = store.add_account(session, new, now)
        invitations.mark_user(session, invitation.id, account.person_id)
        detail = {"role": invitation.role, "invited_by": invitation.created_by}
        _tell(session, account.name, "accept invitation", detail, now)
        return account


def add_identity(
    engine: Engine, name: str, role: Role, identity: Identity, now: datetime
) -> AccountRow:
    """Make an account for an identity whose provider vouches for it.

    Raises:
        RatchetError: the name is somebody else's.
    """
    with transaction(engine) as session:
        _require_new_name(session, name)
        account = store.add_account(session, NewAccount(name, role, None, identity), now)
        _tell(session, account.name, "join by identity provider", {"role": role}, now)
        return account


def find_by_identity(engine: Engine, identity: Identity) -> AccountRow | None:
    """The account of an identity, or None."""
    with reading(engine) as session:
        return store.find_by_identity(session, identity)


def set_role(engine: Engine, name: str, role: Role, by: str, now: datetime) -> None:
    """Change what somebody may do; their sessions end, so that it counts at once.

    Raises:
        StoreError: there is no such account, or no other admin.
    """
    with _changing(engine, name) as (session, account):
        store.set_role(session, account, role)
        login_sessions.revoke_all(session, account.person_id, now)
        detail = {"name": account.name, "role": role, "was": account.role}
        _tell(session, by, "change role", detail, now)


def set_password(engine: Engine, name: str, password: str, by: str, now: datetime) -> None:
    """Give an account a new password and sign it out everywhere.

    Raises:
        StoreError: there is no such account.
        RatchetError: the password is too short.
    """
    hashed = hash_password(password)
    with _changing(engine, name) as (session, account):
        store.set_password_hash(session, account.person_id, hashed)
        login_sessions.revoke_all(session, account.person_id, now)
        _tell(session, by, "change password", {"name": account.name}, now)


def disable(engine: Engine, name: str, by: str, now: datetime) -> None:
    """Let somebody in no more and end their sessions; what they did stays.

    Raises:
        StoreError: there is no such account, or no other admin.
    """
    with _changing(engine, name) as (session, account):
        store.set_disabled(session, account, True)
        login_sessions.revoke_all(session, account.person_id, now)
        _tell(session, by, "disable account", {"name": account.name}, now)


def enable(engine: Engine, name: str, by: str, now: datetime) -> None:
    """Let somebody in again.

    Raises:
        StoreError: there is no such account.
    """
    with _changing(engine, name) as (session, account):
        store.set_disabled(session, account, False)
        _tell(session, by, "enable account", {"name": account.name}, now)


def sign_out_everywhere(engine: Engine, name: str, by: str, now: datetime) -> int:
    """End all sessions of somebody; returns how many there were.

    Raises:
        StoreError: there is no such account.
    """
    with _changing(engine, name) as (session, account):
        ended = login_sessions.revoke_all(session, account.person_id, now)
        _tell(session, by, "sign out everywhere", {"name": account.name, "sessions": ended}, now)
        return ended


def revoke_invitation(engine: Engine, invitation_id: int, by: str, now: datetime) -> None:
    """Make an invitation's link useless."""
    with transaction(engine) as session:
        if invitations.revoke(session, invitation_id, now):
            _tell(session, by, "revoke invitation", {"invitation": invitation_id}, now)


def _require_new_name(session: Session, name: str) -> None:
    """Who chooses a name freely must not become somebody whose labels are here."""
    clean = store.checked_name(name)
    if store.is_known_person(session, clean):
        raise RatchetError(f"The name {clean!r} is taken here. Choose another one.")


def _first_is_admin(session: Session, role: Role) -> None:
    """From the first account on everybody signs in, so it must be able to let others in."""
    if role != Role.ADMIN and not store.has_accounts(session):
        raise RatchetError(
            f"The first account would be {role}; an admin was expected, who can let others in. Add"
            " one with `ratchet user add NAME --role admin`."
        )


@contextmanager
def _changing(engine: Engine, name: str) -> Iterator[tuple[Session, AccountRow]]:
    with transaction(engine) as session:
        yield session, store.get_account(session, name)


def _tell(session: Session, by: str, action: str, detail: dict[str, Any], now: datetime) -> None:
    audit.write(session, audit.Deed(by, action, detail), now)
