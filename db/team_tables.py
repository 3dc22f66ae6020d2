"""Tables of who may come in: accounts, invitations, sessions, and failed sign-ins.

Tokens are kept as hashes only: who reads the database cannot sign in with it. No queries here.
"""

from datetime import datetime

from sqlalchemy import ForeignKey, Index, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from db.schema import Base, RowId


class Account(Base):
    """A person who can sign in, by password or by an identity provider."""

    __tablename__ = "account"
    # An identity of a provider is one account.
    __table_args__ = (UniqueConstraint("oidc_issuer", "oidc_subject"),)

    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"), primary_key=True)
    # What is typed at sign-in, in lower case.
    login: Mapped[str] = mapped_column(unique=True)
    role: Mapped[str]
    password_hash: Mapped[str | None]
    oidc_issuer: Mapped[str | None]
    oidc_subject: Mapped[str | None]
    is_disabled: Mapped[bool] = mapped_column(default=False)
    created_at: Mapped[datetime]


class Invitation(Base):
    """A link that makes one account, once, before it expires."""

    __tablename__ = "invitation"

    id: Mapped[int] = mapped_column(RowId, primary_key=True)
    token_hash: Mapped[str] = mapped_column(unique=True)
    role: Mapped[str]
    # The login it is meant for; None: whoever has the link chooses.
    login: Mapped[str | None]
    created_by: Mapped[str]
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime]
    used_at: Mapped[datetime | None]
    used_by_id: Mapped[int | None] = mapped_column(ForeignKey("person.id"))
    revoked_at: Mapped[datetime | None]


class LoginSession(Base):
    """A signed-in browser; it ends by time, by signing out, or when it is revoked."""

    __tablename__ = "login_session"
    __table_args__ = (Index("ix_login_session_person_id", "person_id"),)

    id: Mapped[int] = mapped_column(RowId, primary_key=True)
    token_hash: Mapped[str] = mapped_column(unique=True)
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"))
    agent: Mapped[str]
    created_at: Mapped[datetime]
    seen_at: Mapped[datetime]
    expires_at: Mapped[datetime]
    revoked_at: Mapped[datetime | None]


class SignInFailure(Base):
    """A wrong password; too many of them close the door for a while."""

    __tablename__ = "sign_in_failure"
    __table_args__ = (Index("ix_sign_in_failure_subject", "subject", "created_at"),)

    id: Mapped[int] = mapped_column(RowId, primary_key=True)
    # A login or the address of a browser, as a hash.
    subject: Mapped[str]
    created_at: Mapped[datetime]
