"""Saved posteriors: found again by what went into them, equal to a fresh fit of the log."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sqlalchemy import Engine, event

from db import fits
from db.engine import reading
from db.errors import StoreError
from db.studies import get_study
from model.rat.counts import CountTable, tabulate
from model.rat.derived import Quantity
from model.rat.policy import POLICY_PRESETS
from model.rat.priors import PRIOR_PRESETS
from tests.small_studies import (
    ANNA,
    LEAD,
    REFUSAL,
    START,
    STUDY,
    Row,
    answer_next,
    export_rows,
    make_study,
    moment,
)
from workflow import fitting, labelling, results, studies
from workflow.exporting import Kind
from workflow.fitting import Engine as Sampler
from workflow.fitting import SystemFit
from workflow.labelling import Value
from workflow.reports import FitSettings, report
from workflow.studies import Choices

ROWS = [
    Row("a1", "one"),
    Row("a2", "two", answer="Under the mat."),
    Row("b1", "one", query="Lamp?", contexts="Nothing.", answer=REFUSAL),
    Row("b2", "two", query="Lamp?", contexts="Nothing.", answer="On the table."),
]


@pytest.fixture
def fitted(monkeypatch: pytest.MonkeyPatch) -> "Counter[str]":
    """How often each system was fitted; the fit itself runs as ever."""
    calls: Counter[str] = Counter()
    real = fitting.fit_systems

    def counting(
        tables: Mapping[str, CountTable], settings: FitSettings, engine: Sampler
    ) -> Iterable[SystemFit]:
        calls.update(tables.keys())
        return real(tables, settings, engine)

    monkeypatch.setattr(fitting, "fit_systems", counting)
    return calls


def refresh(engine: Engine) -> None:
    fitting.refresh(engine, STUDY, Sampler.EXACT, START)


def latest(engine: Engine) -> dict[str, tuple[str, object]]:
    """Fingerprint and numbers of every system."""
    found = fitting.read_latest(engine, STUDY)
    assert found is not None
    return {fit.system: (fit.fingerprint, fit.summary) for fit in found.fits}


def test_a_refresh_without_news_fits_nothing(
    engine: Engine, tmp_path: Path, fitted: "Counter[str]"
) -> None:
    make_study(engine, tmp_path, ROWS)
    refresh(engine)
    before = latest(engine)
    refresh(engine)
    assert fitted == {"one": 1, "two": 1}
    assert latest(engine) == before


def test_a_task_label_moves_the_fit_of_its_system_alone(
    engine: Engine, tmp_path: Path, fitted: "Counter[str]"
) -> None:
    make_study(engine, tmp_path, ROWS, Choices(asks=studies.Asks.TASK))
    refresh(engine)
    before = latest(engine)
    answer_next(engine, ANNA)  # the task of a1
    refresh(engine)
    assert fitted == {"one": 2, "two": 1}
    assert latest(engine)["two"] == before["two"]
    assert latest(engine)["one"] != before["one"]


def test_a_late_fit_of_older_counts_does_not_replace_a_newer_one(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_study(engine, tmp_path, ROWS)
    newer: list[dict[str, tuple[str, object]]] = []
    real = fitting.fit_systems

    def overtaken(
        tables: Mapping[str, CountTable], settings: FitSettings, engine_used: Sampler
    ) -> Iterable[SystemFit]:
        monkeypatch.setattr(fitting, "fit_systems", real)
        answer_next(engine, ANNA)
        refresh(engine)
        newer.append(latest(engine))
        return real(tables, settings, engine_used)

    monkeypatch.setattr(fitting, "fit_systems", overtaken)
    refresh(engine)
    assert latest(engine) == newer[0]
    found = fitting.read_latest(engine, STUDY)
    assert found is not None
    assert found.behind == 0
    assert all(fit.grid is not None for fit in found.fits)


def test_undo_returns_to_the_same_fingerprint_and_the_same_numbers(
    engine: Engine, tmp_path: Path
) -> None:
    make_study(engine, tmp_path, ROWS)
    answer_next(engine, ANNA)
    refresh(engine)
    before = latest(engine)
    saved = answer_next(engine, ANNA, Value.NO)
    refresh(engine)
    assert latest(engine) != before
    labelling.undo(engine, ANNA, saved.event_id, moment(9))
    refresh(engine)
    assert latest(engine) == before


def test_the_saved_posterior_is_that_of_a_fresh_fit_of_the_exported_rows(
    engine: Engine, tmp_path: Path
) -> None:
    make_study(engine, tmp_path, ROWS)
    for value in (Value.YES, Value.NO, Value.YES):
        answer_next(engine, ANNA, value)
    refresh(engine)
    rows = pd.DataFrame(export_rows(engine, Kind.ITEMS))
    names = {"abstained_used": "abstained", "retrieval_label": "retrieval", "task_label": "task"}
    settings = fitting.read_due(engine, STUDY).settings
    for system, part in rows.groupby("system"):
        known = part[list(names)].apply(lambda cells: pd.to_numeric(cells.mask(cells == "")))
        table = tabulate(known.rename(columns=names))
        key = fitting.fingerprint(table, settings, Sampler.EXACT)
        seed = int(key[:8], 16)
        (posterior,) = fitting.ENGINES[Sampler.EXACT]([seed], [table], settings)
        fresh = report(np.random.default_rng(seed), table, posterior, settings).summary
        assert latest(engine)[str(system)] == (key, fresh)


@pytest.mark.parametrize(
    "choices",
    [
        Choices(priors=PRIOR_PRESETS["jeffreys"]),
        Choices(policy=POLICY_PRESETS["cautious"]),
        Choices(interval=0.8),
    ],
)
def test_another_prior_policy_or_interval_makes_new_fits_and_going_back_finds_the_numbers(
    engine: Engine, tmp_path: Path, choices: Choices
) -> None:
    make_study(engine, tmp_path, ROWS)
    answer_next(engine, ANNA)
    refresh(engine)
    before = latest(engine)
    studies.change(engine, STUDY, choices, LEAD, START)
    refresh(engine)
    after = latest(engine)
    assert {key for key, _ in before.values()}.isdisjoint({key for key, _ in after.values()})
    studies.change(engine, STUDY, Choices(), LEAD, START)
    refresh(engine)
    assert latest(engine) == before


def test_a_description_changes_no_fit(
    engine: Engine, tmp_path: Path, fitted: "Counter[str]"
) -> None:
    make_study(engine, tmp_path, ROWS)
    refresh(engine)
    studies.change(engine, STUDY, Choices(description="New words"), LEAD, START)
    refresh(engine)
    assert fitted == {"one": 1, "two": 1}


def test_the_labels_since_the_last_refresh_are_told(engine: Engine, tmp_path: Path) -> None:
    make_study(engine, tmp_path, ROWS)
    assert fitting.read_latest(engine, STUDY) is None
    assert results.read_results(engine, STUDY) is None
    refresh(engine)
    for behind in range(3):
        found = fitting.read_latest(engine, STUDY)
        assert found is not None
        assert found.behind == behind
        answer_next(engine, ANNA)


def test_the_history_holds_every_refresh_in_order(engine: Engine, tmp_path: Path) -> None:
    make_study(engine, tmp_path, ROWS)
    for _ in range(3):
        refresh(engine)
        answer_next(engine, ANNA)
    refresh(engine)
    history = results.read_history(engine, STUDY, Quantity.POLICY_ADHERENCE)
    assert list(history[history["system"] == "one"]["labels"]) == [0, 1, 2, 3]
    assert (history["half_width"] > 0).all()


def test_a_long_history_is_thinned_and_keeps_its_last_point(engine: Engine, tmp_path: Path) -> None:
    make_study(engine, tmp_path, ROWS)
    for _ in range(7):
        refresh(engine)
    with reading(engine) as session:
        study_id = get_study(session, STUDY).id
        everything = fits.list_history(session, study_id, 100)
        thinned = fits.list_history(session, study_id, 3)
    assert len(everything) == 7
    assert len(thinned) <= 4
    assert thinned[-1] == everything[-1]


def test_a_study_without_items_is_refreshed_to_nothing(engine: Engine) -> None:
    studies.create(engine, STUDY, Choices(), LEAD, START)
    refresh(engine)
    found = fitting.read_latest(engine, STUDY)
    assert found is not None
    assert found.fits == ()


def test_the_screen_shows_the_numbers_of_the_saved_fits(engine: Engine, tmp_path: Path) -> None:
    make_study(engine, tmp_path, ROWS)
    answer_next(engine, ANNA)
    refresh(engine)
    shown = results.read_results(engine, STUDY)
    assert shown is not None
    found = fitting.read_latest(engine, STUDY)
    assert found is not None
    for fit in found.fits:
        rows = shown.estimates[shown.estimates["system"] == fit.system]
        future = rows[rows["population"] == "future"].set_index("quantity")
        for quantity, estimate in fit.summary["estimates"].items():
            assert future.loc[quantity, "mean"] == estimate["mean"]
    assert list(shown.sizes["items"]) == [2, 2]


def test_a_pulse_tells_of_labels_and_of_a_newer_posterior(engine: Engine, tmp_path: Path) -> None:
    make_study(engine, tmp_path, ROWS)
    assert results.read_pulse(engine, STUDY, START) == (None, (0, 0), None)
    refresh(engine)
    first = results.read_pulse(engine, STUDY, START)
    assert results.read_pulse(engine, STUDY, START) == first
    assert first.freshness is not None
    assert (first.labels, first.freshness.behind) == ((0, 0), 0)
    answer_next(engine, ANNA)
    second = results.read_pulse(engine, STUDY, START)
    assert second.freshness is not None
    assert second.refresh_id == first.refresh_id
    assert (second.labels, second.freshness.behind) == ((1, 0), 1)
    assert second.labels == labelling.count_labels(engine, STUDY)
    refresh(engine)
    third = results.read_pulse(engine, STUDY, START)
    assert third.refresh_id != second.refresh_id


def statements(engine: Engine, read: Callable[[], object]) -> list[str]:
    """What is asked of the database."""
    asked: list[str] = []

    def note(*details: Any) -> None:
        asked.append(details[2])

    event.listen(engine, "before_cursor_execute", note)
    read()
    event.remove(engine, "before_cursor_execute", note)
    return asked


def test_a_pulse_reads_no_fit(engine: Engine, tmp_path: Path) -> None:
    make_study(engine, tmp_path, ROWS)
    refresh(engine)
    pulse = statements(engine, lambda: results.read_pulse(engine, STUDY, START))
    whole = statements(engine, lambda: results.read_results(engine, STUDY))
    assert not any("fit.summary" in one for one in pulse)
    assert any("fit.summary" in one for one in whole)


@pytest.mark.parametrize("read", [fitting.read_due, fitting.read_latest, labelling.count_labels])
def test_an_unknown_study_is_refused_by_every_reader(
    sqlite_engine: Engine, read: Callable[[Engine, str], object]
) -> None:
    with pytest.raises(StoreError, match="no study 'none'"):
        read(sqlite_engine, "none")
