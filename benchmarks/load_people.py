"""The people of the load test: a study for them, an account each, and their tabs."""

import csv
import random
import re
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.load_check import Pressed
from pages.http.visitor import COOKIE
from tests.running_server import Server
from tests.screen_client import Screen, ScreenClient
from workflow import accounts, database, importing, signing_in, studies
from workflow.signing_in import Browser, Role

STUDY = "Load"
# The numbers of items that come by a later import start here.
ITEMS_LATER = 1_000_000
PASSAGE = "The warranty of a kettle lasts three years from the day on the receipt. " * 6
NUMBER = re.compile(r"Question number (\d+)\?")
PASSWORD = "correct horse battery"
BROWSER = Browser("127.0.0.1", "load")
VALUES = {"yes": "1", "no": "0", "cant_tell": "cant_tell"}


class Person:
    """Somebody with a tab: presses what is on screen and keeps what was said to them."""

    def __init__(self, server: Server, name: str, cookie: str) -> None:
        self.name, self.cookie = name, cookie
        self.pressed: list[Pressed] = []
        self.client = ScreenClient(server.address, STUDY, cookie)
        self.screen = Screen(0, "", {}, "", 0.0)

    def use(self, server: Server) -> None:
        """Speak with this server from the next page on."""
        self.client = ScreenClient(server.address, STUDY, self.cookie)

    async def open(self) -> None:
        """Load the page."""
        self.screen = await self.client.open()

    async def answer(self, choice: random.Random) -> None:
        """Answer the question on screen."""
        before, word = self.screen, choice.choice(list(VALUES))
        if not before.lease_id:
            raise RuntimeError(f"{self.name} has no question: {before.text[-500:]}")
        self.screen = await self.client.press(before, f"{word}-{before.lease_id}")
        self.pressed.append(
            Pressed(
                lease_id=before.lease_id,
                shown=question_number(before),
                value=VALUES[word],
                is_saved=self.screen.lease_id != before.lease_id and _says_saved(self.screen),
                seconds=self.screen.seconds,
            )
        )

    async def look_again(self) -> None:
        """Load the page again: there may be a question now."""
        self.screen = await self.client.look_again()

    async def move_to(self, server: Server) -> None:
        """Load the page from another server, as a proxy does when theirs is gone."""
        self.use(server)
        await self.open()

    async def close(self) -> None:
        """Close the tab."""
        await self.client.close()


def make_study(url: str, size: int) -> None:
    """A study in a new database, each item with a question of its own number."""
    engine = database.connect(url)
    now = datetime.now(UTC)
    studies.create(engine, STUDY, studies.Choices(), "lead", now)
    with TemporaryDirectory() as folder:
        path = write_items(Path(folder) / "items.csv", range(size))
        importing.import_file(engine, importing.Request(STUDY, path, "lead"), now)
    engine.dispose()


def write_items(path: Path, numbers: range) -> Path:
    """A file of items."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(("item_id", "system", "query", "contexts", "answer"))
        for number in numbers:
            query = f"Question number {number}?"
            writer.writerow((f"q{number}", "base", query, f"{number}: {PASSAGE}", "Three years."))
    return path


def sign_in(server: Server, count: int) -> list[Person]:
    """So many people, each with an account and a session; the first one is the admin."""
    engine, now = database.connect(server.database_url), datetime.now(UTC)
    known = {account.name: account for account in accounts.read_team(engine, now).accounts}
    people = []
    for number in range(count):
        name = f"person-{number}"
        role = Role.ANNOTATOR if number else Role.ADMIN
        account = known.get(name) or accounts.add(engine, name, role, PASSWORD, "load", now)
        token = signing_in.open_for(engine, account, BROWSER, now)
        people.append(Person(server, name, f"{COOKIE}={token}"))
    engine.dispose()
    return people


def question_number(screen: Screen) -> int:
    """The number in the words of the question on screen."""
    found = NUMBER.search(screen.text)
    return int(found[1]) if found else -1


def _says_saved(screen: Screen) -> bool:
    return "Saved" in screen.text
