"""From counts to saved posteriors: one fit a system, found again by its fingerprint.

The counts are read in one snapshot; no transaction is open while anything computes. The seed of a
fit is its fingerprint, so that the same counts always give the same numbers.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sqlalchemy import Engine as Database
from sqlalchemy.orm import Session

from db import fits, labels, studies
from db.counts import count_patterns
from db.engine import reading, transaction
from db.fits import NewFit, NewRefresh, SavedFit
from model.rat.counts import CountTable, canonical_bytes, tabulate
from model.rat.exact import fit_exact
from model.rat.posterior import Engine as Engine
from model.rat.posterior import Posterior
from workflow.reports import FitSettings, report
from workflow.studies import choices_of

FORMAT = 1  # of what is saved; another number makes every fit again
EXACT_DRAWS = 20_000
NUTS_ATTEMPTS = 3


class SystemFit(NamedTuple):
    """A posterior of one system with all that is shown of it."""

    system: str
    fingerprint: str
    engine: Engine
    is_ok: bool
    summary: dict[str, Any]
    grid: dict[str, Any]
    posterior: Posterior


class Due(NamedTuple):
    """A study's counts at one moment, and the settings they are fitted under."""

    study_id: int
    revision: int
    last_event_id: int
    labels: labels.LabelCounts
    tables: Mapping[str, CountTable]
    settings: FitSettings


def read_due(database: Database, name: str) -> Due:
    """The counts of a study, all from one snapshot.

    Raises:
        StoreError: there is no such study.
    """
    with reading(database) as session:
        study = studies.get_study(session, name)
        frame = count_patterns(session, study.id)
        return Due(
            study.id,
            study.revision,
            labels.last_event_id(session, study.id),
            labels.count_labels(session, study.id),
            tables_of(frame),
            settings_of(study),
        )


def refresh(database: Database, name: str, engine: Engine, now: datetime) -> None:
    """Bring the saved posterior of a study up to its counts; systems that did not move are kept.

    A fit that took so long that later counts were fitted meanwhile is dropped.

    Raises:
        StoreError: there is no such study.
        ModelError: the engine cannot fit these counts.
    """
    due = read_due(database, name)
    keys = {
        system: fingerprint(table, due.settings, engine) for system, table in due.tables.items()
    }
    with reading(database) as session:
        saved = {fit.system: fit for fit in fits.find_fits(session, due.study_id, [*keys.values()])}
    missing = {system: due.tables[system] for system in keys if system not in saved}
    made = list(fit_systems(missing, due.settings, engine))
    with transaction(database) as session:
        if fits.is_overtaken(session, due.study_id, due.revision):
            return
        ids = [fit.id for fit in saved.values()]
        ids += [fits.save_fit(session, _new(due.study_id, fit), now) for fit in made]
        fits.save_refresh(session, _point(due, engine, ids), now)


def fit_systems(
    tables: Mapping[str, CountTable], settings: FitSettings, engine: Engine
) -> Iterable[SystemFit]:
    """A fit for each system, in the order given."""
    keys = [fingerprint(table, settings, engine) for table in tables.values()]
    seeds = [int(key[:8], 16) for key in keys]
    posteriors = ENGINES[engine](seeds, [*tables.values()], settings)
    rows = zip(tables.items(), keys, seeds, posteriors, strict=True)
    for (system, table), key, seed, posterior in rows:
        found = report(np.random.default_rng(seed), table, posterior, settings)
        yield SystemFit(
            system,
            key,
            posterior.engine,
            posterior.diagnostics.ok,
            found.summary,
            found.grid,
            posterior,
        )


def tables_of(frame: pd.DataFrame) -> dict[str, CountTable]:
    """A count table for each system of a frame with the columns of `count_patterns`."""
    return {
        str(system): tabulate(part.drop(columns="system"))
        for system, part in frame.groupby("system", sort=True)
    }


def fingerprint(table: CountTable, settings: FitSettings, engine: Engine) -> str:
    """Names all that a posterior depends on, in 32 hexadecimal digits."""
    rest = json.dumps([FORMAT, engine, settings], sort_keys=True)
    return hashlib.sha256(canonical_bytes(table) + rest.encode()).hexdigest()[:32]


def _fit_exactly(
    seeds: Sequence[int],
    tables: Sequence[CountTable],
    settings: FitSettings,
    num_draws: int = EXACT_DRAWS,
) -> Iterable[Posterior]:
    for seed, table in zip(seeds, tables, strict=True):
        yield fit_exact(seed, table, settings.priors, num_draws)


def _fit_by_nuts(
    seeds: Sequence[int],
    tables: Sequence[CountTable],
    settings: FitSettings,
    num_draws: int = 0,
) -> Iterable[Posterior]:
    """Several systems at once; the number of draws is the sampler's own.

    A run that fails its checks is run again with other random numbers; if all fail, the last one
    is returned and shown as failed.
    """
    # JAX takes a second to import; only who samples pays for it.
    from model.rat.nuts import fit_nuts_all

    posteriors = fit_nuts_all(seeds, tables, settings.priors)
    for attempt in range(1, NUTS_ATTEMPTS):
        failed = [i for i, posterior in enumerate(posteriors) if not posterior.diagnostics.ok]
        others = [seeds[i] + attempt for i in failed]
        again = fit_nuts_all(others, [tables[i] for i in failed], settings.priors)
        for i, posterior in zip(failed, again, strict=True):
            posteriors[i] = posterior
    return posteriors


ENGINES = {Engine.EXACT: _fit_exactly, Engine.NUTS: _fit_by_nuts}


def _new(study_id: int, fit: SystemFit) -> NewFit:
    return NewFit(
        study_id, fit.system, fit.fingerprint, fit.engine, fit.is_ok, fit.summary, fit.grid
    )


def _point(due: Due, engine: Engine, ids: list[int]) -> NewRefresh:
    return NewRefresh(
        due.study_id,
        due.revision,
        due.last_event_id,
        due.labels.retrieval,
        due.labels.task,
        engine,
        tuple(ids),
    )


class Latest(NamedTuple):
    """The newest posterior of a study; `behind` counts the label events since."""

    engine: Engine
    made_at: datetime
    behind: int
    fits: tuple[SavedFit, ...]


def read_latest(database: Database, name: str) -> Latest | None:
    """The newest posterior of a study, or None while there is none.

    Raises:
        StoreError: there is no such study.
    """
    with reading(database) as session:
        return latest_of(session, studies.get_study(session, name).id)


def latest_of(session: Session, study_id: int) -> Latest | None:
    """The same within a snapshot of the caller."""
    found = fits.find_latest(session, study_id)
    if found is None:
        return None
    point, made_at = found
    behind = labels.count_since(session, study_id, point.last_event_id)
    saved = fits.get_fits(session, point.fit_ids)
    return Latest(Engine(point.engine), made_at, behind, tuple(saved))


def settings_of(study: studies.Study) -> FitSettings:
    """What a study's posterior depends on beside its counts."""
    choices = choices_of(study)
    return FitSettings(choices.policy, choices.priors, choices.interval)
