"""Is a label that the screen called saved still there after a kill -9 of the server?

Fifty times: a real server, a real browser that labels by key, SIGKILL a random moment after
"Saved" was seen. Every lease seen as saved must have its one label event in the database, and the
posterior must equal a fresh fit of the log. Writes docs/proof_kills.md.
"""

import argparse
import random
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from playwright.sync_api import Browser, Page
from sqlalchemy import Engine as Database
from sqlalchemy import text

from benchmarks import kill_team, load
from tests.browser import desk
from tests.chromium import chromium
from tests.running_server import start_server, stop_server
from workflow import database, sample

REPORT = Path(__file__).parent.parent / "docs" / "proof_kills.md"
KILLS = 50
SEED = 20_261
TEAM_PEOPLE = 6
TEAM_ITEMS = 1_500
TEAM = (
    "\n## A team\n\n"
    "Several people answer over websockets; the server is killed 0.2 to 1.5 seconds after they\n"
    "began. Each round may give a few labels more than the one before (its budget).\n\n"
)
KEYS = {"1": "1", "2": "0", "3": "cant_tell"}


class Tally(NamedTuple):
    """What the kills showed."""

    kills: int
    saved: int
    lost: int
    doubled: int
    altered: int
    is_posterior_equal: bool


def main() -> None:
    """Kill, count, write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=KILLS)
    kills = parser.parse_args().kills
    with tempfile.TemporaryDirectory() as name, chromium() as browser:
        tally = kill_often(Path(name), browser, kills)
    teams = [_kill_team(kind, kills) for kind in ("sqlite", "postgres")]
    report = table(tally) + TEAM + kill_team.table(teams)
    REPORT.write_text(report, encoding="utf-8")
    print(report)
    if tally.lost or tally.doubled or tally.altered or not tally.is_posterior_equal:
        raise SystemExit(1)
    if not all(team.is_right for team in teams):
        raise SystemExit(1)


def kill_often(folder: Path, browser: Browser, kills: int) -> Tally:
    """Label and kill again and again on one database."""
    choice = random.Random(SEED)
    said: dict[int, str] = {}
    for _ in range(kills):
        server = start_server(folder)
        try:
            page = browser.new_page()
            page.goto(server.address)
            for _ in range(choice.randint(1, 4)):
                lease, key = _answer(page, choice)
                said[lease] = KEYS[key]
            time.sleep(choice.uniform(0, 0.05))
            server.kill()
            page.close()
        finally:
            stop_server(server)
    engine = database.connect(f"sqlite:///{folder / 'ratchet.db'}")
    return _compare(engine, said, kills)


def _kill_team(kind: str, kills: int) -> kill_team.TeamTally:
    with tempfile.TemporaryDirectory() as name, load.database(kind, Path(name)) as url:
        return kill_team.kill_often(url, Path(name), kills, TEAM_PEOPLE, TEAM_ITEMS)


def table(tally: Tally) -> str:
    """The tally as a page of Markdown."""
    return (
        "# Labels after a kill\n\n"
        "Written by `python -m benchmarks.proof_kills`: the server is killed (SIGKILL) a random\n"
        "moment, up to 50 ms, after the screen said Saved, then started on the same database.\n\n"
        "| kills | labels seen as saved | lost | written twice | another value |"
        " posterior equals a fresh fit |\n"
        "| --- | --- | --- | --- | --- | --- |\n"
        f"| {tally.kills} | {tally.saved} | {tally.lost} | {tally.doubled} | {tally.altered} |"
        f" {'yes' if tally.is_posterior_equal else 'NO'} |\n"
    )


def _answer(page: Page, choice: random.Random) -> tuple[int, str]:
    """Press a key on the question on screen and wait until the next one shows it was saved."""
    lease = desk.wait_for_question(page)
    key = choice.choice(list(KEYS))
    page.keyboard.press(key)
    page.wait_for_selector(f"[data-lease]:not([data-lease='{lease}'])", timeout=30_000)
    assert "Saved" in page.inner_text("[role=status]")
    return lease, key


def _compare(engine: Database, said: dict[int, str], kills: int) -> Tally:
    query = text("SELECT lease_id, value FROM label_event WHERE lease_id IS NOT NULL")
    with engine.connect() as connection:
        found = [(int(lease), str(value)) for lease, value in connection.execute(query)]
    leases = [lease for lease, _ in found]
    values = dict(found)
    return Tally(
        kills,
        len(said),
        lost=len(said.keys() - values.keys()),
        doubled=len(leases) - len(set(leases)),
        altered=sum(values.get(lease, value) != value for lease, value in said.items()),
        is_posterior_equal=kill_team.is_posterior_equal(engine, sample.NAME),
    )


if __name__ == "__main__":
    main()
