"""What can go wrong in the store and is expected: one clear line each."""


class StoreError(Exception):
    """An expected error of the database or its files; its text is one line for a person."""
