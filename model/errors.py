"""The errors that computing can expect, as told to the person who can mend them.

A message is one line: what was found, what was expected, what to do.
"""


class ModelError(Exception):
    """An input that the model refuses, or a result that it does not trust."""
