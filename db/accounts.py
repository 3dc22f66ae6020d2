"""Accounts: who can sign in and what they may do; a person who labels may have one."""

from datetime import datetime
from typing import NamedTuple

from sqlalchemy import ColumnElement, and_, func, select, update
from sqlalchemy.orm import Session

from db import names
from db.errors import StoreError
from db.people import ensure_person
from db.tables import Account, LoginSession, Person, Role

MAX_NAME = 80


class Identity(NamedTuple):
    """Who somebody is at an identity provider."""

    issuer: str
    subject: str


class NewAccount(NamedTuple):
    """An account about to be made, with a password or an identity."""

    name: str
    role: Role
    password_hash: str | None = None
    identity: Identity | None = None


class AccountRow(NamedTuple):
    """An account; `seen_at` is when its person was here last, None: never."""

    person_id: int
    name: str
    login: str
    role: Role
    is_disabled: bool
    has_password: bool
    created_at: datetime
    seen_at: datetime | None = None


def has_accounts(session: Session) -> bool:
    """Whether anybody has an account; if not, the one person here needs none."""
    return session.scalar(select(Account.person_id).limit(1)) is not None


def add_account(session: Session, new: NewAccount, now: datetime) -> AccountRow:
    """A new account; a person of that name who labelled before gets it.

    Raises:
        StoreError: the name is no good, or has an account already.
    """
    name = checked_name(new.name)
    if find_by_login(session, name) is not None:
        raise StoreError(f"There is an account {name!r} already. Choose another name.")
    row = Account(
        person_id=ensure_person(session, name, now),
        login=to_login(name),
        role=new.role,
        password_hash=new.password_hash,
        oidc_issuer=new.identity.issuer if new.identity else None,
        oidc_subject=new.identity.subject if new.identity else None,
        is_disabled=False,
        created_at=now,
    )
    session.add(row)
    session.flush()
    return _public(row, name)


def checked_name(name: str) -> str:
    """The name without needless spaces.

    Raises:
        StoreError: it is empty, too long, or holds what does not print.
    """
    return names.checked_name("The name", name, MAX_NAME)


def to_login(name: str) -> str:
    """A name as it is looked up: however it is written, it is the same account."""
    return names.tidy(name).lower()


def is_known_person(session: Session, name: str) -> bool:
    """Whether somebody of this name has labels here, in any writing of it."""
    found = select(Person.id).where(func.lower(Person.name) == name.lower())
    return session.scalar(found.limit(1)) is not None


def find_by_login(session: Session, name: str) -> AccountRow | None:
    """The account of this name, in any writing of it, or None."""
    return _find(session, Account.login == to_login(name))


def get_account(session: Session, name: str) -> AccountRow:
    """The account of this name.

    Raises:
        StoreError: there is none.
    """
    found = find_by_login(session, name)
    if found is None:
        raise StoreError(
            f"There is no account {name!r}. `ratchet user list` shows those there are."
        )
    return found


def find_by_identity(session: Session, identity: Identity) -> AccountRow | None:
    """The account of an identity of a provider, or None."""
    same = and_(Account.oidc_issuer == identity.issuer, Account.oidc_subject == identity.subject)
    return _find(session, same)


def find_password_hash(session: Session, person_id: int) -> str | None:
    """The hash of an account's password; None where it has none or is disabled."""
    found = select(Account.password_hash).where(
        Account.person_id == person_id, Account.is_disabled.is_(False)
    )
    return session.scalar(found)


def set_password_hash(session: Session, person_id: int, password_hash: str) -> None:
    """Replace the hash of a password."""
    row = update(Account).where(Account.person_id == person_id)
    session.execute(row.values(password_hash=password_hash))


def list_accounts(session: Session) -> list[AccountRow]:
    """All accounts by name, with when their people were here last."""
    seen = (
        select(LoginSession.person_id, func.max(LoginSession.seen_at).label("seen_at"))
        .group_by(LoginSession.person_id)
        .subquery()
    )
    rows = session.execute(
        select(Account, Person.name, seen.c.seen_at)
        .join(Person, Person.id == Account.person_id)
        .outerjoin(seen, seen.c.person_id == Account.person_id)
        .order_by(Account.login)
    )
    return [_public(*row) for row in rows]


def set_role(session: Session, account: AccountRow, role: Role) -> None:
    """Change what somebody may do.

    Raises:
        StoreError: nobody could lead the accounts any more.
    """
    if role != Role.ADMIN:
        _require_another_admin(session, account)
    row = update(Account).where(Account.person_id == account.person_id)
    session.execute(row.values(role=role))


def set_disabled(session: Session, account: AccountRow, is_disabled: bool) -> None:
    """Let somebody in no more, or again; what they did stays.

    Raises:
        StoreError: nobody could lead the accounts any more.
    """
    if is_disabled:
        _require_another_admin(session, account)
    row = update(Account).where(Account.person_id == account.person_id)
    session.execute(row.values(is_disabled=is_disabled))


def _find(session: Session, condition: ColumnElement[bool]) -> AccountRow | None:
    query = select(Account, Person.name).join(Person, Person.id == Account.person_id)
    found = session.execute(query.where(condition)).first()
    return None if found is None else _public(*found)


def _require_another_admin(session: Session, account: AccountRow) -> None:
    """Locked rows, so that two admins do not remove each other at once."""
    admins = session.scalars(
        select(Account.person_id)
        .where(Account.role == Role.ADMIN, Account.is_disabled.is_(False))
        .with_for_update()
    ).all()
    if list(admins) == [account.person_id]:
        raise StoreError(
            f"{account.name!r} is the only admin, and one is needed. Make another one first."
        )


def _public(row: Account, name: str, seen_at: datetime | None = None) -> AccountRow:
    return AccountRow(
        row.person_id,
        name,
        row.login,
        Role(row.role),
        row.is_disabled,
        row.password_hash is not None,
        row.created_at,
        seen_at,
    )
