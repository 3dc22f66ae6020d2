"""What a person may see go wrong: `except EXPECTED` catches what has one clear line to show."""

from db.errors import StoreError
from model.errors import ModelError


class RatchetError(Exception):
    """An expected error of a use case; its text is one line for a person."""


# The store and the model know nothing of each other, so each has its own root.
EXPECTED = (RatchetError, StoreError, ModelError)
