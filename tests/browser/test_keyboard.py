"""The Label screen without a mouse: what each key does, and where keys must stay silent."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser import desk
from tests.browser.conftest import OpenPage
from tests.browser.studies import Study

pytestmark = pytest.mark.browser


@pytest.fixture
def page(open_page: OpenPage, study: Study) -> Page:
    page = open_page(study.path())
    desk.wait_for_question(page)
    return page


def test_retrieval_and_task_of_an_item_take_two_presses(page: Page, study: Study) -> None:
    desk.answer(page, "1")
    desk.answer(page, "2")
    found = [(event.item_id, event.label_type, event.value) for event in study.labels()]
    assert found == [("item-000", "retrieval", "1"), ("item-000", "task", "0")]


def test_keys_of_the_browser_label_nothing(page: Page, study: Study) -> None:
    for key in ("Backspace", "r", "c", "Control+z", "Meta+z", "Shift+1", "9"):
        page.keyboard.press(key)
    desk.settle(page)
    assert study.events() == []


def test_keys_are_letters_while_typing(page: Page, study: Study) -> None:
    text = "123yntusfmlh"
    find = page.get_by_placeholder("Find in the passages")
    find.click()
    page.keyboard.type(text)
    expect(find).to_have_value(text)
    page.keyboard.press("Tab")
    desk.settle(page)
    page.locator("[data-lease]").click()
    for opener, label in (("m", "Note"), ("f", "What should the lead know?")):
        page.keyboard.press(opener)
        field = page.get_by_label(label, exact=True)
        field.click()
        page.keyboard.type(text)
        expect(field).to_have_value(text)
        page.keyboard.press("Escape")
        desk.settle(page)
    assert study.events() == []


@pytest.mark.parametrize(("opener", "label"), [("m", "Note"), ("f", "What should the lead know?")])
def test_a_box_that_opens_takes_the_cursor(
    page: Page, study: Study, opener: str, label: str
) -> None:
    page.keyboard.press(opener)
    field = page.get_by_label(label, exact=True)
    expect(field).to_be_focused()
    page.keyboard.type("nobody 1 clicked 2")
    expect(field).to_have_value("nobody 1 clicked 2")
    assert study.events() == []


def test_a_composed_character_is_not_a_key(page: Page, study: Study) -> None:
    page.keyboard.press("m")
    field = page.get_by_label("Note", exact=True)
    field.click()
    field.evaluate(
        """(node) => {
          for (const key of ['1', 'Escape', 'Enter']) {
            node.dispatchEvent(new KeyboardEvent('keydown',
              {key, bubbles: true, isComposing: true, ctrlKey: key === 'Enter'}));
          }
        }"""
    )
    desk.settle(page)
    expect(field).to_be_visible()
    assert study.events() == []


def test_undo_gives_the_question_back(page: Page, study: Study) -> None:
    desk.answer(page, "1")
    expect(page.locator("[data-lease]")).to_contain_text("Is the answer correct?")
    desk.answer(page, "u")
    expect(page.locator("[data-lease]")).to_contain_text("Do the passages hold")
    assert study.labels() == []
    assert len(study.events()) == 1


def test_skip_asks_for_a_reason_and_moves_on(page: Page, study: Study) -> None:
    before = desk.shown_lease(page)
    page.keyboard.press("s")
    page.get_by_text("Why skip?").wait_for()
    desk.settle(page)
    page.keyboard.press("2")
    desk.wait_for_other(page, before)
    skipped = study.events()
    assert [(event.value, event.note) for event in skipped] == [("skip", "Not my language")]


def test_a_note_is_saved_with_its_last_characters(page: Page, study: Study) -> None:
    before = desk.shown_lease(page)
    page.keyboard.press("m")
    page.get_by_role("radio", name="No", exact=True).or_(
        page.get_by_role("button", name="No", exact=True)
    ).first.click()
    desk.settle(page)
    page.get_by_label("Note", exact=True).click()
    page.keyboard.type("the price is in Swiss francs")
    page.keyboard.press("Control+Enter")
    desk.wait_for_other(page, before)
    found = [(event.value, event.note) for event in study.events()]
    assert found == [("0", "the price is in Swiss francs")]


def test_a_note_without_an_answer_stays_and_says_so(page: Page, study: Study) -> None:
    page.keyboard.press("m")
    field = page.get_by_label("Note", exact=True)
    field.click()
    page.keyboard.type("half a thought")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("alert")).to_contain_text("Choose Yes, No or Can't tell")
    expect(field).to_have_value("half a thought")
    assert study.events() == []


def test_a_flag_reaches_the_lead_and_answers_nothing(page: Page, study: Study) -> None:
    before = desk.shown_lease(page)
    page.keyboard.press("f")
    page.get_by_label("What should the lead know?").click()
    page.keyboard.type("passage 2 is cut off")
    page.keyboard.press("Control+Enter")
    page.get_by_text("Flagged for the lead.").wait_for()
    assert desk.shown_lease(page) == before
    assert study.events() == []
    assert study.flags() == ["passage 2 is cut off"]
    page.get_by_role("link", name="Studies").click()
    page.get_by_role("tab", name="Flags").click()
    page.get_by_text("passage 2 is cut off").wait_for()


def test_help_shows_every_key_and_hides_again(page: Page) -> None:
    page.keyboard.press("h")
    sheet = page.locator(".ratchet-help")
    expect(sheet).to_contain_text("Take your last answer back")
    desk.settle(page)
    page.keyboard.press("h")
    expect(sheet).to_be_hidden()


def test_an_earlier_answer_can_be_changed(page: Page, study: Study) -> None:
    desk.answer(page, "1")
    before = desk.answer(page, "1")
    page.keyboard.press("l")
    page.get_by_role("button", name="Change Retrieval: Yes · item-000").click()
    desk.wait_for_other(page, before)
    expect(page.locator("[data-lease]")).to_contain_text("you said: Yes")
    desk.answer(page, "2")
    labels = {event.label_type: event.value for event in study.labels()}
    assert labels == {"retrieval": "0", "task": "1"}
    assert len(study.events()) == 3


def test_focus_is_seen(page: Page) -> None:
    page.locator("[class*=st-key-yes-] button").focus()
    page.keyboard.press("Tab")
    outline = page.evaluate("() => getComputedStyle(document.activeElement).outlineStyle")
    width = page.evaluate("() => parseFloat(getComputedStyle(document.activeElement).outlineWidth)")
    assert outline == "solid"
    assert width >= 2
