"""Does the road of docs/server.md lead there? Walks it with the nginx configuration of docs/server.

A study is labelled on a laptop (SQLite), backed up, restored into PostgreSQL, and served by two
servers behind nginx with TLS, under a certificate made for the trial. Then: the redirect to TLS, a
page, a label through the websocket, an export, which server a person is sent to, an upload over the
limit, and one server killed. Needs nginx and openssl: `python -m benchmarks.try_server`.
"""

import asyncio
import random
import ssl
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from email.message import Message
from pathlib import Path
from typing import NamedTuple

from benchmarks.load import database
from benchmarks.load_people import STUDY, Person, make_study, sign_in
from tests.running_server import Server, free_port, start_server, stop_server
from tests.screen_client import ScreenClient
from workflow import backup
from workflow import database as databases

PEOPLE = 12
NGINX = Path(__file__).parent.parent / "docs" / "server" / "nginx.conf"
WRAPPER = """
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{}}
http {{
    log_format to '$cookie_ratchet_session $upstream_addr';
    access_log {folder}/access.log to;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/site.conf;
}}
"""


class Site(NamedTuple):
    """Where nginx listens: with TLS and without, and what its certificate is checked by."""

    https: str
    http: str
    tls: ssl.SSLContext
    access_log: Path


class Stay(urllib.request.HTTPRedirectHandler):
    """A redirect is an answer, not to be followed."""

    def redirect_request(self, *_args: object, **_named: object) -> None:
        """Do not follow."""


def main() -> None:
    """Walk the road and say what was seen; a step that fails stops it."""
    with tempfile.TemporaryDirectory() as name, database("postgres", Path(name)) as url:
        folder = Path(name)
        move_data(folder, url)
        plain, secure = free_port(), free_port()
        public = f"https://localhost:{secure}"
        servers = [start(folder / str(number), url, public) for number in range(2)]
        try:
            with behind_nginx(folder, servers, plain, secure) as site:
                asyncio.run(visit(site, servers))
        finally:
            for server in servers:
                stop_server(server)


def move_data(folder: Path, url: str) -> None:
    """A laptop's database into PostgreSQL by a backup."""
    laptop = f"sqlite:///{folder / 'laptop.db'}"
    make_study(laptop, 500)
    store = databases.connect(laptop)
    say("backup", backup.back_up(store, folder / "laptop.backup", datetime.now(UTC)))
    store.dispose()
    restored = backup.restore_from(url, folder / "laptop.backup", False, datetime.now(UTC))
    say("restore into PostgreSQL", restored)


def start(folder: Path, url: str, public: str) -> Server:
    """One server process."""
    folder.mkdir()
    return start_server(folder, url, settings={"RATCHET_PUBLIC_URL": public})


@contextmanager
def behind_nginx(folder: Path, servers: list[Server], plain: int, secure: int) -> Iterator[Site]:
    """The servers behind nginx, configured as in docs/server but for places and ports."""
    make_certificate(folder)
    text = NGINX.read_text(encoding="utf-8")
    for old, new in (
        ("127.0.0.1:8501", f"127.0.0.1:{servers[0].port}"),
        ("127.0.0.1:8502", f"127.0.0.1:{servers[1].port}"),
        ("listen 80;", f"listen {plain};"),
        ("listen 443 ssl;", f"listen {secure} ssl;"),
        ("server_name ratchet.example.org;", "server_name localhost;"),
        ("/etc/ssl/certs/ratchet.pem", f"{folder}/ratchet.pem"),
        ("/etc/ssl/private/ratchet.key", f"{folder}/ratchet.key"),
    ):
        assert old in text, f"docs/server/nginx.conf has no {old!r}"
        text = text.replace(old, new)
    (folder / "site.conf").write_text(text, encoding="utf-8")
    (folder / "nginx.conf").write_text(WRAPPER.format(folder=folder), encoding="utf-8")
    folder.chmod(0o755)  # nginx leaves root for another user
    command = ["nginx", "-p", str(folder), "-c", str(folder / "nginx.conf")]
    subprocess.run([*command, "-t", "-q"], check=True)
    process = subprocess.Popen([*command, "-g", "daemon off;"])
    tls = ssl.create_default_context(cafile=str(folder / "ratchet.pem"))
    address = f"https://localhost:{secure}"
    try:
        yield Site(address, f"http://localhost:{plain}", tls, folder / "access.log")
    finally:
        process.terminate()
        process.wait()


