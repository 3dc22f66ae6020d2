"""Files in and out, and the settings of a study, in a browser."""

import csv
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from sqlalchemy import Engine

from tests.browser import desk
from tests.browser.conftest import OpenPage
from tests.browser.studies import Item, Study, StudyMaker, write_items
from workflow import refusals
from workflow import studies as workflow_studies

pytestmark = pytest.mark.browser

IMPORT_MS = 30_000
HEADER = "item_id,system,query,contexts,answer\n"


def upload(page: Page, path: Path) -> None:
    page.locator("input[type=file]").set_input_files(path)


def start_import(page: Page) -> None:
    page.get_by_role("button", name="Import into").click()


def expect_alert(page: Page, text: str) -> None:
    expect(page.locator(".ratchet-alert").filter(has_text=text)).to_be_visible(timeout=IMPORT_MS)


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_a_file_with_an_unknown_column_comes_in_and_out_and_is_labelled(
    open_page: OpenPage, studies: StudyMaker, tmp_path: Path
) -> None:
    study = studies.of([])
    rows = "".join(f'00{n},base,"Q, {n}?",P {n},A {n}\n' for n in range(3))
    text = (HEADER + rows).replace("query", "what_was_asked")
    page = open_page(study.path("data"))
    upload(page, write(tmp_path / "asked.csv", text))
    expect_alert(page, "query")
    expect(page.get_by_role("button", name="Import into")).to_be_disabled()
    page.get_by_role("combobox", name="query", exact=True).click()
    page.get_by_role("option", name="what_was_asked").click()
    expect(page.locator("[data-testid=stDataFrame]")).to_be_visible()
    start_import(page)
    expect_alert(page, "3 new items")
    page.get_by_role("button", name="Done").click()
    page.get_by_role("tab", name="Export").click()
    with page.expect_download() as started:
        page.get_by_role("link", name="Download").click()
    with started.value.path().open(encoding="utf-8", newline="") as file:
        assert [row["item_id"] for row in csv.DictReader(file)] == ["000", "001", "002"]
    page.get_by_role("link", name="Label", exact=True).click()
    desk.wait_for_question(page)
    expect(page.locator(".ratchet-reading")).to_contain_text("Q, 0?")


def test_a_broken_file_shows_one_clear_line(
    open_page: OpenPage, studies: StudyMaker, tmp_path: Path
) -> None:
    study = studies.of([])
    page = open_page(study.path("data"))
    broken = HEADER.strip() + ",retrieval_label\n1,base,Q,P,A,7\n"
    upload(page, write(tmp_path / "broken.csv", broken))
    start_import(page)
    expect_alert(page, "Row")
    expect_alert(page, "retrieval_label")
    assert "Traceback" not in page.inner_text("body")
    assert workflow_studies.list_systems(study.store, study.name) == []


def test_a_changed_text_waits_for_a_confirmation(
    open_page: OpenPage, studies: StudyMaker, tmp_path: Path
) -> None:
    study = studies.of([Item("a", answer="Old answer."), Item("b")])
    changed = write_items(tmp_path / "changed.csv", [Item("a", answer="New answer."), Item("b")])
    page = open_page(study.path("data"))
    upload(page, changed)
    start_import(page)
    expect_alert(page, "Nothing was changed yet")
    page.get_by_role("button", name="Leave everything as it is").click()
    upload(page, changed)
    start_import(page)
    expect_alert(page, "Nothing was changed yet")
    page.get_by_role("button", name="Replace what differs").click()
    expect_alert(page, "Imported into")
    page.goto(page.url.replace("/data?", "/?"))
    desk.wait_for_question(page)
    expect(page.locator(".ratchet-side")).to_contain_text("New answer.")


def test_twenty_megabytes_come_in(open_page: OpenPage, studies: StudyMaker, tmp_path: Path) -> None:
    study = studies.of([])
    long = "A passage of some length that fills the file. " * 1000
    items = [Item(f"item-{number}", contexts=(long,)) for number in range(460)]
    path = write_items(tmp_path / "large.csv", items)
    assert path.stat().st_size > 20_000_000
    page = open_page(study.path("data"))
    upload(page, path)
    page.get_by_role("button", name="Import into").click(timeout=IMPORT_MS)
    expect_alert(page, "460 new items")


def test_a_new_study_takes_any_name(open_page: OpenPage, store: Engine, study: Study) -> None:
    name = "Köln :tada: $1 & <b>2</b>"
    page = open_page(study.path("studies"))
    page.get_by_role("tab", name="New study").click()
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_role("button", name="Make study").click()
    expect_alert(page, "Made.")
    picker = page.get_by_role("combobox", name="Study", exact=True)
    expect(picker).to_have_value(name)
    page.get_by_role("link", name="Data", exact=True).click()
    expect(page.get_by_role("combobox", name="Into")).to_have_value(name)
    assert name in workflow_studies.list_names(store)


def test_a_policy_is_chosen_and_kept(open_page: OpenPage, store: Engine, study: Study) -> None:
    page = open_page(study.path("studies"))
    page.get_by_role("combobox", name="What counts as adherence (policy)").click()
    page.get_by_role("option", name="Right 1, silent ½, wrong 0").click()
    page.get_by_role("button", name="Save settings").click()
    expect_alert(page, "Settings saved.")
    found = {one.name: one.choices for one in workflow_studies.list_overviews(store)}
    assert found[study.name].policy.found_abstained == 0.5


def test_abstention_rules_are_previewed_and_put_in_force(
    open_page: OpenPage, store: Engine, studies: StudyMaker
) -> None:
    # This refusal is longer than fifty characters and its phrase is not in its first sentence.
    answer = "The warranty desk is closed today. I cannot answer this question."
    study = studies.of([Item("a", answer=answer), Item("b")])
    page = open_page(study.path("studies"))
    page.get_by_role("tab", name="Refusals").click()
    expect(page.locator(".ratchet-bar")).to_contain_text("0 would change")
    field = page.get_by_label("A longer answer is judged by its first sentence alone")
    field.fill("50")
    field.press("Enter")
    expect(page.locator(".ratchet-bar")).to_contain_text("1 would change")
    page.get_by_role("button", name="Put in force").click()
    expect_alert(page, "Version 2 is in force")
    assert refusals.read_rules(store, study.name).version == 2
