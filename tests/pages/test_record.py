"""The record on the Team screen: page by page, searched, however few lines are left."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from db.audit import Deed, write
from db.engine import transaction
from pages import resources
from workflow import database

NOW = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)


def record() -> None:
    from pages.team.record import draw_record

    draw_record()


def test_the_record_is_read_page_by_page_and_searched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"sqlite:///{tmp_path / 'record.db'}"
    monkeypatch.setenv("DATABASE_URL", url)
    resources.engine.clear()
    engine = database.connect(url)
    with transaction(engine) as session:
        for number in range(120):
            write(session, Deed("ada", "invite", {"number": f"n{number}"}), NOW)
    screen = AppTest.from_function(record, default_timeout=30).run()
    assert not screen.exception
    assert len(screen.dataframe[0].value) == 50
    screen.number_input[0].set_value(3).run()
    # 120 lines, newest first: the third page holds the oldest twenty.
    assert list(screen.dataframe[0].value["Detail"])[-1] == "number: n0"
    assert len(screen.dataframe[0].value) == 20
    screen.text_input[0].set_value("n11").run()
    assert not screen.exception
    # n11 and n110 to n119.
    assert len(screen.dataframe[0].value) == 11
    screen.text_input[0].set_value("nobody").run()
    assert len(screen.dataframe) == 0
    engine.dispose()
    resources.engine().dispose()
    resources.engine.clear()
