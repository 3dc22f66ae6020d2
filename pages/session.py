"""The one file that knows the keys of `st.session_state` and of the address line."""

import getpass
import os
from enum import StrEnum
from html import escape

import streamlit as st

from pages.http.visitor import COOKIE, Visitor, visitor_by
from workflow.labelling import Annotator, Desk
from workflow.signing_in import Role
from workflow.uploads import Upload

STUDY = "study"
_MODE = "label_mode"
_NOTICE = "label_notice"
_HELP = "label_help"
_IMPORT = "import_job"
_DESK = "label_desk"


class Mode(StrEnum):
    """What the right side of the Label screen shows."""

    ANSWER = "answer"
    SKIP = "skip"
    FLAG = "flag"
    NOTE = "note"
    LAST = "last"


class Action(StrEnum):
    """What a screen lets a person do."""

    LABEL = "label"
    LEAD = "lead"
    ADMIN = "admin"


ROLES = {Action.LABEL: Role.ANNOTATOR, Action.LEAD: Role.LEAD, Action.ADMIN: Role.ADMIN}


def require(action: Action) -> str:
    """The name of the person at this screen, who may do this; otherwise the run ends here.

    Solo mode allows all. A press on a screen that is open already is let through, or not, by the
    middleware, which asks at every message who is there.
    """
    visitor = current_visitor()
    if visitor.is_solo:
        return solo_name()
    if visitor.user is None:
        _stop("You are signed out", "What you saved is kept. Sign in again to go on.", "/sign-in")
    elif not visitor.may(ROLES[action]):
        _stop("Not for your role", f"This screen is for a {ROLES[action]}. Ask an admin.", "/")
    return visitor.user.name if visitor.user is not None else ""


def is_signed_in() -> bool:
    """Whether this browser came with a session, which may have ended since."""
    return isinstance(st.context.cookies.get(COOKIE), str)


def current_visitor() -> Visitor:
    """Who is at this screen, by the cookie that their browser came with."""
    cookie = st.context.cookies.get(COOKIE)
    # Without a browser, as in a test of a screen, there is something else in its place.
    return visitor_by(cookie if isinstance(cookie, str) else None)


def _stop(title: str, text: str, address: str) -> None:
    """Say why there is no screen, and lead on."""
    st.html(
        f'<div class="ratchet-empty"><div class="title">{escape(title)}</div><div>{escape(text)}'
        f'</div><p><a href="{address}" target="_self">Go on</a></p></div>'
    )
    st.stop()


def solo_name() -> str:
    """The name under which labels are kept when nobody signs in."""
    return os.environ.get("RATCHET_ANNOTATOR") or _login_name()


def chosen_study(names: list[str]) -> str | None:
    """The study in the address line if it exists, else the first one."""
    wished = st.query_params.get(STUDY) or st.session_state.get(STUDY)
    chosen = wished if wished in names else (names[0] if names else None)
    if chosen is not None:
        choose_study(chosen)
    return chosen


def missing_study(names: list[str]) -> str | None:
    """The study that the address line names, when there is none of that name."""
    wished = st.query_params.get(STUDY)
    return wished if wished is not None and wished not in names else None


def choose_study(name: str) -> None:
    """Make this the study of the session and of the address line."""
    st.session_state[STUDY] = name
    if st.query_params.get(STUDY) != name:
        st.query_params[STUDY] = name


def mode() -> Mode:
    """What the Label screen shows beside the item."""
    return Mode(st.session_state.get(_MODE, Mode.ANSWER))


def set_mode(value: Mode) -> None:
    """Change what the Label screen shows beside the item."""
    st.session_state[_MODE] = value


def is_help_open() -> bool:
    """Whether the sheet of keys is shown."""
    return bool(st.session_state.get(_HELP, False))


def toggle_help() -> None:
    """Show or hide the sheet of keys."""
    st.session_state[_HELP] = not is_help_open()


def leave_notice(text: str) -> None:
    """A line to show once, on the next run."""
    st.session_state[_NOTICE] = text


def take_notice() -> str | None:
    """The line left for this run."""
    notice: str | None = st.session_state.pop(_NOTICE, None)
    return notice


def last_desk(annotator: Annotator) -> Desk | None:
    """What this annotator had on screen, or None."""
    known: tuple[Annotator, Desk] | None = st.session_state.get(_DESK)
    return known[1] if known is not None and known[0] == annotator else None


def remember_desk(annotator: Annotator, desk: Desk) -> None:
    """Keep what is on screen for when the database does not answer."""
    st.session_state[_DESK] = (annotator, desk)


def import_job() -> tuple[int, Upload] | None:
    """The import this session waits for, with its id."""
    known: tuple[int, Upload] | None = st.session_state.get(_IMPORT)
    return known


def remember_import(job_id: int, upload: Upload) -> None:
    """Wait for this import."""
    st.session_state[_IMPORT] = (job_id, upload)


def forget_import() -> None:
    """Stop showing an import."""
    st.session_state.pop(_IMPORT, None)


def _login_name() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):  # a container user without an entry
        return "annotator"
