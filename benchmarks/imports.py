"""How fast files go in and out, in seconds and peak memory: `python -m benchmarks.imports`.

Every row of the table is a process of its own, so that its peak is its own. Needed: 100,000 rows in
under 30 s and 1 GB; 10,000 rows into 100,000 in under twice the time into none; a fit of a file of
a million short rows in under 30 s.
"""

import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import Engine

from workflow import commands, exporting, importing
from workflow.commands import AbstentionFrom, FitWish
from workflow.database import connect
from workflow.exporting import Kind, Wish
from workflow.fitting import Engine as Sampler
from workflow.importing import Request

STUDY = "Benchmark"
NOW = datetime(2026, 3, 1, tzinfo=UTC)
HEADER = (
    "item_id",
    "system",
    "query",
    "contexts",
    "answer",
    "retrieval_label",
    "task_label",
    "topic",
)
PASSAGE = "The reading room opens at nine and closes at six, on Fridays an hour earlier. " * 3
LARGE, SMALL, SHORT = 100_000, 10_000, 1_000_000


class Measured(NamedTuple):
    """One line of the table; the peak is of the whole process, its imports of about 200 MB too."""

    what: str
    rows: int
    seconds: float
    peak_mb: float


def write_items(path: Path, start: int, count: int) -> None:
    """Answers of four systems that share their contexts, one in ten labelled."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(HEADER)
        writer.writerows(_item(number) for number in range(start, start + count))


def _item(number: int) -> tuple[str, ...]:
    query, system = divmod(number, 4)
    label = str(query % 2) if query % 10 == 0 else ""
    return (
        f"item-{number:07}",
        f"system-{system}",
        f"When does reading room {query} open?",
        json.dumps([f"{PASSAGE}{query}", f"Rooms {query} to {query + 9}. {PASSAGE}"]),
        f"Reading room {query} opens at nine, system {system} says.",
        label,
        label,
        f"topic {query % 7}",
    )


def write_short(path: Path, count: int) -> None:
    """Rows of a few characters, all labelled."""
    with path.open("w", encoding="utf-8") as file:
        file.write("item_id,system,query,answer,abstained,retrieval_label,task_label\n")
        file.writelines(
            f"{n},s{n % 3},q{n},a{n % 99},0,{n % 2},{n // 2 % 2}\n" for n in range(count)
        )


def bring_in(engine: Engine, path: Path) -> None:
    """Import a file."""
    importing.import_file(engine, Request(STUDY, path, "benchmark"), NOW)


def import_into_none(folder: Path, rows: int) -> Callable[[], None]:
    """A file of so many rows into a new study."""
    engine = connect(f"sqlite:///{folder / 'none.db'}")
    path = folder / "first.csv"
    write_items(path, 0, rows)
    return lambda: bring_in(engine, path)


def import_into_large(folder: Path, rows: int) -> Callable[[], None]:
    """More rows into a study that has LARGE."""
    engine = connect(f"sqlite:///{folder / 'large.db'}")
    write_items(folder / "first.csv", 0, LARGE)
    bring_in(engine, folder / "first.csv")
    path = folder / "more.csv"
    write_items(path, LARGE, rows)
    return lambda: bring_in(engine, path)


def import_again(folder: Path, rows: int) -> Callable[[], None]:
    """The same file a second time."""
    work = import_into_none(folder, rows)
    work()
    return work


def export_items(folder: Path, rows: int) -> Callable[[], None]:
    """All items as CSV."""
    work = import_into_none(folder, rows)
    work()
    engine = connect(f"sqlite:///{folder / 'none.db'}")

    def write() -> None:
        with (folder / "out.csv").open("wb") as file:
            file.writelines(exporting.stream(engine, Wish(STUDY, Kind.ITEMS)))

    return write


def fit_file(folder: Path, rows: int) -> Callable[[], None]:
    """What `ratchet fit FILE --engine exact` does."""
    path = folder / "short.csv"
    write_short(path, rows)
    wish = FitWish(str(path), None, None, None, None, Sampler.EXACT, 0, AbstentionFrom.RULES)
    return lambda: print(len(commands.fit(wish)["systems"]), file=sys.stderr)


TASKS: dict[str, tuple[Callable[[Path, int], Callable[[], None]], int, str]] = {
    "small": (import_into_none, SMALL, "import into an empty study"),
    "more": (import_into_large, SMALL, f"import into a study of {LARGE:,} items"),
    "large": (import_into_none, LARGE, "import into an empty study"),
    "again": (import_again, LARGE, "import of the same file again"),
    "export": (export_items, LARGE, "export of items as CSV"),
    "fit": (fit_file, SHORT, "fit of a CSV file, exact engine"),
}


def measure_here(name: str) -> None:
    """Do one task in this process and print seconds and peak memory as JSON."""
    prepare, rows, _ = TASKS[name]
    with tempfile.TemporaryDirectory() as folder:
        work = prepare(Path(folder), rows)
        with _peak_of_this_process() as peak:
            start = time.monotonic()
            work()
            seconds = time.monotonic() - start
        print(json.dumps([seconds, peak()]))


def measure(name: str) -> Measured:
    """Do one task in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.imports", "--only", name]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    seconds, peak = json.loads(done.stdout)
    _, rows, what = TASKS[name]
    return Measured(what, rows, seconds, peak)


def table(lines: list[Measured]) -> str:
    """The figures as Markdown."""
    text = ["| what | rows | seconds | rows/s | peak MB |", "| --- | ---: | ---: | ---: | ---: |"]
    text += [
        f"| {one.what} | {one.rows:,} | {one.seconds:.1f} | {one.rows / one.seconds:,.0f}"
        f" | {one.peak_mb:.0f} |"
        for one in lines
    ]
    return "\n".join(text)


def main() -> None:
    """Measure everything and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=TASKS)
    only = parser.parse_args().only
    if only is not None:
        measure_here(only)
        return
    print(table([measure(name) for name in TASKS]))


@contextmanager
def _peak_of_this_process() -> Iterator[Callable[[], float]]:
    """The high-water mark since entering, in MB; Linux resets it on request."""
    Path("/proc/self/clear_refs").write_text("5")

    def peak() -> float:
        status = Path(f"/proc/{os.getpid()}/status").read_text()
        line = next(line for line in status.splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) / 1024

    yield peak


if __name__ == "__main__":
    main()
