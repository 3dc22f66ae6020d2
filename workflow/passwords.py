"""Passwords and tokens: Argon2id for what people choose, SHA-256 for what chance chose.

A password costs about 64 MiB and a tenth of a second to look at, so few are looked at at once.
"""

import hashlib
import secrets
from functools import cache
from threading import BoundedSemaphore

from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError

from workflow.errors import RatchetError

MIN_LENGTH = 10
MAX_LENGTH = 1000
_AT_ONCE = BoundedSemaphore(2)
_HASHER = PasswordHasher()


def hash_password(password: str) -> str:
    """The password as it is stored.

    Raises:
        RatchetError: it is too short or too long.
    """
    if not MIN_LENGTH <= len(password) <= MAX_LENGTH:
        raise RatchetError(
            f"The password has {len(password)} characters; {MIN_LENGTH} to {MAX_LENGTH} are"
            " accepted. Choose another one; several words make a good one."
        )
    with _AT_ONCE:
        return _HASHER.hash(password)


def is_password(stored: str | None, password: str) -> bool:
    """Whether this is the password; without a stored one it takes as long and is False."""
    if len(password) > MAX_LENGTH:
        return False
    with _AT_ONCE:
        try:
            return _HASHER.verify(stored or _nobody(), password) and stored is not None
        except (Argon2Error, InvalidHashError):
            return False


def is_outdated(stored: str) -> bool:
    """Whether it was hashed with weaker settings than today's."""
    return _HASHER.check_needs_rehash(stored)


def make_token() -> str:
    """A word that nobody guesses, for links and cookies."""
    return secrets.token_urlsafe(32)


def hash_token(token: str) -> str:
    """What is stored of a token: who reads the database cannot use it."""
    return hashlib.sha256(token.encode()).hexdigest()


@cache
def _nobody() -> str:
    """Looked at for names that do not exist, so that they take as long as those that do."""
    return _HASHER.hash(secrets.token_urlsafe())
