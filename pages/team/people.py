"""Who may come in: roles, ended sessions, disabled accounts, invitations."""

import pandas as pd
import streamlit as st

from pages import frame
from pages.attempt import attempt
from pages.resources import engine, now
from pages.session import leave_notice
from workflow import accounts, serving
from workflow.accounts import AccountRow, InvitationRow, Role, Team
from workflow.errors import EXPECTED

ROLE_WORDS = {
    Role.ANNOTATOR: "Annotator: labels",
    Role.LEAD: "Lead: studies, plans, results",
    Role.ADMIN: "Admin: people too",
}
LINK = "team_link"


def draw_people(team: Team, person: str, is_admin: bool) -> None:
    """The accounts, and for an admin what can be done with the chosen one."""
    rows = [
        {
            "Name": account.name,
            "Role": account.role.capitalize(),
            "May come in": not account.is_disabled,
            "Signs in by": "password" if account.has_password else "identity provider",
            "Last here": _moment(account),
        }
        for account in team.accounts
    ]
    st.dataframe(pd.DataFrame(rows), hide_index=True, width="stretch", height="content")
    if is_admin:
        _change(team.accounts, person)


def draw_invitations(team: Team, person: str) -> None:
    """Make a link, and the links that can still be used."""
    left, middle, right = st.columns([1.4, 1.4, 1], vertical_alignment="bottom")
    name = left.text_input("For whom (blank: they choose a name)", key="invite-name", max_chars=80)
    role = middle.selectbox(
        "Role", list(ROLE_WORDS), format_func=ROLE_WORDS.__getitem__, key="invite-role"
    )
    right.button(
        "Make a link", type="primary", key="invite", on_click=_invite, args=(name, role, person)
    )
    link = st.session_state.get(LINK)
    if link:
        days = accounts.INVITATION_LIFE.days
        st.caption(f"Copy it now, it is shown once. It works once, for {days} days.")
        st.code(link, language=None)
    for invitation in team.invitations:
        _draw_invitation(invitation, person)


def _draw_invitation(invitation: InvitationRow, person: str) -> None:
    left, right = st.columns([4, 1], vertical_alignment="center")
    whom = frame.literal(invitation.name or "whoever has the link")
    until = f"{frame.day(invitation.expires_at)} {frame.clock(invitation.expires_at)}"
    left.markdown(
        f"{whom} as {invitation.role}, by {frame.literal(invitation.created_by)}, until {until}"
    )
    right.button(
        "Revoke",
        key=f"revoke-{invitation.id}",
        on_click=attempt,
        args=(
            lambda: accounts.revoke_invitation(engine(), invitation.id, person, now()),
            "The link works no more.",
        ),
    )


def _change(known: list[AccountRow], person: str) -> None:
    """What an admin can do with one account."""
    by_name = {account.name: account for account in known}
    who, role, button, rest = st.columns([1.2, 1.4, 0.8, 2], vertical_alignment="bottom")
    name = who.selectbox("Person", list(by_name), key="team-person")
    account = by_name[name]
    wished = role.selectbox(
        "Role",
        list(ROLE_WORDS),
        index=list(ROLE_WORDS).index(account.role),
        format_func=ROLE_WORDS.__getitem__,
        key=f"team-role-{name}-{account.role}",
    )
    button.button(
        "Change role",
        key="team-change",
        disabled=wished == account.role,
        on_click=attempt,
        args=(
            lambda: accounts.set_role(engine(), name, wished, person, now()),
            f"{name} is {wished} now.",
        ),
    )
    with rest.container(horizontal=True):
        st.button(
            "Sign out everywhere",
            key="team-out",
            on_click=attempt,
            args=(
                lambda: accounts.sign_out_everywhere(engine(), name, person, now()),
                f"All sessions of {name} are ended.",
            ),
        )
        deed = accounts.enable if account.is_disabled else accounts.disable
        st.button(
            "Let in again" if account.is_disabled else "Disable",
            key="team-disable",
            on_click=attempt,
            args=(
                lambda: deed(engine(), name, person, now()),
                f"{name} {'may come in again' if account.is_disabled else 'is let in no more'}.",
            ),
        )


def _invite(name: str, role: Role, person: str) -> None:
    try:
        token = accounts.invite(engine(), name.strip() or None, role, person, now())
    except EXPECTED as error:
        leave_notice(str(error))
        return
    address = serving.public_url() or f"http://{st.context.headers.get('host', '127.0.0.1:8501')}"
    st.session_state[LINK] = f"{address}/invite/{token}"


def _moment(account: AccountRow) -> str:
    if account.seen_at is None:
        return "never"
    return f"{frame.day(account.seen_at)} {frame.clock(account.seen_at)}"
