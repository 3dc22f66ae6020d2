"""What can go wrong in the store and is expected: one clear line each."""


class StoreError(Exception):
    """An expected error of the database or its files; its text is one line for a person."""


class FileError(StoreError):
    """A file, or a value in it, cannot be read as what it should be."""


class MappingError(StoreError):
    """The columns of a file, or a mapping of them, do not fit the names that are known."""
