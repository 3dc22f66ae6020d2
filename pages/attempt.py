"""What a button of a lead does: one workflow call, then one line that says how it went."""

from collections.abc import Callable

from pages.session import leave_notice
from workflow.errors import EXPECTED


def attempt(deed: Callable[[], object], done: str = "") -> None:
    """Do it, and leave what it was refused for, else what was done, for the next run to show."""
    try:
        deed()
    except EXPECTED as error:
        leave_notice(str(error))
    else:
        if done:
            leave_notice(done)
