"""Text of others shows exactly as typed, on every screen; long and right-to-left text too."""

import pytest
from playwright.sync_api import Page, expect

from pages.frame import WORD_JOINER
from tests.browser import desk
from tests.browser.conftest import OpenPage
from tests.browser.studies import Item, StudyMaker

pytestmark = pytest.mark.browser

ODD = (
    "$5 and $10 :tada: <script>alert(1)</script> **bold** _x_ :red[y] `c` [l](http://x.test)"
    " :material/home: # h &amp; \\"
)
HEBREW = "החבילה מגיעה בתוך שלושה ימי עסקים."
LONG = ("A long passage that goes on. " * 1800)[:50_000]
CHARTS_SECONDS = 30


def test_texts_names_and_labels_show_as_typed(open_page: OpenPage, studies: StudyMaker) -> None:
    item = Item(ODD, ODD, (ODD, HEBREW), ODD, ODD, ODD)
    study = studies._replace(name=ODD).of([item, item._replace(item_id="second")])
    page = open_page(study.path())
    desk.wait_for_question(page)
    assert page.locator(".ratchet-reading .ratchet-query").inner_text() == ODD
    assert page.locator(".ratchet-passage .ratchet-text").first.inner_text() == ODD
    assert page.locator(".ratchet-side .ratchet-text").all_inner_texts() == [ODD, ODD]
    expect(page.get_by_role("combobox", name="Study", exact=True)).to_have_value(ODD)
    desk.answer(page, "1")
    page.keyboard.press("l")
    button = page.locator("[class*=st-key-change-] button p").first
    button.wait_for()
    assert button.inner_text().replace(WORD_JOINER, "") == f"Change Retrieval: Yes · {ODD}"
    page.goto(page.url.replace("/?", "/data?"))
    expect(page.get_by_role("combobox", name="Into")).to_have_value(ODD)
    page.get_by_role("tab", name="Export").click()
    link = page.get_by_role("link", name="Download")
    expect(link).to_contain_text("Download ")
    page.goto(page.url.replace("/data?", "/results?"))
    expect(page.locator("[data-testid=stDataFrame] th", has_text=ODD).first).to_be_attached(
        timeout=CHARTS_SECONDS * 1000
    )


def test_each_passage_has_its_own_direction(open_page: OpenPage, studies: StudyMaker) -> None:
    study = studies.of([Item("a", contexts=("From left to right.", HEBREW))])
    page = open_page(study.path())
    desk.wait_for_question(page)
    directions = page.locator(".ratchet-passage .ratchet-text").evaluate_all(
        "nodes => nodes.map(node => getComputedStyle(node).direction)"
    )
    assert directions == ["ltr", "rtl"]


def in_view(page: Page, selector: str) -> bool:
    """Whether every such button lies within the window, which nobody has scrolled."""
    found: bool = page.locator(selector).evaluate_all(
        """nodes => nodes.length > 0 && nodes.every(node => {
          const box = node.getBoundingClientRect();
          const isInside = box.bottom <= innerHeight && box.right <= innerWidth;
          return box.width > 0 && box.top >= 0 && isInside;
        })"""
    )
    return found


def test_the_buttons_stay_in_view_beside_long_texts(
    open_page: OpenPage, studies: StudyMaker
) -> None:
    text = LONG[:6000]
    study = studies.of([Item(f"i{n}", text, (LONG, text), text, reference=text) for n in range(3)])
    page = open_page(study.path())
    desk.wait_for_question(page)
    assert len(page.locator(".ratchet-passage .ratchet-text").first.inner_text()) == len(LONG)
    assert in_view(page, ".st-key-question button")
    desk.answer(page, "1")
    page.keyboard.press("h")
    page.locator(".ratchet-help").wait_for()
    assert in_view(page, ".st-key-question button")
    assert in_view(page, ".ratchet-help")
    for key in "smfl":
        desk.settle(page)
        page.keyboard.press(key)
        page.locator(".st-key-back button").wait_for()
        assert in_view(page, ".st-key-question button"), f"after {key}"
        page.keyboard.press("Escape")
        page.locator(".st-key-answers").wait_for()
