"""What the commands of `ratchet` do, in the words of the command line."""

import json
import math
import sys
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from db.formats.columns import parse_mapping
from model.rat.counts import CountTable
from model.rat.derived import QUANTITIES, Quantity, quantities
from model.rat.policy import POLICY_PRESETS, Policy, get_policy, parse_policy
from model.rat.priors import get_priors
from workflow import database, exporting, fitting, importing, labelling
from workflow.errors import RatchetError
from workflow.exporting import FileFormat, Kind
from workflow.exporting import Wish as Wish
from workflow.filecounts import AbstentionFrom as AbstentionFrom
from workflow.filecounts import count_file
from workflow.fitting import Engine
from workflow.labelling import Annotator, LabelType, ScriptLabel, Value
from workflow.reports import FitSettings, prior_name, report

# A source that ends so is a file also when it is not there; "v1.2" may be a study.
FILE_SUFFIXES = frozenset({".csv", ".tsv", ".txt", ".json", ".jsonl", ".ndjson", ".parquet"})
EXACT_DRAWS = 100_000  # on the command line there is time for a finer answer


class ImportWish(NamedTuple):
    """Arguments of `import`."""

    study: str
    file: Path
    mapping: tuple[str, ...]
    is_dry_run: bool
    replaces: bool


class FitWish(NamedTuple):
    """Arguments of `fit` and `check`."""

    source: str
    system: str | None
    interval: float | None
    prior: str | None
    policy: str | None
    engine: Engine
    seed: int
    abstention: AbstentionFrom


class LabelWish(NamedTuple):
    """Arguments of `label`."""

    study: str
    item: str
    label_type: LabelType
    value: Value
    annotator: str
    note: str | None


class _Fitted(NamedTuple):
    """A posterior of one system: its document, and the draws behind it."""

    document: dict[str, Any]
    draws: Mapping[Quantity, Any]


def import_file(wish: ImportWish, now: datetime) -> tuple[importing.Report, str]:
    """Bring a file in; returns the report and a sentence about it.

    Raises:
        StoreError: the file or a row of it is no good; nothing was written.
    """
    request = importing.Request(
        wish.study,
        wish.file,
        "command line",
        parse_mapping(wish.mapping),
        wish.replaces,
        wish.is_dry_run,
    )
    with database.for_import(database.database_url(), wish.is_dry_run) as engine:
        report = importing.import_file(engine, request, now)
    text = f"{report.recognised}. {importing.describe(report)}"
    if wish.is_dry_run:
        text += " Dry run: nothing was written."
    elif not report.is_written:
        text += " Nothing was written. Run again with --replace to replace what differs."
    return report, text


def export(wish: Wish, output: Path | None, file_format: str | None = None) -> None:
    """Write a file, or stdout; without a format it is that of the file's name.

    Raises:
        StoreError: there is no such study.
        RatchetError: there is no database, or the file cannot be written.
    """
    chosen = FileFormat(file_format or _format_of(output))
    wish = wish._replace(kind=Kind(wish.kind), file_format=chosen)
    stream = exporting.stream(database.connect_existing(database.database_url()), wish)
    if output is None:
        for block in stream:
            sys.stdout.buffer.write(block)
        return
    part = output.with_name(output.name + ".part")
    try:
        with part.open("wb") as file:
            file.writelines(stream)
        part.replace(output)
    except OSError as error:
        raise RatchetError(
            f"{output} cannot be written: {error.strerror}. Choose another place."
        ) from error


def _format_of(output: Path | None) -> str:
    """The format that a file's name asks for; CSV where it says nothing."""
    suffix = "" if output is None else output.suffix.lower().lstrip(".")
    return suffix if suffix in tuple(FileFormat) else FileFormat.CSV


def fit(wish: FitWish) -> dict[str, Any]:
    """The document of `ratchet fit`.

    Raises:
        StoreError: there is no such study or file.
        RatchetError: there is no database, or no such system.
        ModelError: an option is no good, or the engine cannot fit these counts.
    """
    settings, tables = read_source(wish)
    systems = {system: _fit_one(table, settings, wish).document for system, table in tables.items()}
    return {
        "interval": settings.interval,
        "engine": wish.engine,
        "prior": prior_name(settings.priors),
        "policy": _policy_name(settings.policy),
        "systems": systems,
    }


def fit_text(document: dict[str, Any]) -> str:
    """The same as a table for people."""
    lines = []
    for system, found in document["systems"].items():
        labels = found["labels"]
        lines.append(
            f"{system}: {found['items']} answers, {labels['retrieval']} retrieval and"
            f" {labels['task']} task labels, {found['abstained']} refusals"
        )
        for quantity in QUANTITIES:
            value = found["estimates"][quantity]
            mark = "  (prior only)" if value["prior_only"] else ""
            lines.append(
                f"  {quantity:<34}{value['mean']:7.3f} ± {value['sd']:.3f}"
                f"  [{value['lower']:.3f}, {value['upper']:.3f}]{mark}"
            )
        if not found["diagnostics"]["ok"]:
            lines.append(f"  FAILED its checks: {found['diagnostics']['reason']}")
    return "\n".join(lines)


def parse_bounds(texts: list[str]) -> dict[Quantity, float]:
    """The wanted minimum of each quantity, from texts like policy_adherence=0.7.

    Raises:
        RatchetError: a text is not of that form.
    """
    return dict(map(_bound, texts))


