"""Which column of a file is which? Canonical names, names of other tools, or a mapping.

Names match in any case. A mapping goes before a canonical name, that before another tool's name.
Nothing is dropped: what is no known column is metadata, but for columns that Ratchet computes.
"""

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from db.errors import MappingError
from db.formats.aliases import TOOLS, Tool
from db.formats.overrides import SOURCE, USED, OverrideColumns, find_override_columns
from db.formats.spreadsheet import MARKER

# Written by the export of items, computed again after an import.
COMPUTED_COLUMNS = frozenset(
    {
        "retrieval_votes",
        "task_votes",
        "policy_adherence",
        "p_retrieval",
        "p_task",
        "p_policy_adherence",
        USED,
        SOURCE,
        MARKER,
    }
)
LABEL_SIGNATURE = frozenset({"item_id", "label_type", "value"})
JUDGE_PREFIX = "judge:"
JUDGE_COLUMN = re.compile(r"judge:(.+):(retrieval|task)(:score)?", re.IGNORECASE)


class FileKind(StrEnum):
    """What a row of the file is."""

    ITEMS = "items"
    LABELS = "labels"


class ItemColumns(NamedTuple):
    """File column of each canonical name of an item file; None where the file has none."""

    item_id: str | None = None
    system: str | None = None
    query: str | None = None
    query_id: str | None = None
    contexts: str | None = None
    context_id: str | None = None
    answer: str | None = None
    reference: str | None = None
    abstained: str | None = None
    retrieval_label: str | None = None
    task_label: str | None = None
    annotator: str | None = None
    labelled_at: str | None = None
    retrieval_score: str | None = None
    rerank_score: str | None = None
    citations: str | None = None
    nli: str | None = None


class LabelColumns(NamedTuple):
    """File column of each canonical name of a label file; None where the file has none."""

    study: str | None = None
    item_id: str | None = None
    query_id: str | None = None
    context_id: str | None = None
    system: str | None = None
    label_type: str | None = None
    value: str | None = None
    annotator: str | None = None
    labelled_at: str | None = None
    seconds: str | None = None
    reason_asked: str | None = None
    selection_probability: str | None = None
    fit_id: str | None = None
    note: str | None = None


class JudgeColumns(NamedTuple):
    """File columns of one judge's verdicts on one variable.

    Attributes:
        judge: name of the judge, as in the header.
        label_type: "retrieval" or "task".
        verdict: file column of 0/1/blank.
        score: file column of the raw score, None without one.
    """

    judge: str
    label_type: str
    verdict: str
    score: str | None


class ColumnPlan(NamedTuple):
    """What each column of a file is taken for.

    Attributes:
        kind: items or labels; the columns of the other kind are all None.
        recognised: for people, for example "RAGAS 0.2 columns".
        metadata: columns kept as they come, in file order.
        ignored: columns that Ratchet computes itself.
        overrides: those of them that hold people's words on abstention, if they are there.
    """

    kind: FileKind
    recognised: str
    items: ItemColumns
    labels: LabelColumns
    judges: tuple[JudgeColumns, ...]
    metadata: tuple[str, ...]
    ignored: tuple[str, ...]
    overrides: OverrideColumns | None


# Canonical name -> file column.
Assignment = dict[str, str]


def parse_mapping(pairs: Iterable[str]) -> Mapping[str, str]:
    """Return the mapping that arguments like "answer=response" (canonical=file column) spell.

    Raises:
        MappingError: an argument without "=", or a canonical name twice.
    """
    mapping: Assignment = {}
    for pair in pairs:
        canonical, equals, column = (part.strip() for part in pair.partition("="))
        if not (canonical and equals and column):
            raise MappingError(
                f"{pair!r} is no mapping; NAME=COLUMN is expected, like answer=response."
            )
        if canonical in mapping:
            raise MappingError(
                f"{canonical!r} is mapped to {mapping[canonical]!r} and to {column!r}; "
                "one column is expected. Leave one out."
            )
        mapping[canonical] = column
    return mapping


def plan_columns(columns: Sequence[str], mapping: Mapping[str, str] | None = None) -> ColumnPlan:
    """Return what each column of a file is taken for.

    Args:
        columns: the header of the file, names that differ by more than case.
        mapping: canonical name -> file column, where the names alone do not tell.

    Raises:
        MappingError: a mapping to or from a name that is not there, two columns for one name, or
            a column that begins with "judge:" and does not go on as one.
    """
    assigned = _assign_mapping(columns, mapping or {})
    kind = _kind_of(columns, assigned)
    _check_names(assigned, kind)
    _assign_own_names(assigned, columns, kind)
    tool = _assign_aliases(assigned, columns) if kind is FileKind.ITEMS else None
    free = [column for column in columns if column not in set(assigned.values())]
    is_items = kind is FileKind.ITEMS
    ignored = tuple(column for column in free if _folded(column) in COMPUTED_COLUMNS)
    return ColumnPlan(
        kind=kind,
        recognised=f"{tool.name if tool else 'Ratchet'} columns",
        items=ItemColumns(*map(assigned.get, ItemColumns._fields)) if is_items else ItemColumns(),
        labels=LabelColumns()
        if is_items
        else LabelColumns(*map(assigned.get, LabelColumns._fields)),
        judges=_judges(assigned),
        metadata=tuple(column for column in free if _folded(column) not in COMPUTED_COLUMNS),
        ignored=ignored,
        overrides=find_override_columns(ignored) if is_items else None,
    )


