"""The table of keys: clashes and keys of the browser are refused when the server starts."""

import pytest

from pages.keys import FORBIDDEN, KEYS, Deed, Keys, check_keys
from workflow.errors import RatchetError


def test_the_keys_in_use_are_free_of_clashes() -> None:
    check_keys(KEYS)
    taken = [key for entry in KEYS.values() for key in (entry.main, entry.twin) if key]
    assert len(taken) == len({key.lower() for key in taken})
    assert not FORBIDDEN & {key.lower() for key in taken}


def test_every_deed_has_a_key() -> None:
    assert set(KEYS) == set(Deed)


@pytest.mark.parametrize("key", ["1", "y", "Y", "Ctrl+Enter"])
def test_a_key_given_twice_is_refused(key: str) -> None:
    with pytest.raises(RatchetError, match="one key does one thing"):
        check_keys({**KEYS, Deed.FLAG: Keys(key, None, "Flag")})


@pytest.mark.parametrize("key", ["r", "C", "Backspace", "Ctrl+Z", "Meta+Z"])
def test_a_key_of_the_browser_is_refused(key: str) -> None:
    with pytest.raises(RatchetError, match="taken by the browser"):
        check_keys({**KEYS, Deed.FLAG: Keys(key, None, "Flag")})
    with pytest.raises(RatchetError, match="taken by the browser"):
        check_keys({**KEYS, Deed.FLAG: Keys("g", key, "Flag")})
