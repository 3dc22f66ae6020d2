"""Many people on a server without accounts: each browser names its person by a cookie.

Solo mode knows one person. Python imports this at start when its folder is in PYTHONPATH, and the
one function that names that person is replaced in the server under test; nothing else is.
"""

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType

SESSION = "pages.session"
COOKIE = "person"


class SessionFinder(MetaPathFinder):
    """Finds `pages.session` as usual, and changes it once it has run."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The usual spec with another last step."""
        spec = PathFinder.find_spec(fullname, path) if fullname == SESSION else None
        if spec is None or spec.loader is None:
            return None
        run = spec.loader.exec_module

        def run_and_replace(module: ModuleType) -> None:
            run(module)
            module.solo_name = _named_by_cookie  # type: ignore[attr-defined]

        spec.loader.exec_module = run_and_replace  # type: ignore[method-assign]
        return spec


def _named_by_cookie() -> str:
    import streamlit as st

    return st.context.cookies.get(COOKIE) or "nobody"


sys.meta_path.insert(0, SessionFinder())
