"""Invitation links: each makes one account, once, before it expires or is revoked."""

from datetime import datetime
from typing import NamedTuple

from sqlalchemy import ColumnElement, and_, select, update
from sqlalchemy.orm import Session

from db.tables import Invitation, Role


class InvitationRow(NamedTuple):
    """An invitation; `name` is whom it is meant for, None: whoever has the link chooses."""

    id: int
    role: Role
    name: str | None
    created_by: str
    created_at: datetime
    expires_at: datetime


class NewInvitation(NamedTuple):
    """An invitation about to be made."""

    token_hash: str
    role: Role
    name: str | None
    created_by: str
    expires_at: datetime


def add_invitation(session: Session, new: NewInvitation, now: datetime) -> None:
    """Write a new invitation."""
    session.add(
        Invitation(
            token_hash=new.token_hash,
            role=new.role,
            login=new.name,
            created_by=new.created_by,
            created_at=now,
            expires_at=new.expires_at,
        )
    )


def find_invitation(session: Session, token_hash: str, now: datetime) -> InvitationRow | None:
    """The invitation of this link while it can be used."""
    row = session.scalar(
        select(Invitation).where(Invitation.token_hash == token_hash, _is_open(now))
    )
    return None if row is None else _public(row)


def use(session: Session, token_hash: str, now: datetime) -> InvitationRow | None:
    """Take an invitation; of two who try at once one gets it and the other None."""
    row = session.scalar(
        update(Invitation)
        .where(Invitation.token_hash == token_hash, _is_open(now))
        .values(used_at=now)
        .returning(Invitation)
    )
    return None if row is None else _public(row)


def mark_user(session: Session, invitation_id: int, person_id: int) -> None:
    """Remember who used an invitation."""
    row = update(Invitation).where(Invitation.id == invitation_id)
    session.execute(row.values(used_by_id=person_id))


def revoke(session: Session, invitation_id: int, now: datetime) -> bool:
    """Make a link useless; whether it could be used until now."""
    row = (
        update(Invitation)
        .where(Invitation.id == invitation_id, _is_open(now))
        .values(revoked_at=now)
        .returning(Invitation.id)
    )
    return session.scalar(row) is not None


def list_open(session: Session, now: datetime) -> list[InvitationRow]:
    """The invitations that can be used, newest first."""
    rows = session.scalars(select(Invitation).where(_is_open(now)).order_by(Invitation.id.desc()))
    return [_public(row) for row in rows]


def _is_open(now: datetime) -> ColumnElement[bool]:
    return and_(
        Invitation.expires_at > now,
        Invitation.used_at.is_(None),
        Invitation.revoked_at.is_(None),
    )


def _public(row: Invitation) -> InvitationRow:
    return InvitationRow(
        row.id, Role(row.role), row.login, row.created_by, row.created_at, row.expires_at
    )
