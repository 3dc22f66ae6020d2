"""One truth for numbers: after any sequence of deeds, header, counts, progress and export agree.

A random walk of three people over five answers; what must come out is recomputed from a plain list
of events after every step.
"""

import itertools
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from sqlalchemy import Engine

from db import export
from db.counts import count_patterns
from db.engine import reading
from db.errors import StoreError
from db.studies import get_study
from tests.conftest import remove_rows
from tests.small_studies import (
    START,
    STUDY,
    Row,
    bring_in,
    csv_text,
    desk,
    export_rows,
    make_study,
    moment,
    say,
    want_votes,
)
from tests.workflow.label_log import LabelLog, OracleItem
from workflow import fitting, labelling, studies
from workflow.desk import RECENT
from workflow.errors import RatchetError
from workflow.exporting import Kind
from workflow.labelling import Annotator, Answered, LabelType, Value

ROWS = [
    Row("a1", "one", "Key?", "P1", "In the drawer."),
    Row("a2", "two", "Key?", "P1", "Under the mat."),
    Row("b1", "one", "Lamp?", "P2", "On the table."),
    Row("b2", "two", "Lamp?", "P2", "I don't know."),
    Row("c1", "one", "Door?", "P3", "To the left."),
]
ITEMS = tuple(OracleItem(row.item_id, str(row.contexts)) for row in ROWS)
PEOPLE = ("anna", "ben", "cleo")

person = st.sampled_from(PEOPLE)
item = st.sampled_from([row.item_id for row in ROWS])
label_type = st.sampled_from(list(LabelType))
said = st.sampled_from([Value.YES, Value.YES, Value.NO, Value.CANT_TELL])
shown = st.sampled_from([Value.YES, Value.YES, Value.NO, Value.CANT_TELL, Value.SKIP])