def make_certificate(folder: Path) -> None:
    """A certificate for the trial, signed by itself."""
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30"),
            *("-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"),
            *("-keyout", str(folder / "ratchet.key"), "-out", str(folder / "ratchet.pem")),
        ],
        check=True,
        stderr=subprocess.DEVNULL,
    )


async def visit(site: Site, servers: list[Server]) -> None:
    """What people do, through the proxy."""
    await asyncio.to_thread(wait_for, site)
    status, headers, _ = await asyncio.to_thread(ask, site, site.http + "/results?study=Load")
    say("http leads to https", f"{status} {headers['Location']}")
    people = sign_in(servers[0], PEOPLE)
    status, headers, _ = await asyncio.to_thread(ask, site, site.https + "/results")
    say("a page without a session", f"{status} {headers['Location']}")
    lead = people[0].cookie
    status, headers, body = await asyncio.to_thread(ask, site, site.https + "/", None, lead)
    say("a page", f"{status}, {len(body)} bytes, {headers['Strict-Transport-Security']}")
    address = f"{site.https}/export/items?study={STUDY}"
    status, _, body = await asyncio.to_thread(ask, site, address, None, lead)
    say("an export", f"{status}, {body.count(bytes([10]))} lines")
    status, _, _ = await asyncio.to_thread(
        ask, site, site.https + "/_stcore/upload_file/x/y", bytes(211 * 2**20)
    )
    say("an upload of 211 MB", f"{status}")
    await label(site, servers, people)


async def label(site: Site, servers: list[Server], people: list[Person]) -> None:
    """They answer through the websocket; then the first server dies."""
    for person in people:
        person.client = ScreenClient(site.https, STUDY, person.cookie, site.tls)
        await person.open()
    choice = random.Random(1)
    for _ in range(3):
        await asyncio.gather(*(person.answer(choice) for person in people))
    saved = sum(one.is_saved for person in people for one in person.pressed)
    say("labels through the websocket", f"{saved} of {len(people) * 3} saved")
    for person in people:  # a page of the same person goes where the tab is
        await asyncio.to_thread(ask, site, site.https + "/healthz", None, person.cookie)
    say("people on each server", str(await asyncio.to_thread(places, site, servers)))
    servers[0].kill()
    held = [person.screen.lease_id for person in people]
    for person in people:
        await person.close()
        person.client = ScreenClient(site.https, STUDY, person.cookie, site.tls)
        await person.open()
    kept = sum(person.screen.lease_id == lease for person, lease in zip(people, held, strict=True))
    say("after a kill of the first server", f"{kept} of {PEOPLE} people find their question again")
    await asyncio.gather(*(person.answer(choice) for person in people))
    saved = sum(person.pressed[-1].is_saved for person in people)
    say("labels after the kill", f"{saved} of {PEOPLE} saved")
    for person in people:
        await person.close()


def places(site: Site, servers: list[Server]) -> list[int]:
    """How many sessions each server saw; a session on two servers stops the walk."""
    time.sleep(0.5)  # nginx writes the line of a request after its answer
    seen: dict[str, set[str]] = {}
    for line in site.access_log.read_text(encoding="utf-8").splitlines():
        session, place = line.split(" ", 1)
        if session != "-":
            seen.setdefault(session, set()).add(place)
    assert all(len(found) == 1 for found in seen.values()), seen
    addresses = [next(iter(found)) for found in seen.values()]
    return [addresses.count(f"127.0.0.1:{server.port}") for server in servers]


def ask(
    site: Site, address: str, data: bytes | None = None, cookie: str = ""
) -> tuple[int, Message, bytes]:
    """(status, headers, body) of a request."""
    headers = {"Accept": "text/html", "Cookie": cookie}
    request = urllib.request.Request(address, data, headers)
    opener = urllib.request.build_opener(Stay, urllib.request.HTTPSHandler(context=site.tls))
    try:
        with opener.open(request, timeout=60) as answer:
            return answer.status, answer.headers, answer.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.headers, error.read()


def wait_for(site: Site) -> None:
    """Until nginx listens."""
    for _ in range(50):
        with suppress(OSError):
            ask(site, site.http)
            return


def say(step: str, seen: str) -> None:
    """One line of what was seen."""
    print(f"{step}: {seen}", flush=True)


if __name__ == "__main__":
    main()
