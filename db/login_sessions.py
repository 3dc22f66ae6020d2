"""Signed-in browsers: each a row that ends by time, by signing out, or when it is revoked."""

from datetime import datetime, timedelta
from typing import NamedTuple

from sqlalchemy import ColumnElement, and_, delete, select, update
from sqlalchemy.orm import Session

from db.tables import Account, LoginSession, Person, Role

LIFE = timedelta(days=14)
# Between two writes of when somebody was seen: a click must not cost a write.
SEEN_STEP = timedelta(minutes=1)


class User(NamedTuple):
    """Who is signed in, and what they may do."""

    person_id: int
    name: str
    role: Role


def open_session(
    session: Session, token_hash: str, person_id: int, agent: str, now: datetime
) -> None:
    """Let a browser in."""
    session.execute(delete(LoginSession).where(LoginSession.expires_at < now))
    session.add(
        LoginSession(
            token_hash=token_hash,
            person_id=person_id,
            agent=agent[:200],
            created_at=now,
            seen_at=now,
            expires_at=now + LIFE,
        )
    )


def find_user(session: Session, token_hash: str, now: datetime) -> tuple[User, datetime] | None:
    """Who holds this token and when they were seen last; None when it opens nothing now."""
    row = session.execute(
        select(Account.person_id, Person.name, Account.role, LoginSession.seen_at)
        .join(Account, Account.person_id == LoginSession.person_id)
        .join(Person, Person.id == Account.person_id)
        .where(LoginSession.token_hash == token_hash, _is_open(now), Account.is_disabled.is_(False))
    ).first()
    return None if row is None else (User(row[0], row[1], Role(row[2])), row[3])


def mark_seen(session: Session, token_hash: str, now: datetime) -> None:
    """Remember that somebody is here; their session lives on from now."""
    session.execute(
        update(LoginSession)
        .where(LoginSession.token_hash == token_hash)
        .values(seen_at=now, expires_at=now + LIFE)
    )


def revoke(session: Session, token_hash: str, now: datetime) -> None:
    """Sign a browser out."""
    ended = update(LoginSession).where(LoginSession.token_hash == token_hash, _is_open(now))
    session.execute(ended.values(revoked_at=now))


def revoke_all(session: Session, person_id: int, now: datetime) -> int:
    """Sign a person out everywhere; returns of how many browsers."""
    ended = (
        update(LoginSession)
        .where(LoginSession.person_id == person_id, _is_open(now))
        .values(revoked_at=now)
        .returning(LoginSession.id)
    )
    return len(session.execute(ended).all())


def _is_open(now: datetime) -> ColumnElement[bool]:
    return and_(LoginSession.expires_at > now, LoginSession.revoked_at.is_(None))