class Numbers(RuleBasedStateMachine):
    """Deeds of people, done in the study and in the oracle alike."""

    engine: Engine
    votes_wanted: int

    def __init__(self) -> None:
        super().__init__()
        remove_rows(self.engine)
        self.folder = tempfile.TemporaryDirectory()
        make_study(self.engine, Path(self.folder.name), ROWS)
        want_votes(self.engine, self.votes_wanted)
        self.log = LabelLog(ITEMS, self.votes_wanted, {"b2"})
        self.clock = itertools.count(1)

    def teardown(self) -> None:
        self.folder.cleanup()

    @rule(name=person, value=shown)
    def answer(self, name: str, value: Value) -> None:
        second = next(self.clock)
        question = desk(self.engine, Annotator(STUDY, name), second).question
        if question is None:
            return
        subject = self.log.subject(question.item.item_id, question.label_type)
        before = self.log.current(name, subject)
        assert question.previous == (None if before is None else before.value)
        answer = Answered(question.lease_id, value)
        labelling.submit(self.engine, Annotator(STUDY, name), answer, moment(second))
        self.log.say(name, subject, value)

    @rule(name=person)
    def undo(self, name: str) -> None:
        annotator = Annotator(STUDY, name)
        recent = desk(self.engine, annotator, next(self.clock)).recent
        assert len(recent) == min(len(self.log.own(name)), RECENT)
        if recent:
            labelling.undo(self.engine, annotator, recent[0].event_id, moment(next(self.clock)))
            self.log.undo_last(name)

    @rule(name=person, value=shown, back=st.integers(0, 2))
    def edit(self, name: str, value: Value, back: int) -> None:
        annotator = Annotator(STUDY, name)
        recent = desk(self.engine, annotator, next(self.clock)).recent
        if back < len(recent):
            chosen = recent[back]
            labelling.reopen(self.engine, annotator, chosen.event_id, moment(next(self.clock)))
            question = desk(self.engine, annotator, next(self.clock)).question
            assert question is not None
            answer = Answered(question.lease_id, value)
            labelling.submit(self.engine, annotator, answer, moment(next(self.clock)))
            self.log.say(name, self.log.subject(chosen.item_id, chosen.label_type), value)

    @rule(name=person, item_id=item, kind=label_type, value=said)
    def script(self, name: str, item_id: str, kind: LabelType, value: Value) -> None:
        if kind == LabelType.TASK and item_id in self.log.refusals:
            with pytest.raises(RatchetError, match="refusal"):
                say(self.engine, item_id, kind, value, Annotator(STUDY, name))
            return
        say(self.engine, item_id, kind, value, Annotator(STUDY, name))
        self.log.say(name, self.log.subject(item_id, kind), value)

    @rule(item_id=item, value=st.sampled_from([0, 1]))
    def override(self, item_id: str, value: int) -> None:
        labelling.override_abstention(self.engine, Annotator(STUDY, "lead"), item_id, value, START)
        (self.log.refusals.add if value else self.log.refusals.discard)(item_id)

    @precondition(lambda self: len(self.log.events) > 1)
    @rule(name=st.sampled_from([*PEOPLE, "file"]), item_id=item, kind=label_type, value=said)
    def bring_in(self, name: str, item_id: str, kind: LabelType, value: Value) -> None:
        path = Path(self.folder.name) / "labels.csv"
        header = ("item_id", "label_type", "value", "annotator")
        path.write_text(csv_text(header, [(item_id, kind, value, name)]))
        subject = self.log.subject(item_id, kind)
        before = self.log.current(name, subject)
        is_there = before is not None and before.value == value
        if kind == LabelType.TASK and item_id in self.log.refusals and not is_there:
            with pytest.raises(StoreError, match="refusal"):
                bring_in(self.engine, path)
            return
        found = bring_in(self.engine, path).labels
        fate = self.log.bring_in(name, subject, value)
        assert (found.new, found.unchanged, found.num_conflicts) == (
            fate == "new",
            fate == "unchanged",
            fate == "conflict",
        )

    @invariant()
    def labels_are_those_of_the_log(self) -> None:
        expected = Counter(one.subject.label_type for one in self.log.counting())
        counts = labelling.count_labels(self.engine, STUDY)
        assert counts == (expected["retrieval"], expected["task"])
        exported = export_rows(self.engine, Kind.LABELS)
        assert Counter(row["label_type"] for row in exported) == expected
        assert Counter(
            (row["annotator"], row["label_type"], row["value"]) for row in exported
        ) == Counter((one.person, one.subject.label_type, one.value) for one in self.log.counting())
        history = export_rows(self.engine, Kind.LABELS, every=True)
        assert len(history) == len(self.log.events)
        undone = sum(one.is_undone for one in self.log.events)
        assert [row["status"] for row in history].count("undone") == undone

    @invariant()
    def counts_are_those_of_the_log(self) -> None:
        expected = self.log.patterns()
        with reading(self.engine) as session:
            frame = count_patterns(session, get_study(session, STUDY).id)
        found: Counter[Any] = Counter()
        for row in frame.itertuples(index=False):
            found[tuple(map(_known, row[1:4]))] += row[4]
        assert found == expected
        rows = self.item_rows()
        names = ("abstained_used", "retrieval_label", "task_label")
        assert Counter(tuple(_cell(row[name]) for name in names) for row in rows) == expected
        tables = fitting.read_due(self.engine, STUDY).tables.values()
        assert sum(table.counts.sum() for table in tables) == len(ITEMS)

    def item_rows(self) -> list[dict[str, str | None]]:
        """The export of items without its posteriors, which would take most of the time."""
        with reading(self.engine) as session:
            study = get_study(session, STUDY)
            cells = export.item_rows(session, study, export.Filter(), lambda _: export.Belief())
            columns = export.item_columns(study)
            return [dict(zip(columns, row, strict=True)) for row in cells]

    @invariant()
    def progress_is_that_of_the_log(self) -> None:
        (overview,) = studies.list_overviews(self.engine)
        assert overview.progress == self.log.progress()
        assert overview.labels == labelling.count_labels(self.engine, STUDY)


def _known(value: Any) -> int | None:
    return None if pd.isna(value) else int(value)


def _cell(text: str | None) -> int | None:
    return int(text) if text else None


@pytest.mark.parametrize("votes_wanted", [1, 2])
def test_all_numbers_agree_after_any_sequence_of_deeds(engine: Engine, votes_wanted: int) -> None:
    class Walk(Numbers):
        pass

    Walk.engine, Walk.votes_wanted = engine, votes_wanted
    walks = settings(
        max_examples=6 if engine.dialect.name == "sqlite" else 2,
        stateful_step_count=16,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(Walk, settings=walks)


def test_the_walk_notices_a_label_that_the_log_does_not_have(sqlite_engine: Engine) -> None:
    class Walk(Numbers):
        pass

    Walk.engine, Walk.votes_wanted = sqlite_engine, 1
    walk = Walk()
    walk.labels_are_those_of_the_log()
    say(sqlite_engine, "a1", LabelType.TASK, Value.YES)
    with pytest.raises(AssertionError):
        walk.labels_are_those_of_the_log()
    with pytest.raises(AssertionError):
        walk.counts_are_those_of_the_log()
    with pytest.raises(AssertionError):
        walk.progress_is_that_of_the_log()
    walk.teardown()