def _folded(name: str) -> str:
    """Names that differ in case or outer blanks only are one."""
    return name.strip().casefold()


def _canonical(name: str) -> str:
    """Folded, but the name of a judge keeps its case."""
    match = JUDGE_COLUMN.fullmatch(name.strip())
    if match is None:
        return _folded(name)
    return f"{JUDGE_PREFIX}{match[1]}:{match[2].lower()}{(match[3] or '').lower()}"


def _assign_mapping(columns: Sequence[str], mapping: Mapping[str, str]) -> Assignment:
    """Columns that the user named."""
    by_name = {_folded(column): column for column in columns}
    assigned: Assignment = {}
    for name, wanted in mapping.items():
        column = by_name.get(_folded(wanted))
        if column is None:
            raise MappingError(
                f"There is no column {wanted!r} to map {name!r} to; the file has "
                f"{', '.join(columns)}. Correct the mapping."
            )
        if column in assigned.values():
            raise MappingError(
                f"Column {column!r} is mapped twice; each column has one name. Leave one out."
            )
        _assign(assigned, _canonical(name), column)
    return assigned


def _assign(assigned: Assignment, canonical: str, column: str) -> None:
    """One column for each name."""
    if canonical in assigned:
        raise MappingError(
            f"Columns {assigned[canonical]!r} and {column!r} are both taken for {canonical!r}; "
            "one is expected. Map the other one to another name, or rename it in the file."
        )
    assigned[canonical] = column


def _kind_of(columns: Sequence[str], assigned: Assignment) -> FileKind:
    """Labels when a row names an item, a label type and a value."""
    names = {_folded(column) for column in columns if column not in assigned.values()}
    return FileKind.LABELS if names | assigned.keys() >= LABEL_SIGNATURE else FileKind.ITEMS


def _known_names(kind: FileKind) -> tuple[str, ...]:
    """Canonical names, judge columns aside."""
    return ItemColumns._fields if kind is FileKind.ITEMS else LabelColumns._fields


def _check_names(assigned: Assignment, kind: FileKind) -> None:
    """Raise for a mapping to a name that is not canonical, and suggest the nearest."""
    known = _known_names(kind)
    for canonical in assigned:
        if canonical in known or JUDGE_COLUMN.fullmatch(canonical):
            continue
        nearest = difflib.get_close_matches(canonical, known, n=1)
        advice = f"Did you mean {nearest[0]!r}?" if nearest else "Correct the mapping."
        raise MappingError(
            f"{canonical!r} is not a column name of {kind}; {', '.join(known)} are. {advice}"
        )


def _assign_own_names(assigned: Assignment, columns: Sequence[str], kind: FileKind) -> None:
    """Columns under their canonical names, and the judges of items."""
    known = _known_names(kind)
    mapped = set(assigned.values())
    for column in columns:
        name = _canonical(column)
        is_judge = kind is FileKind.ITEMS and name.startswith(JUDGE_PREFIX)
        if column in mapped or not (name in known or is_judge):
            continue
        if is_judge and JUDGE_COLUMN.fullmatch(name) is None:
            raise MappingError(
                f"Column {column!r} is not judge:NAME:retrieval, judge:NAME:task or one of these "
                "with :score. Rename it in the file."
            )
        _assign(assigned, name, column)


def _assign_aliases(assigned: Assignment, columns: Sequence[str]) -> Tool | None:
    """Columns under the names of the first tool that shows and gives one; that tool."""
    by_name = {_folded(column): column for column in columns}
    for tool in TOOLS:
        if not tool.signature <= by_name.keys():
            continue
        before = len(assigned)
        for alias in tool.aliases:
            column = by_name.get(alias.column)
            if column and column not in assigned.values():
                assigned.setdefault(alias.canonical, column)
        if len(assigned) > before:
            return tool
    return None


def _judges(assigned: Assignment) -> tuple[JudgeColumns, ...]:
    """Verdicts in the order of the file, each with its score."""
    judges = []
    for canonical, column in assigned.items():
        match = JUDGE_COLUMN.fullmatch(canonical)
        if match is None:
            continue
        verdict = canonical.removesuffix(":score")
        if verdict not in assigned:
            raise MappingError(
                f"Column {column!r} has no column {verdict!r} of verdicts beside it. "
                "Add the verdicts (0, 1 or blank), or rename the score."
            )
        if match[3] is None:
            judges.append(
                JudgeColumns(match[1], match[2], column, assigned.get(f"{canonical}:score"))
            )
    return tuple(judges)
