"""The keys of the Label screen; a clash or a key the browser needs is refused at start.

Streamlit gives a button one shortcut; a second key for the same deed, its twin, is turned into the
first by keys.js. `c` and `r` are Streamlit's own, Backspace and Ctrl+Z would fire while somebody
types.
"""

from enum import StrEnum
from typing import NamedTuple

from workflow.errors import RatchetError

# While one of these is on its way, the next one is not heard: it was meant for another question.
ANSWER_KEYS = ("1", "2", "3", "4", "5", "u")
FORBIDDEN = frozenset({"c", "r", "backspace", "ctrl+z", "meta+z"})


class Deed(StrEnum):
    """What a key does."""

    YES = "yes"
    NO = "no"
    CANT_TELL = "cant_tell"
    UNDO = "undo"
    SKIP = "skip"
    FLAG = "flag"
    NOTE = "note"
    LAST = "last"
    HELP = "help"
    SAVE = "save"
    CANCEL = "cancel"


class Keys(NamedTuple):
    """The key shown on the button, and its twin."""

    main: str
    twin: str | None
    meaning: str


KEYS = {
    Deed.YES: Keys("1", "y", "Yes"),
    Deed.NO: Keys("2", "n", "No"),
    Deed.CANT_TELL: Keys("3", "t", "Can't tell"),
    Deed.UNDO: Keys("u", None, "Take your last answer back"),
    Deed.SKIP: Keys("s", None, "Skip this question, with a reason"),
    Deed.FLAG: Keys("f", None, "Flag this item for the lead"),
    Deed.NOTE: Keys("m", None, "Answer with a note"),
    Deed.LAST: Keys("l", None, "Your last answers, to change one"),
    Deed.HELP: Keys("h", None, "Show or hide these keys"),
    Deed.SAVE: Keys("Ctrl+Enter", None, "Save the note or flag you are typing"),
    Deed.CANCEL: Keys("Esc", None, "Close the panel, back to the answers"),
}


def check_keys(keys: dict[Deed, Keys]) -> None:
    """Refuse keys that clash with each other or with the browser.

    Raises:
        RatchetError: two deeds share a key, or a key is not free for use.
    """
    seen: dict[str, Deed] = {}
    for deed, entry in keys.items():
        for key in filter(None, (entry.main.lower(), (entry.twin or "").lower())):
            if key in FORBIDDEN:
                raise RatchetError(
                    f"The key {key!r} of {deed} is taken by the browser or Streamlit. Choose"
                    " another key."
                )
            if key in seen:
                raise RatchetError(
                    f"The key {key!r} is given to both {seen[key]} and {deed}; one key does one"
                    " thing. Choose another key for one of them."
                )
            seen[key] = deed


check_keys(KEYS)
