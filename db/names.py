"""Names that people choose, of studies and of accounts: how they are written and checked."""

from db.errors import StoreError


def tidy(name: str) -> str:
    """The name without needless spaces."""
    return " ".join(name.split())


def checked_name(what: str, name: str, longest: int) -> str:
    """The tidy name.

    Args:
        what: begins the error: "The study name".
        name: as typed.
        longest: characters that it may have.

    Raises:
        StoreError: it is empty, too long, or holds what does not print.
    """
    clean = tidy(name)
    if not clean or len(clean) > longest or not clean.isprintable():
        raise StoreError(
            f"{what} {name[:40]!r} has {len(clean)} characters; 1 to {longest} printable ones are"
            " accepted. Choose another name."
        )
    return clean
