"""The arrows of the house: who may import whom, read from the source and not from running it."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parent.parent
ROOMS = ("app", "cli", "pages", "workflow", "model", "db")
# What a room may import of the others; `app` and `cli` start the rest.
ARROWS = {
    "model": {"model"},
    "db": {"db"},
    "workflow": {"workflow", "model", "db"},
    "pages": {"pages", "workflow", "model"},
    "cli": {"workflow"},
    "app": {"pages", "workflow"},
}
# Computing is pure: no files, sockets, clocks, environment, processes, and no store.
IMPURE = {
    "asyncio",
    "datetime",
    "getpass",
    "glob",
    "io",
    "multiprocessing",
    "os",
    "pathlib",
    "platform",
    "random",
    "requests",
    "secrets",
    "shutil",
    "socket",
    "sqlalchemy",
    "sqlite3",
    "streamlit",
    "subprocess",
    "sys",
    "tempfile",
    "threading",
    "time",
    "urllib",
    "uuid",
}
STREAMLIT_ROOMS = {"app", "pages"}
NUMBERS_ONLY = {"jax", "numpyro", "blackjax"}  # seconds to import; the store has no use for them


class Import(NamedTuple):
    """One imported name; `name` is None for a plain `import module`."""

    module: str
    name: str | None
    line: int

    @property
    def root(self) -> str:
        return self.module.split(".")[0]


class Fault(NamedTuple):
    """An import that is not allowed."""

    file: str
    line: int
    why: str


def imports_of(source: str) -> Iterator[Import]:
    """Every import of a source, wherever it stands."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (Import(alias.name, None, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            yield from (Import(module, alias.name, node.lineno) for alias in node.names)


def faults_of(room: str, source: str, file: str = "") -> list[Fault]:
    """What a source of a room imports and must not."""
    reasons = ((one, _fault(room, one)) for one in imports_of(source))
    return [Fault(file, one.line, why) for one, why in reasons if why]


def _fault(room: str, one: Import) -> str:
    if one.root in ROOMS and one.root not in ARROWS[room] | {room}:
        return f"{room} imports {one.module}"
    if room == "model" and one.root in IMPURE:
        return f"model imports {one.module}, and computing is pure"
    if one.root == "streamlit" and room not in STREAMLIT_ROOMS:
        return f"{room} imports streamlit"
    if one.root in NUMBERS_ONLY and room in {"db", "pages", "cli", "app"}:
        return f"{room} imports {one.module}"
    if one.root == "sqlalchemy" and room in {"pages", "cli", "app"} and one.name != "Engine":
        return f"{room} imports {one.module}.{one.name}; only the type Engine is known there"
    return ""


def sources() -> list[tuple[str, Path]]:
    """(room, file) of everything that runs."""
    found = []
    for room in ROOMS:
        files = sorted((ROOT / room).rglob("*.py")) or [ROOT / f"{room}.py"]
        found += [(room, file) for file in files]
    return found


@pytest.mark.parametrize(("room", "file"), sources(), ids=lambda one: getattr(one, "stem", one))
def test_no_arrow_runs_back(room: str, file: Path) -> None:
    assert faults_of(room, file.read_text(encoding="utf-8"), file.name) == []


def test_there_are_sources_in_every_room() -> None:
    assert {room for room, _ in sources()} == set(ROOMS)
    assert len(sources()) > 60


@pytest.mark.parametrize(
    ("room", "source"),
    [
        ("model", "from db.engine import make_engine"),
        ("model", "import os.path"),
        ("model", "def f():\n    from pathlib import Path"),
        ("model", "import time as clock"),
        ("model", "import workflow.fitting"),
        ("db", "import model.rat.counts"),
        ("db", "from workflow import fitting"),
        ("db", "if True:\n    import streamlit as st"),
        ("db", "import jax.numpy as jnp"),
        ("workflow", "from pages import session"),
        ("workflow", "import streamlit"),
        ("pages", "from db.labels import record"),
        ("pages", "from sqlalchemy import select"),
        ("pages", "import sqlalchemy"),
        ("cli", "import model.rat.exact"),
        ("app", "from db import migrate"),
    ],
)
def test_an_arrow_that_runs_back_is_found(room: str, source: str) -> None:
    assert len(faults_of(room, source)) == 1


@pytest.mark.parametrize(
    ("room", "source"),
    [
        ("pages", "from sqlalchemy import Engine"),
        ("pages", "from model.rat.derived import Quantity\nfrom workflow import labelling"),
        ("workflow", "from db import labels\nfrom model.rat.counts import tabulate"),
        ("model", "import numpy as np\nimport jax\nfrom model.rat import cells"),
    ],
)
def test_an_arrow_that_runs_forward_is_allowed(room: str, source: str) -> None:
    assert faults_of(room, source) == []
