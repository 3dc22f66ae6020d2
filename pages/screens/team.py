"""Team: who may come in, who was asked in, and the record of what was done."""

import streamlit as st

from pages import frame
from pages.resources import engine, now, style_sheet
from pages.session import Action, current_visitor, require, take_notice
from pages.team.people import draw_invitations, draw_people
from pages.team.record import draw_record
from workflow import accounts
from workflow.accounts import Role

SOLO = (
    "One person works here, without an account, and only from this machine. To let others in, make"
    " the first account in a terminal; from then on everybody signs in:"
)
FIRST_ACCOUNT = "ratchet user add NAME --role admin"


def draw() -> None:
    """The screen."""
    person = require(Action.LEAD)
    st.html(style_sheet())
    st.title("Team", anchor=False)
    frame.show_alert(take_notice())
    visitor = current_visitor()
    if visitor.is_solo:
        st.caption(SOLO)
        st.code(FIRST_ACCOUNT, language=None)
        draw_record()
        return
    team = accounts.read_team(engine(), now())
    is_admin = visitor.may(Role.ADMIN)
    titles = ["People", *(["Invitations", "Record"] if is_admin else [])]
    tabs = st.tabs(titles)
    with tabs[0]:
        draw_people(team, person, is_admin)
    if is_admin:
        with tabs[1]:
            draw_invitations(team, person)
        with tabs[2]:
            draw_record()
