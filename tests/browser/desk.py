"""The Label screen in a browser: what is shown, and which key met which question."""

from typing import NamedTuple

from playwright.sync_api import Page

# Listens before the page's own scripts do, and again behind keys.js: which lease was on screen when
# a key went down, and which of these keys Streamlit heard.
RECORD = """
  window.pressed = [];
  window.heard = [];
  const note = (list) => (event) => {
    const shown = document.querySelector('[data-lease]')?.dataset.lease;
    list.push([event.key, Number(shown ?? 0)]);
  };
  addEventListener('keydown', note(window.pressed), true);
  document.addEventListener('keydown', note(window.heard), true);
"""
VALUES = {"1": "1", "2": "0", "3": "cant_tell", "y": "1", "n": "0", "t": "cant_tell"}


class Pressed(NamedTuple):
    """A key and the lease that was on screen when it went down."""

    key: str
    lease_id: int


def wait_for_question(page: Page) -> int:
    """Wait until a question can be answered; returns its lease."""
    page.wait_for_selector("[data-lease]")
    page.locator(".stApp[data-test-script-state=notRunning]").wait_for()
    page.locator(".st-key-answers button").last.wait_for()
    wait_until_heard(page)
    return shown_lease(page)


def wait_until_heard(page: Page) -> None:
    """Wait until keys.js lets a key through: words and buttons are of one question."""
    page.wait_for_function("() => window.ratchetHearsKeys?.() ?? true")


def shown_lease(page: Page) -> int:
    """The lease of the question on screen."""
    return int(page.locator("[data-lease]").get_attribute("data-lease") or 0)


def wait_for_other(page: Page, lease_id: int) -> int:
    """Wait for another question than this one; returns its lease."""
    page.wait_for_function(
        "old => { const e = document.querySelector('[data-lease]');"
        " return e && e.dataset.lease !== String(old); }",
        arg=lease_id,
    )
    wait_until_heard(page)
    return shown_lease(page)


def answer(page: Page, key: str) -> int:
    """Press a key and wait for the next question; returns its lease."""
    before = shown_lease(page)
    page.keyboard.press(key)
    return wait_for_other(page, before)


def read_pressed(page: Page) -> list[Pressed]:
    """The keys so far, in order."""
    return [Pressed(key, lease_id) for key, lease_id in page.evaluate("() => window.pressed")]


def read_heard(page: Page) -> list[Pressed]:
    """The keys that came through to Streamlit, in order."""
    return [Pressed(key, lease_id) for key, lease_id in page.evaluate("() => window.heard")]


def press_on_number_pad(page: Page, digit: str) -> None:
    """A digit of the number pad, with NumLock on."""
    session = page.context.new_cdp_session(page)
    key = {"key": digit, "code": f"Numpad{digit}", "text": digit, "location": 3}
    session.send("Input.dispatchKeyEvent", {"type": "keyDown", **key})
    session.send("Input.dispatchKeyEvent", {"type": "keyUp", **key})


def settle(page: Page) -> None:
    """Wait until nothing moves on the page any more."""
    page.wait_for_timeout(400)
    page.locator(".stApp[data-test-script-state=notRunning]").wait_for()
    page.wait_for_timeout(200)
    wait_until_heard(page)
