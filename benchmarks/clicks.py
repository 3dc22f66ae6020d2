"""From key press to the next question on screen, measured in the page.

A real Chromium presses 1 and 2 on a real server; the page itself takes the time from the key
event to the moment the next question's element is there and painted. Run once with the worker at
rest and once while it fits without pause. Prints a table: `python -m benchmarks.clicks`.
"""

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from playwright.sync_api import Page

from tests.chromium import chromium
from tests.running_server import Server, running_server

PRESSES = 60
PAUSE_MS = 350
WARM_UP = 8
# Marks the key event in the capture phase, and the first frame in which another lease is shown.
WATCH = """() => {
  window.ratchetTimes = [];
  let pressed = null;
  const shown = () => document.querySelector('[data-lease]')?.dataset.lease;
  let lease = shown();
  addEventListener('keydown', () => { pressed = performance.now(); }, true);
  new MutationObserver(() => {
    const now = shown();
    if (now && now !== lease) {
      lease = now;
      const start = pressed;
      requestAnimationFrame(() => {
        if (start !== null) window.ratchetTimes.push(performance.now() - start);
      });
    }
  }).observe(document.body, {subtree: true, childList: true, attributes: true});
}"""


class Row(NamedTuple):
    """One line of the table, in milliseconds."""

    situation: str
    presses: int
    median: float
    p95: float


def measure(server: Server, situation: str, presses: int) -> Row:
    """Press keys and read the times that the page took."""
    with chromium() as browser:
        page = browser.new_context(viewport={"width": 1280, "height": 720}).new_page()
        page.goto(server.address)
        page.wait_for_selector("[data-lease]")
        page.wait_for_timeout(1500)
        page.evaluate(WATCH)
        _press(page, WARM_UP)
        page.evaluate("() => { window.ratchetTimes.length = 0; }")
        _press(page, presses)
        times: list[float] = page.evaluate("() => window.ratchetTimes")
    cuts = statistics.quantiles(times, n=20)
    return Row(situation, len(times), statistics.median(times), cuts[-1])


def table(rows: list[Row]) -> str:
    """The rows as Markdown."""
    lines = ["| situation | presses | median ms | p95 ms |", "| --- | --- | --- | --- |"]
    lines += [
        f"| {row.situation} | {row.presses} | {row.median:.0f} | {row.p95:.0f} |" for row in rows
    ]
    return "\n".join(lines)


def main() -> None:
    """Measure both situations and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--presses", type=int, default=PRESSES)
    presses = parser.parse_args().presses
    with tempfile.TemporaryDirectory() as name, running_server(Path(name)) as server:
        _wait_for_worker(server)
        rows = [measure(server, "worker follows the labels", presses)]
        burner = subprocess.Popen([sys.executable, "-m", "benchmarks.fitting_without_pause"])
        try:
            rows.append(measure(server, "a fit runs without pause", presses))
        finally:
            burner.kill()
    print(table(rows))
    print(f"\nratio of medians: {rows[1].median / rows[0].median:.2f}")


def _press(page: Page, presses: int) -> None:
    for number in range(presses):
        page.keyboard.press("1" if number % 2 else "2")
        page.wait_for_timeout(PAUSE_MS)


def _wait_for_worker(server: Server) -> None:
    deadline = time.monotonic() + 90
    while server.health()["worker"] != "ready" and time.monotonic() < deadline:
        time.sleep(0.5)


if __name__ == "__main__":
    main()