def _bound(text: str) -> tuple[Quantity, float]:
    name, _, value = text.partition("=")
    try:
        quantity, bound = Quantity(name.strip()), float(value)
        if not math.isfinite(bound):
            raise ValueError(value)
    except ValueError as error:
        raise RatchetError(
            f"--min is {text!r}; QUANTITY=VALUE is expected, like policy_adherence=0.7, with"
            f" one of {', '.join(QUANTITIES)}."
        ) from error
    return quantity, bound


def check(wish: FitWish, bounds: dict[Quantity, float], probability: float) -> dict[str, Any]:
    """Whether each system reaches each minimum with the wanted probability.

    Raises:
        StoreError: there is no such study or file.
        ModelError: an option is no good, or the engine cannot fit these counts.
        RatchetError: the wanted probability is none.
    """
    if not 0 < probability < 1:
        raise RatchetError(
            f"--probability is {probability:g}; a number between 0 and 1 is expected, like 0.95."
        )
    settings, tables = read_source(wish)
    checks = []
    for system, table in tables.items():
        found = _fit_one(table, settings, wish)
        for quantity, bound in bounds.items():
            reached = float(np.mean(found.draws[quantity] >= bound))
            is_good = reached >= probability and found.document["diagnostics"]["ok"]
            checks.append(
                {
                    "system": system,
                    "quantity": quantity,
                    "min": bound,
                    "probability": round(reached, 4),
                    "ok": is_good,
                }
            )
    return {
        "probability": probability,
        "checks": checks,
        "ok": all(one["ok"] for one in checks) and bool(checks),
    }


def check_text(document: dict[str, Any]) -> str:
    """The same as lines for people."""
    return "\n".join(
        f"{'pass' if one['ok'] else 'FAIL'}  {one['system']}: P({one['quantity']} ≥"
        f" {one['min']:g}) = {one['probability']:.3f}, {document['probability']:g} wanted"
        for one in document["checks"]
    )


def label(wish: LabelWish, now: datetime) -> str:
    """Save one label; returns a sentence about it.

    Raises:
        StoreError: there is no such study or item.
        RatchetError: there is no database, a refusal has no task, or a skip is no label.
    """
    if wish.value == Value.SKIP:
        raise RatchetError("A skip is not a label; 0, 1 or cant_tell is expected.")
    if not wish.annotator.strip():
        raise RatchetError("--annotator is empty; the name of whose label it is is expected.")
    engine = database.connect_existing(database.database_url())
    new = ScriptLabel(wish.item, LabelType(wish.label_type), Value(wish.value), wish.note)
    saved = labelling.label_by_script(engine, Annotator(wish.study, wish.annotator), new, now)
    outcome = saved.why_extra or "Saved"
    return f"{outcome}: {wish.item} {wish.label_type} {saved.value} by {wish.annotator}."


def is_file(source: str) -> bool:
    """Whether a source names a file rather than a study."""
    path = Path(source)
    return path.exists() or path.suffix.lower() in FILE_SUFFIXES


def read_source(wish: FitWish) -> tuple[FitSettings, dict[str, CountTable]]:
    """Settings and counts of the source; options win over what a study has set.

    Raises:
        StoreError: there is no such study or file.
        RatchetError: there is no database, or no such system.
    """
    path = Path(wish.source)
    if is_file(wish.source):
        settings = FitSettings(
            read_policy(wish.policy or "rat"), get_priors(wish.prior or "uniform"), 0
        )
        tables = fitting.tables_of(count_file(path, {}, wish.abstention))
    else:
        due = fitting.read_due(database.connect_existing(database.database_url()), wish.source)
        settings, tables = due.settings, dict(due.tables)
        if wish.prior is not None:
            settings = settings._replace(priors=get_priors(wish.prior))
        if wish.policy is not None:
            settings = settings._replace(policy=read_policy(wish.policy))
    interval = wish.interval if wish.interval is not None else settings.interval or 0.95
    return settings._replace(interval=interval), _chosen(tables, wish.system)


def _chosen(tables: dict[str, CountTable], system: str | None) -> dict[str, CountTable]:
    if system is None:
        if not tables:
            raise RatchetError("The study has no items yet. Import a file first.")
        return tables
    if system not in tables:
        known = ", ".join(map(repr, tables))
        raise RatchetError(f"There is no system {system!r}; there are {known}. Correct --system.")
    return {system: tables[system]}


def _fit_one(table: CountTable, settings: FitSettings, wish: FitWish) -> _Fitted:
    (posterior,) = fitting.ENGINES[wish.engine]([wish.seed], [table], settings, EXACT_DRAWS)
    found = report(np.random.default_rng(wish.seed), table, posterior, settings)
    draws = quantities(posterior.rates, settings.policy)
    return _Fitted(found.summary, {quantity: draws.of(quantity) for quantity in QUANTITIES})


def read_policy(name: str) -> Policy:
    """A preset, or the six cell values in a JSON file.

    Raises:
        RatchetError: the file is not readable, or holds no object.
        ModelError: there is no such preset, or a value is no good.
    """
    if name in POLICY_PRESETS or not Path(name).is_file():
        return get_policy(name)
    try:
        values = json.loads(Path(name).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise RatchetError(
            f"The policy file {name!r} is not readable JSON: {error}. Correct the file."
        ) from error
    if not isinstance(values, dict):
        raise RatchetError(f"The policy file {name!r} holds no object of six cell values.")
    return parse_policy(values)


def _policy_name(policy: Policy) -> str:
    names = (name for name, preset in POLICY_PRESETS.items() if preset == policy)
    return next(names, "custom")
