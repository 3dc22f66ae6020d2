"""One person's Label screen over a raw websocket: what a browser sends and what it would show.

Speaks Streamlit's protocol with the classes of its own wheel, so thirty people fit into one small
process. A press is sent with the fragment its button was drawn in, as a browser does.
"""

import asyncio
import re
import ssl
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple, TypeVar
from urllib.parse import quote

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Delta_pb2 import Delta
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect

T = TypeVar("T")
LEASE = re.compile(r'data-lease="(\d+)"')
ID = re.compile(r"^\$\$ID-[0-9a-f]+-(.*)$")


class Screen(NamedTuple):
    """What is on screen: the question's lease (0: none), the words, the buttons by their key."""

    lease_id: int
    text: str
    buttons: dict[str, str]
    fragment_id: str
    # Until the last element of it had come.
    seconds: float


class ScreenClient:
    """A tab with the Label screen of a study."""

    def __init__(
        self, address: str, study: str, cookie: str, tls: ssl.SSLContext | None = None
    ) -> None:
        self._address = address
        self._tls = tls
        self._query = f"study={quote(study)}"
        self._cookie = cookie
        self._socket: ClientConnection | None = None
        # Streamlit sends a large message once and names it by its hash later.
        self._known: dict[str, bytes] = {}

    async def open(self) -> Screen:
        """Connect, as a page does when it is loaded or finds its server again."""
        self._socket = await connect(
            self._address.replace("http", "ws", 1) + "/_stcore/stream",
            subprotocols=["streamlit"],  # type: ignore[list-item]
            additional_headers={"Cookie": self._cookie},
            origin=self._address,  # type: ignore[arg-type]
            max_size=None,
            ssl=self._tls,
        )
        return await self._run(lambda _: None)

    async def press(self, screen: Screen, key: str) -> Screen:
        """Press a button that is on screen; returns what is shown then."""

        def trigger(message: BackMsg) -> None:
            message.rerun_script.fragment_id = screen.fragment_id
            widget = message.rerun_script.widget_states.widgets.add()
            widget.id, widget.trigger_value = screen.buttons[key], True

        return await self._run(trigger)

    async def look_again(self) -> Screen:
        """Run the page again."""
        return await self._run(lambda _: None)

    async def close(self) -> None:
        """Close the tab."""
        if self._socket is not None:
            await self._socket.close()

    async def _run(self, fill: Callable[[BackMsg], None]) -> Screen:
        assert self._socket is not None
        message = BackMsg()
        message.rerun_script.query_string = self._query
        fill(message)
        start = time.perf_counter()
        await self._socket.send(message.SerializeToString())
        deltas = []
        while True:
            answer = self._whole(ForwardMsg.FromString(await self._socket.recv(decode=False)))
            kind = answer.WhichOneof("type")
            if kind == "delta":
                deltas.append(answer.delta)
            elif kind == "script_finished":
                return _screen(deltas, time.perf_counter() - start)

    def _whole(self, message: ForwardMsg) -> ForwardMsg:
        if message.WhichOneof("type") == "ref_hash":
            message = ForwardMsg.FromString(self._known[message.ref_hash])
        if message.metadata.cacheable:
            self._known[message.hash] = message.SerializeToString()
        return message


def _screen(deltas: list[Delta], seconds: float) -> Screen:
    words, buttons, fragment_id = [], {}, ""
    for delta in deltas:
        element = delta.new_element
        kind = element.WhichOneof("type")
        if kind == "html":
            words.append(element.html.body)
        elif kind == "alert":
            words.append(element.alert.body)
        elif kind == "button":
            found = ID.match(element.button.id)
            buttons[found[1] if found else ""] = element.button.id
            fragment_id = delta.fragment_id or fragment_id
    text = "\n".join(words)
    lease = LEASE.search(text)
    return Screen(int(lease[1]) if lease else 0, text, buttons, fragment_id, seconds)


def run_apart(work: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine, in a thread of its own: a browser test may have left a loop."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()
