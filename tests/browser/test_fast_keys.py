"""No label on a question that was not on screen, one label a question, however fast the keys."""

import pytest
from playwright.sync_api import Page

from tests.browser import desk
from tests.browser.conftest import OpenPage
from tests.browser.studies import Event, Study

pytestmark = pytest.mark.browser

PRESSES = 40


def blind(events: list[Event], pressed: list[desk.Pressed]) -> list[Event]:
    """Labels whose value is no key that was pressed while their question was on screen."""
    meant = {(press.lease_id, desk.VALUES[press.key]) for press in pressed}
    return [event for event in events if (event.lease_id, event.value) not in meant]


def open_study(open_page: OpenPage, study: Study) -> Page:
    page = open_page(study.path())
    desk.wait_for_question(page)
    return page


@pytest.mark.parametrize("gap", [20, 60])
def test_forty_fast_keys_label_only_what_was_on_screen(
    open_page: OpenPage, study: Study, gap: int
) -> None:
    page = open_study(open_page, study)
    for number in range(PRESSES):
        page.keyboard.press("1" if number % 2 else "2")
        page.wait_for_timeout(gap)
    desk.settle(page)
    pressed, heard, events = desk.read_pressed(page), desk.read_heard(page), study.events()
    assert len(pressed) == PRESSES
    assert 0 < len(events) <= PRESSES
    assert len({event.lease_id for event in events}) == len(events)
    assert blind(events, pressed) == []
    # Of the keys pressed on one question a single one is heard, so the value is that very key.
    assert len({press.lease_id for press in heard}) == len(heard)
    assert blind(events, heard) == []


def test_the_check_for_blind_labels_finds_one() -> None:
    pressed = [desk.Pressed("1", 7), desk.Pressed("2", 7)]
    late = Event(1, 8, "a", "retrieval", "0", None, True)
    other = Event(2, 7, "b", "retrieval", "cant_tell", None, True)
    right = Event(3, 7, "b", "retrieval", "1", None, True)
    assert blind([late, other, right], pressed) == [late, other]


def test_a_double_click_is_one_label(open_page: OpenPage, study: Study) -> None:
    page = open_study(open_page, study)
    for _ in range(2):
        before = desk.shown_lease(page)
        page.locator("[class*=st-key-yes-] button").dblclick()
        desk.wait_for_other(page, before)
        desk.settle(page)
    assert len(study.events()) == 2


def test_a_double_click_slower_than_the_server_is_one_label(
    open_page: OpenPage, study: Study
) -> None:
    page = open_study(open_page, study)
    before = desk.shown_lease(page)
    box = page.locator("[class*=st-key-yes-] button").bounding_box()
    assert box is not None
    middle = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.click(*middle)
    desk.wait_for_other(page, before)
    # The second click of a double click says so itself: its count is two.
    page.mouse.move(*middle)
    page.mouse.down(click_count=2)
    page.mouse.up(click_count=2)
    desk.settle(page)
    assert len(study.events()) == 1


def test_a_held_key_labels_once(open_page: OpenPage, study: Study) -> None:
    page = open_study(open_page, study)
    for _ in range(25):
        page.keyboard.down("1")
        page.wait_for_timeout(30)
    page.keyboard.up("1")
    desk.settle(page)
    assert len(study.events()) == 1


def test_without_the_guard_of_repeats_a_held_key_labels_more(
    open_page: OpenPage, study: Study
) -> None:
    page = open_page("/healthz")
    page.add_init_script("window.ratchetKeys = true;")
    page.goto(page.url.replace("/healthz", study.path()))
    desk.wait_for_question(page)
    for _ in range(25):
        page.keyboard.down("1")
        page.wait_for_timeout(30)
    page.keyboard.up("1")
    desk.settle(page)
    assert len(study.events()) > 1


def test_the_twin_keys_answer_and_are_not_seen(open_page: OpenPage, study: Study) -> None:
    page = open_study(open_page, study)
    for key in ("y", "n", "t"):
        desk.answer(page, key)
    assert [event.value for event in study.events()] == ["1", "0", "cant_tell"]
    shown = page.locator(".st-key-answers button").all_inner_texts()
    assert [" ".join(text.split()) for text in shown] == ["Yes 1", "No 2", "Can't tell 3"]


def test_the_number_pad_answers_too(open_page: OpenPage, study: Study) -> None:
    page = open_study(open_page, study)
    before = desk.shown_lease(page)
    desk.press_on_number_pad(page, "2")
    desk.wait_for_other(page, before)
    assert [event.value for event in study.events()] == ["0"]
