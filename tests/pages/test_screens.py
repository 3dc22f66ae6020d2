"""Screens without a browser: what a press writes, what is never shown, what a failed fit says."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import Engine, text
from streamlit.testing.v1 import AppTest

from pages import resources
from tests.browser.studies import Item, Study, StudyMaker
from workflow import database, fitting, labelling
from workflow.fitting import Engine as Sampler
from workflow.labelling import Annotator, LabelType, ScriptLabel, Value

NAME = "screens"
MAIN = str(Path(__file__).parents[2] / "pages" / "main.py")
TIMEOUT = 30


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Engine]:
    url = f"sqlite:///{tmp_path / 'screens.db'}"
    monkeypatch.setenv("DATABASE_URL", url)
    monkeypatch.setenv("RATCHET_ANNOTATOR", "tester")
    resources.engine.clear()
    engine = database.connect(url)
    yield engine
    engine.dispose()
    resources.engine().dispose()
    resources.engine.clear()


@pytest.fixture
def study(store: Engine, tmp_path: Path) -> Study:
    return StudyMaker(store, tmp_path, NAME).of([Item("a"), Item("b")])


def results_screen() -> None:
    from pages.screens import results

    results.draw()


def words(screen: AppTest) -> str:
    """All HTML and captions of a screen."""
    blocks = [*screen.get("html"), *screen.caption]
    return "\n".join(str(getattr(block, "body", "") or block.value) for block in blocks)


def press(screen: AppTest, name: str) -> AppTest:
    """Press the one button whose key begins so."""
    return next(one for one in screen.button if (one.key or "").startswith(name)).click().run()


def test_a_press_writes_one_label_and_shows_the_next_question(study: Study) -> None:
    screen = AppTest.from_file(MAIN, default_timeout=TIMEOUT).run()
    assert not screen.exception
    assert "Do the passages hold" in words(screen)
    screen = press(screen, "yes-")
    assert [event.value for event in study.labels()] == ["1"]
    assert "Is the answer correct?" in words(screen)
    assert "Saved" in words(screen)


def test_a_press_on_an_old_drawing_writes_nothing(study: Study) -> None:
    first = AppTest.from_file(MAIN, default_timeout=TIMEOUT).run()
    second = AppTest.from_file(MAIN, default_timeout=TIMEOUT).run()
    press(first, "yes-")
    press(second, "no-")
    assert [event.value for event in study.events()] == ["1"]


def test_who_answers_when_the_labels_wanted_are_in_hears_that_the_vote_is_extra(
    study: Study, store: Engine
) -> None:
    screen = AppTest.from_file(MAIN, default_timeout=TIMEOUT).run()
    meanwhile = ScriptLabel("a", LabelType.RETRIEVAL, Value.NO)
    labelling.label_by_script(store, Annotator(NAME, "other"), meanwhile, datetime.now(UTC))
    screen = press(screen, "yes-")
    assert "Kept as an extra vote: the item already had the labels it needs" in words(screen)
    assert "Saved" not in words(screen)
    assert labelling.count_labels(store, NAME) == (1, 0)
    screen = press(screen, "yes-")
    assert "extra vote" not in words(screen)
    assert "Saved" in words(screen)


def test_a_failed_fit_shows_its_reason_and_no_interval(study: Study, store: Engine) -> None:
    fitting.refresh(store, NAME, Sampler.EXACT, datetime.now(UTC))
    good = AppTest.from_function(results_screen, default_timeout=TIMEOUT).run()
    charts = len(good.get("vega_lite_chart"))
    with store.begin() as connection:
        summary = json.loads(connection.scalar(text("select summary from fit")) or "{}")
        summary["diagnostics"] |= {"ok": False, "reason": "R-hat is 1.20"}
        connection.execute(
            text("update fit set summary = :summary"), {"summary": json.dumps(summary)}
        )
    bad = AppTest.from_function(results_screen, default_timeout=TIMEOUT).run()
    assert not bad.exception
    assert "the fit failed its checks: R-hat is 1.20" in words(bad)
    assert len(bad.get("vega_lite_chart")) < charts


def test_before_the_first_posterior_the_screen_says_what_happens(study: Study) -> None:
    screen = AppTest.from_function(results_screen, default_timeout=TIMEOUT).run()
    assert not screen.exception
    assert "The first posterior is on its way" in words(screen)
