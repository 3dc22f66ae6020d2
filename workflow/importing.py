"""Files in: an item or label file into a study, all of it or nothing, and never twice.

Reading, checking and staging take no lock; the last step is one short transaction. It refuses
answers that were scored by abstention rules which others have replaced meanwhile.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pandas as pd
from sqlalchemy import Connection, Engine
from sqlalchemy.orm import Session

from db import audit, items, people, studies
from db.engine import reading
from db.formats.batches import RowBatch, TableSource
from db.formats.columns import ColumnPlan, plan_columns
from db.formats.columns import FileKind as FileKind
from db.formats.reading import open_table
from db.item_merge import ItemFindings, inspect_items, log_overrides, merge_items
from db.item_rows import Reading, read_rows, stored_columns
from db.label_findings import LabelFindings, inspect_labels, refuse_strays
from db.label_merge import merge_labels
from db.label_rows import read_labels
from db.locks import own_answers
from db.staging import merging, stage, staging
from model.abstention.rules import DEFAULT_RULES, AbstentionRules, score_answers
from workflow.errors import RatchetError
from workflow.stored_rules import from_stored
from workflow.studies import Choices, create_in

PREVIEW_ROWS = 20
IMPORT = "import"  # the action in the record
NO_ITEMS = ItemFindings(0, 0, 0, ())


class Request(NamedTuple):
    """What to import where; `mapping` is canonical name -> file column.

    `replaces` confirms that changed texts and contradicting labels replace those there.
    `scores_answers`: where the file does not say what is a refusal, the rules do.
    """

    study: str
    path: Path
    person: str
    mapping: Mapping[str, str] = {}
    replaces: bool = False
    is_dry_run: bool = False
    scores_answers: bool = True


class Report(NamedTuple):
    """What an import found; `is_written` is False for a dry run or unconfirmed changes."""

    kind: FileKind
    recognised: str
    items: ItemFindings
    labels: LabelFindings
    is_written: bool

    @property
    def needs_confirmation(self) -> bool:
        """Whether the file contradicts what is there."""
        return bool(self.items.num_changed or self.labels.num_conflicts)


class Preview(NamedTuple):
    """A file before it is imported: what it was recognised as, and its first rows as text."""

    kind: FileKind
    recognised: str
    columns: tuple[str, ...]
    plan: ColumnPlan
    rows: pd.DataFrame


def preview(path: Path, mapping: Mapping[str, str]) -> Preview:
    """The first rows of a file under their canonical names.

    Raises:
        StoreError: the file or the mapping is no good.
    """
    source = open_table(path)
    plan = plan_columns(source.columns, mapping)
    first = next(iter(source.batches()))
    rows = first.table.slice(0, PREVIEW_ROWS).to_pandas()
    return Preview(plan.kind, _recognised(source, plan), source.columns, plan, rows)


def import_file(
    engine: Engine,
    request: Request,
    now: datetime,
    on_rows: Callable[[int], None] = lambda rows: None,
) -> Report:
    """Bring a file in; `on_rows` hears the number of rows read so far.

    Raises:
        StoreError: a row, the file, or the mapping is no good; nothing was written.
        RatchetError: the study got other abstention rules meanwhile; nothing was written.
    """
    source = open_table(request.path)
    plan = plan_columns(source.columns, request.mapping)
    file = _File(source, plan, request, _rules(engine, request.study), now)
    with staging(engine) as connection:
        _stage_all(connection, file, on_rows)
        if request.is_dry_run:
            return _inspect(connection, file)
        with suppress(_Unconfirmed), merging(connection):
            report = _merge(connection, file)
            if not report.is_written:
                raise _Unconfirmed
        return report


def describe(report: Report) -> str:
    """The report in one sentence."""
    found, labels = report.items, report.labels
    parts = []
    if report.kind == FileKind.ITEMS:
        parts.append(f"{found.new} new items, {found.unchanged} unchanged")
    parts.append(f"{labels.new} new labels, {labels.unchanged} unchanged")
    text = "; ".join(parts)
    if not report.needs_confirmation:
        return text + "."
    keys = ", ".join((*found.changed, *labels.conflicts)[:5])
    return (
        f"{text}; {found.num_changed} items have another text or abstention than before and"
        f" {labels.num_conflicts} labels contradict those there ({keys}, …)."
    )


class _Unconfirmed(Exception):  # noqa: N818  (rolls the merge back, seen by nobody)
    """The file contradicts what is there and nobody confirmed it."""


class _File(NamedTuple):
    """A file on its way in; `rules` are those by which its answers are scored."""

    source: TableSource
    plan: ColumnPlan
    request: Request
    rules: AbstentionRules
    now: datetime

    @property
    def is_items(self) -> bool:
        return self.plan.kind == FileKind.ITEMS

    def report(self, found: ItemFindings, labels: LabelFindings, is_written: bool) -> Report:
        """The report on this file."""
        recognised = _recognised(self.source, self.plan)
        return Report(self.plan.kind, recognised, found, labels, is_written)


def _stage_all(connection: Connection, file: _File, on_rows: Callable[[int], None]) -> None:
    batches = _counted(file.source, on_rows)
    if not file.is_items:
        for labels in read_labels(batches, file.plan, file.now):
            stage(connection, [], labels)
        return
    score = partial(_abstentions, rules=file.rules) if file.request.scores_answers else _unknown
    for staged in read_rows(batches, Reading(file.plan, score, file.now)):
        stage(connection, staged.items, staged.labels)


def _counted(source: TableSource, on_rows: Callable[[int], None]) -> Iterator[RowBatch]:
    for batch in source.batches():
        yield batch
        on_rows(batch.first_row + batch.table.num_rows - 1)


def _rules(engine: Engine, name: str) -> AbstentionRules:
    with reading(engine) as session:
        study = studies.find_study(session, name)
        return DEFAULT_RULES if study is None else _rules_in_force(session, study)


def _rules_in_force(session: Session, study: studies.Study) -> AbstentionRules:
    return from_stored(items.read_rules(session, study.id)[1])


def _unknown(answers: Sequence[str | None]) -> list[bool | None]:
    return [None] * len(answers)


def _abstentions(answers: Sequence[str | None], rules: AbstentionRules) -> list[bool | None]:
    return [verdict.abstained for verdict in score_answers(answers, rules)]


def _inspect(connection: Connection, file: _File) -> Report:
    with Session(bind=connection) as session:
        study = studies.find_study(session, file.request.study)
    study_id = 0 if study is None else study.id
    found = inspect_items(connection, study_id) if file.is_items else NO_ITEMS
    labels = inspect_labels(connection, study_id)
    if not file.is_items:
        refuse_strays(connection)
    return file.report(found, labels, False)


def _merge(connection: Connection, file: _File) -> Report:
    """Inspect again, now under the write lock, and write unless something wants confirmation."""
    replaces = file.request.replaces
    with Session(bind=connection, join_transaction_mode="conditional_savepoint") as session:
        study = _study(session, file)
        own_answers(connection, study.id)
        found = NO_ITEMS
        if file.is_items:
            _refuse_old_rules(session, study, file)
            found = inspect_items(connection, study.id)
            if found.num_changed and not replaces:
                return file.report(found, inspect_labels(connection, study.id), False)
            merge_items(connection, study.id, replaces)
            if file.plan.overrides is not None:
                person_id = people.ensure_person(session, file.request.person, file.now)
                log_overrides(connection, person_id, file.now)
        labels = inspect_labels(connection, study.id)
        refuse_strays(connection)
        if labels.num_conflicts and not replaces:
            return file.report(found, labels, False)
        merge_labels(connection, study.id, replaces, file.now)
        report = file.report(found, labels, True)
        _record(session, study, report, file)
        session.flush()
        return report


def _refuse_old_rules(session: Session, study: studies.Study, file: _File) -> None:
    if _rules_in_force(session, study) != file.rules:
        raise RatchetError(
            f"The rules for refusals of {study.name!r} changed while the file was read; the rules"
            " in force are expected to score its answers. Nothing was imported: import it again."
        )


def _study(session: Session, file: _File) -> studies.Study:
    """The study of the request, made if new; labels alone make no study."""
    request = file.request
    study = studies.find_study(session, request.study)
    if study is None and file.is_items:
        study = create_in(session, request.study, Choices(), request.person, file.now)
        session.flush()
    return study or studies.get_study(session, request.study)


def _record(session: Session, study: studies.Study, report: Report, file: _File) -> None:
    """What follows from the import: columns for the export, a new revision, the record."""
    request = file.request
    if file.is_items:
        added = [name for name in stored_columns(file.plan) if name not in study.columns]
        studies.set_columns(session, study.id, (*study.columns, *added))
    studies.touch(session, study.id)
    detail = {"file": request.path.name, "found": describe(report), "replaces": request.replaces}
    audit.write(session, audit.Deed(request.person, IMPORT, detail, study.id), file.now)


def _recognised(source: TableSource, plan: ColumnPlan) -> str:
    return f"{source.description}; {plan.recognised}; {plan.kind} file"
