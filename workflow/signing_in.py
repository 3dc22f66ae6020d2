"""Coming in and going: a password is looked at, a session opened, found, and ended.

A try is counted before the password is looked at, in a transaction of its own, so that of ten
thousand tries at once no more get through than of ten thousand one after the other.
"""

import math
from datetime import datetime, timedelta
from typing import NamedTuple

from sqlalchemy import Engine
from sqlalchemy.orm import Session

from db import accounts, audit, login_sessions, sign_in_tries
from db.accounts import AccountRow
from db.engine import reading, transaction
from db.login_sessions import User as User
from db.tables import Role as Role
from workflow import oidc
from workflow.errors import RatchetError
from workflow.passwords import hash_password, hash_token, is_outdated, is_password, make_token

FREE_TRIES_LOGIN = 5
FREE_TRIES_ADDRESS = 30
TOO_MANY = "There were too many wrong tries."
WRONG = "This name and password do not belong together. Check both and try again."


class Browser(NamedTuple):
    """Where a try comes from."""

    address: str
    agent: str


def sign_in(engine: Engine, name: str, password: str, browser: Browser, now: datetime) -> str:
    """Let somebody in by password; returns the token of their session.

    Raises:
        RatchetError: the two do not belong together, the account is disabled, or there were too
            many tries; only the last of these is told apart.
    """
    subjects = _subjects(name, browser)
    _count_try(engine, subjects, now)
    with reading(engine) as session:
        account = accounts.find_by_login(session, name)
        stored = account and accounts.find_password_hash(session, account.person_id)
    if not is_password(stored, password) or account is None or stored is None:
        raise RatchetError(WRONG)
    renewed = hash_password(password) if is_outdated(stored) else None
    with transaction(engine) as session:
        sign_in_tries.forgive(session, subjects)
        if renewed is not None:
            accounts.set_password_hash(session, account.person_id, renewed)
        return _let_in(session, account, browser, now)


def open_for(engine: Engine, account: AccountRow, browser: Browser, now: datetime) -> str:
    """Let somebody in whom another has vouched for: an identity provider, or an invitation."""
    with transaction(engine) as session:
        return _let_in(session, account, browser, now)


def find_user(engine: Engine, token: str | None, now: datetime) -> User | None:
    """Who is signed in with this token, or None."""
    if not token:
        return None
    token_hash = hash_token(token)
    with reading(engine) as session:
        found = login_sessions.find_user(session, token_hash, now)
    if found is None:
        return None
    user, seen_at = found
    if now - seen_at > login_sessions.SEEN_STEP:
        with transaction(engine) as session:
            login_sessions.mark_seen(session, token_hash, now)
    return user


def sign_out(engine: Engine, token: str, now: datetime) -> None:
    """End a session."""
    with transaction(engine) as session:
        login_sessions.revoke(session, hash_token(token), now)


def needs_sign_in(engine: Engine) -> bool:
    """Whether there are accounts or a provider; else the one person at this machine needs none."""
    if oidc.is_configured():
        return True
    with reading(engine) as session:
        return accounts.has_accounts(session)


def _let_in(session: Session, account: AccountRow, browser: Browser, now: datetime) -> str:
    """Open a session; returns its token, which is kept nowhere."""
    token = make_token()
    token_hash = hash_token(token)
    login_sessions.open_session(session, token_hash, account.person_id, browser.agent, now)
    audit.write(session, audit.Deed(account.name, "sign in", {}), now)
    return token


def _subjects(name: str, browser: Browser) -> tuple[str, str]:
    login = accounts.to_login(name)[:200]
    return hash_token(f"login:{login}"), hash_token(f"address:{browser.address}")


def _count_try(engine: Engine, subjects: tuple[str, str], now: datetime) -> None:
    # Most of many tries end here, before they make any writer wait.
    with reading(engine) as session:
        _require_no_wait(session, subjects, now)
    with transaction(engine) as session:
        sign_in_tries.one_at_a_time(session)
        _require_no_wait(session, subjects, now)
        sign_in_tries.add_try(session, subjects, now)


def _require_no_wait(session: Session, subjects: tuple[str, str], now: datetime) -> None:
    free = dict(zip(subjects, (FREE_TRIES_LOGIN, FREE_TRIES_ADDRESS), strict=True))
    wait = sign_in_tries.find_wait(session, free, now)
    if wait > timedelta(0):
        raise RatchetError(
            f"{TOO_MANY} Wait {math.ceil(wait.total_seconds())} seconds, then try again."
        )
