"""How often somebody may try a password: a try is written down before it is looked at.

Each of many tries at once finds those that came before, so none gets through the count. A success
takes the tries of its login back. What is counted is a login or an address, as a hash.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta

from sqlalchemy import delete, func, select, text
from sqlalchemy.orm import Session

from db.tables import SignInFailure

WINDOW = timedelta(hours=1)
LONGEST_WAIT = timedelta(minutes=15)


def find_wait(session: Session, free: Mapping[str, int], now: datetime) -> timedelta:
    """How long to wait before the next try; zero while every subject has free ones.

    Args:
        session: of the caller.
        free: of each subject, the hash of a login or an address, the tries within an hour that
            cost no time; after them the wait doubles with each.
        now: the moment of the try.
    """
    rows = session.execute(
        select(SignInFailure.subject, func.count(), func.max(SignInFailure.created_at))
        .where(SignInFailure.subject.in_(free), SignInFailure.created_at > now - WINDOW)
        .group_by(SignInFailure.subject)
    )
    waits = [last + _wait_after(count - free[subject]) - now for subject, count, last in rows]
    return max(waits, default=timedelta(0))


def _wait_after(tries: int) -> timedelta:
    """The wait after so many tries beyond the free ones."""
    if tries < 0:
        return timedelta(0)
    return min(timedelta(seconds=2.0 ** min(tries, 20)), LONGEST_WAIT)


def add_try(session: Session, subjects: tuple[str, ...], now: datetime) -> None:
    """Count a try, and forget those that no longer matter."""
    session.execute(delete(SignInFailure).where(SignInFailure.created_at < now - WINDOW))
    session.add_all(SignInFailure(subject=subject, created_at=now) for subject in subjects)
    session.flush()


def forgive(session: Session, subjects: tuple[str, ...]) -> None:
    """Forget the tries of these subjects."""
    session.execute(delete(SignInFailure).where(SignInFailure.subject.in_(subjects)))


def one_at_a_time(session: Session) -> None:
    """Let one try at a time be counted until the transaction ends; SQLite does so anyway."""
    if session.get_bind().dialect.name == "postgresql":
        session.execute(text("SELECT pg_advisory_xact_lock(7270005)"))
