"""What the Results screen shows: posteriors as frames ready to draw, and how fresh they are.

Who watches reads a pulse, a few small rows, and the frames only when it names another posterior.
"""

from datetime import datetime
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sqlalchemy import Engine as Database

from db import fits, jobs, labels, studies
from db.engine import reading
from db.fits import SavedFit
from db.labels import LabelCounts as LabelCounts
from model.rat.cells import CELL_NAMES
from model.rat.derived import QUANTITIES, Quantity
from model.rat.posterior import Engine as Engine
from workflow.fitting import latest_of, settings_of
from workflow.reports import GRID, FitSettings

HISTORY_POINTS = 300
INNER = 0.5  # the inner interval of a chart


class Freshness(NamedTuple):
    """How new the numbers are; `worker` is what the worker says, None when it is not there."""

    engine: Engine
    made_at: datetime
    behind: int
    worker: str | None


class Pulse(NamedTuple):
    """What moves all the time; `refresh_id` names the newest posterior, None while there is none.

    `freshness` is None where there is no posterior.
    """

    refresh_id: int | None
    labels: LabelCounts
    freshness: Freshness | None


class Diagnosis(NamedTuple):
    """The diagnostics of one system's fit."""

    system: str
    rhat_max: float | None
    ess_min: float | None
    divergences: int
    is_ok: bool
    reason: str


class Results(NamedTuple):
    """The posterior of a study.

    estimates: system, population (future, here), quantity, mean, sd, lower, upper, inner_lower,
        inner_upper, prior_only, labels_behind.
    cells: system, cell, mean, value (what the policy gives the cell).
    priors: system, prior, mean, lower, upper of adherence; the row "before any label" is the
        prior that the study's priors imply.
    sizes: system, items, retrieval, task, abstained.
    """

    settings: FitSettings
    estimates: pd.DataFrame
    cells: pd.DataFrame
    priors: pd.DataFrame
    sizes: pd.DataFrame
    diagnoses: tuple[Diagnosis, ...]


def read_pulse(database: Database, name: str, now: datetime) -> Pulse:
    """How many labels there are and how far behind the newest posterior is; reads no fit.

    Raises:
        StoreError: there is no such study.
    """
    with reading(database) as session:
        study = studies.get_study(session, name)
        counts = labels.count_labels(session, study.id)
        found = fits.find_latest(session, study.id)
        if found is None:
            return Pulse(None, counts, None)
        point, made_at = found
        behind = labels.count_since(session, study.id, point.last_event_id)
        worker = jobs.worker_state(session, now)
        refresh_id = fits.latest_refresh_id(session, study.id)
    return Pulse(refresh_id, counts, Freshness(Engine(point.engine), made_at, behind, worker))


def read_results(database: Database, name: str) -> Results | None:
    """The newest posterior of a study, or None while there is none.

    Raises:
        StoreError: there is no such study.
    """
    with reading(database) as session:
        study = studies.get_study(session, name)
        latest = latest_of(session, study.id)
        if latest is None:
            return None
    settings, saved = settings_of(study), latest.fits
    return Results(
        settings,
        pd.DataFrame([row for fit in saved for row in _estimate_rows(fit)]),
        pd.DataFrame([row for fit in saved for row in _cell_rows(fit, settings)]),
        pd.DataFrame([row for fit in saved for row in _prior_rows(fit)]),
        pd.DataFrame([_size_row(fit) for fit in saved]),
        tuple(_diagnosis(fit) for fit in saved),
    )


def read_history(database: Database, name: str, quantity: Quantity) -> pd.DataFrame:
    """Half-widths of the past: system, labels, half_width, one row a refresh and system."""
    with reading(database) as session:
        study = studies.get_study(session, name)
        points = fits.list_history(session, study.id, HISTORY_POINTS)
    rows = [
        (system, point.retrieval_labels + point.task_labels, _half_width(summary, quantity))
        for point in points
        for system, summary in point.summaries.items()
    ]
    frame = pd.DataFrame(rows, columns=["system", "labels", "half_width"])
    return frame.drop_duplicates(["system", "labels"], keep="last", ignore_index=True)


def _half_width(summary: dict[str, Any], quantity: Quantity) -> float:
    found = summary["estimates"][quantity]
    return float((found["upper"] - found["lower"]) / 2)


def _estimate_rows(fit: SavedFit) -> list[dict[str, Any]]:
    rows = []
    for population, key in (("future", "estimates"), ("here", "this_test_set")):
        for quantity in QUANTITIES:
            found = fit.summary[key][quantity]
            marks = fit.summary["estimates"][quantity]
            inner = _inner(fit, population, quantity)
            rows.append(
                {
                    "system": fit.system,
                    "population": population,
                    "quantity": str(quantity),
                    "mean": found["mean"],
                    "sd": found["sd"],
                    "lower": found["lower"],
                    "upper": found["upper"],
                    "inner_lower": inner[0],
                    "inner_upper": inner[1],
                    "prior_only": marks["prior_only"],
                    "labels_behind": marks["labels_behind"],
                }
            )
    return rows


def _inner(fit: SavedFit, population: str, quantity: Quantity) -> tuple[float, float]:
    if fit.grid is None:
        return np.nan, np.nan
    grid = np.array(fit.grid[population][quantity], dtype=float)
    lower, upper = np.interp([(1 - INNER) / 2, (1 + INNER) / 2], GRID, grid)
    return float(lower), float(upper)


def _cell_rows(fit: SavedFit, settings: FitSettings) -> list[dict[str, Any]]:
    return [
        {
            "system": fit.system,
            "cell": name,
            "mean": fit.summary["cells"][name]["mean"],
            "lower": fit.summary["cells"][name]["lower"],
            "upper": fit.summary["cells"][name]["upper"],
            "value": value,
        }
        for name, value in zip(CELL_NAMES, settings.policy, strict=True)
    ]


def _prior_rows(fit: SavedFit) -> list[dict[str, Any]]:
    named = {"before any label": fit.summary["prior_of_adherence"], **fit.summary["other_priors"]}
    return [
        {
            "system": fit.system,
            "prior": name,
            "mean": found["mean"],
            "lower": found["lower"],
            "upper": found["upper"],
        }
        for name, found in named.items()
    ]


def _size_row(fit: SavedFit) -> dict[str, Any]:
    summary = fit.summary
    return {
        "system": fit.system,
        "items": summary["items"],
        "retrieval": summary["labels"]["retrieval"],
        "task": summary["labels"]["task"],
        "abstained": summary["abstained"],
    }


def _diagnosis(fit: SavedFit) -> Diagnosis:
    found = fit.summary["diagnostics"]
    return Diagnosis(
        fit.system,
        found["rhat_max"],
        found["ess_min"],
        found["divergences"],
        found["ok"],
        found["reason"],
    )
