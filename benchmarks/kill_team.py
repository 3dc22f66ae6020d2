"""What holds when a server is killed again and again while several people answer at once?

Each round: a real server, people over websockets, SIGKILL at a random moment, the next server on
the same database. The budget is raised by a few labels a round, so that it often binds just when
the kill comes. Afterwards: every label that was told as saved is there, no budget was exceeded,
and a newcomer can answer all that is open once the leases of the dead have run out.
"""

import asyncio
import random
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import Engine as Database
from sqlalchemy import text
from websockets.exceptions import ConnectionClosed

from benchmarks import load_check
from benchmarks.load_check import Pressed, Verdict
from benchmarks.load_people import STUDY, Person, make_study, sign_in
from tests.running_server import Server, start_server, stop_server
from tests.screen_client import run_apart
from workflow import database, fitting, labelling
from workflow.fitting import Engine
from workflow.labelling import Annotator, Answered, Value

SEED = 20_263
SPENT = "SELECT count(*) FROM answer WHERE value <> 'skip' AND NOT is_extra"
HELD = "SELECT count(*) FROM lease WHERE closed_at IS NULL AND expires_at > :now"
LONGER_THAN_ANY_LEASE = timedelta(hours=1)


class TeamTally(NamedTuple):
    """What the kills showed on one database."""

    database: str
    kills: int
    people: int
    verdict: Verdict
    # Rounds after which more was given or held than the budget allows, and in which it was used up.
    overspent: int
    binding: int
    stuck: int
    is_posterior_equal: bool

    @property
    def is_right(self) -> bool:
        """Whether nothing at all is wrong."""
        faults = self.overspent + self.stuck + self.verdict.errors
        return self.verdict.is_right and not faults and self.is_posterior_equal


def kill_often(url: str, folder: Path, kills: int, people: int, items: int) -> TeamTally:
    """Answer and kill again and again on one new database."""
    make_study(url, items)
    store = database.connect(url)
    choice = random.Random(SEED)
    pressed: list[Pressed] = []
    overspent = binding = 0
    for _ in range(kills):
        budget = _raise_budget(store, choice.randint(people, 8 * people))
        server = start_server(folder, url)
        try:
            pressed += run_apart(_answer_until_killed(server, people, choice))
        finally:
            stop_server(server)
        spent, held = _count(store)
        overspent += spent + held > budget
        binding += spent == budget
    log = (folder / "server.log").read_text(errors="replace")
    is_equal = is_posterior_equal(store, STUDY)
    verdict = load_check.check(url, pressed, log)
    stuck = _left_after_newcomer(store)
    store.dispose()
    kind = url.split(":", 1)[0].split("+", 1)[0]
    return TeamTally(kind, kills, people, verdict, overspent, binding, stuck, is_equal)


def table(tallies: list[TeamTally]) -> str:
    """The tallies as Markdown, a column a database."""
    rows: dict[str, list[object]] = {
        "kills": [one.kills for one in tallies],
        "people at once": [one.people for one in tallies],
        "labels told as saved": [one.verdict.saved for one in tallies],
        "lost": [one.verdict.lost for one in tallies],
        "written twice": [one.verdict.doubled for one in tallies],
        "another value": [one.verdict.altered for one in tallies],
        "on an item that was not on screen": [one.verdict.blind for one in tallies],
        "questions with more votes than wanted": [one.verdict.too_many for one in tallies],
        "refused or lock errors": [one.verdict.errors for one in tallies],
        "rounds that used their budget up": [one.binding for one in tallies],
        "rounds that went over their budget": [one.overspent for one in tallies],
        "questions stuck after the leases ended": [one.stuck for one in tallies],
        "posterior equals a fresh fit": [_yes(one.is_posterior_equal) for one in tallies],
    }
    names = " | ".join(one.database for one in tallies)
    lines = [f"| | {names} |", "| --- " * (1 + len(tallies)) + "|"]
    lines += [f"| {name} | {' | '.join(map(str, cells))} |" for name, cells in rows.items()]
    return "\n".join(lines) + "\n"


async def _answer_until_killed(server: Server, count: int, choice: random.Random) -> list[Pressed]:
    people = sign_in(server, count)
    await asyncio.gather(*(person.open() for person in people))
    work = [asyncio.create_task(_work(one, random.Random(choice.random()))) for one in people]
    await asyncio.sleep(choice.uniform(0.2, 1.5))
    server.kill()
    await asyncio.gather(*work)
    return [pressed for person in people for pressed in person.pressed]


async def _work(person: Person, choice: random.Random) -> None:
    """Answer what there is until the server is gone."""
    try:
        while True:
            if person.screen.lease_id:
                await person.answer(choice)
            else:
                await person.look_again()
            await asyncio.sleep(choice.uniform(0, 0.1))
    except (ConnectionClosed, OSError):
        return


def _raise_budget(store: Database, labels: int) -> int:
    """So many labels more than there are or are about to be."""
    budget = sum(_count(store)) + labels
    with store.begin() as connection:
        connection.execute(text("UPDATE study SET label_budget = :budget"), {"budget": budget})
    return budget


def _count(store: Database) -> tuple[int, int]:
    """(spent, held) now."""
    with store.connect() as connection:
        spent = connection.scalar(text(SPENT)) or 0
        held = connection.scalar(text(HELD), {"now": _stored(store)}) or 0
    return spent, held


def _stored(store: Database) -> object:
    """This moment as the database compares it; SQLite keeps moments as text."""
    now = datetime.now(UTC)
    return f"{now:%Y-%m-%d %H:%M:%S.%f}" if store.dialect.name == "sqlite" else now


def _left_after_newcomer(store: Database) -> int:
    """Questions that a newcomer is not given after all leases ran out: those are stuck."""
    with store.begin() as connection:
        connection.execute(text("UPDATE study SET label_budget = NULL"))
    newcomer, later = Annotator(STUDY, "newcomer"), datetime.now(UTC) + LONGER_THAN_ANY_LEASE
    while True:
        desk = labelling.open_desk(store, newcomer, later)
        if desk.question is None:
            return desk.progress.total - desk.progress.done
        answer = Answered(desk.question.lease_id, Value.YES)
        labelling.submit(store, newcomer, answer, later)


def is_posterior_equal(store: Database, study: str) -> bool:
    """What a refresh saves, read back, and a fit made anew from the log."""
    fitting.refresh(store, study, Engine.EXACT, datetime.now(UTC))
    latest = fitting.read_latest(store, study)
    due = fitting.read_due(store, study)
    fresh = fitting.fit_systems(due.tables, due.settings, Engine.EXACT)
    saved = {fit.system: fit.summary for fit in latest.fits} if latest else {}
    return saved == {fit.system: fit.summary for fit in fresh}


def _yes(truth: bool) -> str:
    return "yes" if truth else "NO"
