"""Two servers on one PostgreSQL: one worker, one queue, a way out when one of them is killed."""

import asyncio
import random
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import URL, Engine, text

from benchmarks import load_check
from benchmarks.load_people import Person, make_study, sign_in
from db.engine import make_engine
from tests.conftest import make_database, render
from tests.running_server import Server, start_server, stop_server
from tests.screen_client import run_apart

NAME = "two_servers"
WORKER_LOCK = "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted AND objid = 7270002"
REFRESHES = "SELECT count(*) FROM refresh"
WAIT_SECONDS = 60.0


@pytest.mark.postgres
@pytest.mark.behaviour(1)
def test_two_servers_share_a_queue_and_a_worker(postgres_server: URL, tmp_path: Path) -> None:
    make_database(postgres_server, NAME)
    url = render(postgres_server.set(database=NAME))
    make_study(url, 40)
    store = make_engine(url)
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(start, tmp_path / "first", url)
        wait_for(lambda: len(workers(store)) == 1)
        second = pool.submit(start, tmp_path / "second", url)
    try:
        run_apart(work_together(store, first.result(), second.result(), tmp_path))
    finally:
        stop_server(first.result())
        stop_server(second.result())
        store.dispose()


def start(folder: Path, url: str) -> Server:
    folder.mkdir()
    return start_server(folder, url)


async def work_together(store: Engine, first: Server, second: Server, folder: Path) -> None:
    people = sign_in(first, 4)
    for person in people[1::2]:
        person.use(second)
    await asyncio.gather(*(person.open() for person in people))
    assert len({person.screen.lease_id for person in people}) == 4
    await answer_all(people, times=2)

    # A lead pauses the study: whoever answers gets no other question, on either server.
    set_state(store, "paused")
    await answer_all(people, times=1)
    assert [person.screen.lease_id for person in people] == [0, 0, 0, 0]
    set_state(store, "open")
    await asyncio.gather(*(person.look_again() for person in people))
    assert len({person.screen.lease_id for person in people} - {0}) == 4

    # The first server is killed: its people find their question on the other one.
    (worker,) = workers(store)
    first.kill()
    moved = people[::2]
    for person in moved:
        held = person.screen.lease_id
        await person.move_to(second)
        assert person.screen.lease_id == held
    await answer_all(people, times=1)
    wait_for(lambda: workers(store) not in ([], [worker]))
    known = count(store, REFRESHES)
    await answer_all(people, times=1)
    wait_for(lambda: count(store, REFRESHES) > known)

    pressed = [one for person in people for one in person.pressed]
    log = "".join((folder / name / "server.log").read_text() for name in ("first", "second"))
    verdict = load_check.check(second.database_url, pressed, log)
    assert verdict.saved == len(pressed) == 4 * 5
    assert verdict.is_right, verdict
    for person in people:
        await person.close()


async def answer_all(people: list[Person], times: int) -> None:
    """All of them at once, so many questions each."""

    async def go_on(person: Person, choice: random.Random) -> None:
        for _ in range(times):
            await person.answer(choice)

    await asyncio.gather(
        *(go_on(person, random.Random(number)) for number, person in enumerate(people))
    )


def workers(store: Engine) -> list[int]:
    """The connections that hold the worker's lock."""
    with store.connect() as connection:
        return list(connection.scalars(text(WORKER_LOCK)))


def set_state(store: Engine, state: str) -> None:
    with store.begin() as connection:
        connection.execute(text("UPDATE study SET state = :state"), {"state": state})


def count(store: Engine, query: str) -> int:
    with store.connect() as connection:
        return int(connection.scalar(text(query)) or 0)


def wait_for(is_so: Callable[[], bool]) -> None:
    """Wait until this is so."""
    deadline = time.monotonic() + WAIT_SECONDS
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.1)
