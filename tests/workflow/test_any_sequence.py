"""Any sequence of deeds of a team: votes, leases, budget and numbers hold at every step.

A plain reference keeps what each person was told; after every deed the database must agree with it.
Found rules: exact overlap (1), leases that heal (3), budgets (9), one truth for numbers (12).
"""

import os
from collections import Counter
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test
from sqlalchemy import Engine, select

from db import queue
from db.engine import reading, transaction
from db.people import ensure_person
from db.queue import Holder
from db.studies import get_study
from db.tables import Answer, Context, Item, Lease
from tests.conftest import remove_rows
from tests.small_studies import (
    LEAD,
    START,
    STUDY,
    bring_in,
    csv_text,
    export_rows,
    make_study,
    plain_rows,
)
from workflow import adjudicating, collecting, labelling, studies
from workflow.adjudicating import Ruling
from workflow.collecting import Budgets
from workflow.errors import RatchetError
from workflow.exporting import Kind
from workflow.labelling import (
    Annotator,
    Answered,
    EmptyReason,
    LabelType,
    ScriptLabel,
    Value,
)
from workflow.studies import Asks, Choices

PEOPLE = tuple(Annotator(STUDY, name) for name in ("anna", "ben", "carl"))
ITEMS, VOTES = 4, 2
LEASE = timedelta(minutes=10)
EXAMPLES = int(os.environ.get("RATCHET_SEQUENCES", "12"))
ANYBODY = st.sampled_from(PEOPLE)
WORDS = st.sampled_from([Value.YES, Value.NO, Value.CANT_TELL, Value.SKIP])


class Killed(Exception):  # noqa: N818  (a power cut is no error of ours)
    """The process ends here."""


class Held(NamedTuple):
    """A question as somebody has it on screen."""

    lease_id: int
    item_id: str


class Told(NamedTuple):
    """What somebody was told about a label."""

    event_id: int
    item_id: str
    value: Value
    is_extra: bool


class Team(RuleBasedStateMachine):
    """Three people, four questions that want two votes each, a lead who changes the budget."""

    engine: Engine
    folder: Path

    def __init__(self) -> None:
        super().__init__()
        remove_rows(self.engine)
        make_study(self.engine, self.folder, plain_rows(ITEMS), Choices(asks=Asks.RETRIEVAL))
        collecting.set_votes_wanted(self.engine, STUDY, VOTES, LEAD, START)
        self.now: datetime = START
        self.budget: int | None = None
        self.screens: dict[str, Held] = {}
        # Of each person the labels that hold, oldest first; a later one on an item replaces.
        self.said: dict[str, list[Told]] = {person.person: [] for person in PEOPLE}
        self.imported: dict[str, Value] = {}
        self.decided: dict[str, Value | None] = {}

    @rule(person=ANYBODY)
    def look(self, person: Annotator) -> None:
        before = self.screens.get(person.person)
        desk = labelling.open_desk(self.engine, person, self.now)
        if desk.question is None:
            self.screens.pop(person.person, None)
            assert desk.empty is not None
            self._check_reason(person, desk.empty)
            return
        shown = Held(desk.question.lease_id, desk.question.item.item_id)
        again = labelling.open_desk(self.engine, person, self.now).question
        assert again is not None
        assert again.lease_id == shown.lease_id, "a reload shows the same question"
        if before is not None and before.lease_id == shown.lease_id:
            assert before.item_id == shown.item_id
        self.screens[person.person] = shown

    @rule(person=ANYBODY, value=WORDS)
    def answer(self, person: Annotator, value: Value) -> None:
        held = self.screens.pop(person.person, None)
        if held is None:
            return
        answered = Answered(held.lease_id, value)
        try:
            saved = labelling.submit(self.engine, person, answered, self.now)
        except RatchetError:
            return  # somebody undid or changed something meanwhile: nothing was written
        again = labelling.submit(self.engine, person, answered, self.now)
        assert (again.event_id, again.is_new) == (saved.event_id, False)
        if saved.is_new:
            told = Told(saved.event_id, held.item_id, value, saved.is_extra)
            self.said[person.person].append(told)

    @rule(person=ANYBODY)
    def undo(self, person: Annotator) -> None:
        mine = self.said[person.person]
        if not mine:
            return
        labelling.undo(self.engine, person, mine[-1].event_id, self.now)
        mine.pop()
        self.screens.pop(person.person, None)

    @rule(person=ANYBODY, number=st.integers(0, 3))
    def change(self, person: Annotator, number: int) -> None:
        mine = self.said[person.person]
        if number >= len(mine):
            return
        labelling.reopen(self.engine, person, mine[number].event_id, self.now)
        self.screens.pop(person.person, None)

    @rule(person=ANYBODY, item=st.integers(0, ITEMS - 1), value=WORDS.filter(lambda v: v != "skip"))
    def say_by_script(self, person: Annotator, item: int, value: Value) -> None:
        label = ScriptLabel(f"i{item}", LabelType.RETRIEVAL, value)
        saved = labelling.label_by_script(self.engine, person, label, self.now)
        told = Told(saved.event_id, label.item_id, value, saved.is_extra)
        self.said[person.person].append(told)

    @rule(seconds=st.sampled_from([1, 599, 601]))
    def wait(self, seconds: int) -> None:
        self.now += timedelta(seconds=seconds)

    @rule(limit=st.none() | st.integers(0, 10))
    def change_budget(self, limit: int | None) -> None:
        spending = collecting.read_collection(self.engine, STUDY, self.now).spending
        try:
            collecting.set_budgets(self.engine, STUDY, Budgets(in_all=limit), LEAD, self.now)
        except RatchetError:
            assert limit is not None
            assert limit < spending.in_all
        else:
            assert limit is None or limit >= spending.in_all
            self.budget = limit

    @rule(item=st.integers(0, ITEMS - 1), value=st.sampled_from(["0", "1"]))
    def bring_a_label_in(self, item: int, value: str) -> None:
        if f"i{item}" in self.imported:
            return
        path = self.folder / "labels.csv"
        row = (f"i{item}", "retrieval", value, "imported person")
        path.write_text(csv_text(("item_id", "label_type", "value", "annotator"), [row]))
        bring_in(self.engine, path)
        self.imported[f"i{item}"] = Value(value)

    @rule(value=st.sampled_from([Value.YES, Value.NO, Value.CANT_TELL, None]))
    def decide(self, value: Value | None) -> None:
        conflicts, _ = adjudicating.list_conflicts(self.engine, STUDY)
        if not conflicts:
            return
        adjudicating.rule(self.engine, STUDY, Ruling(conflicts[0], value), LEAD, self.now)
        self.decided[conflicts[0].item_key] = value

    @rule(person=ANYBODY)
    def be_killed_while_looking(self, person: Annotator) -> None:
        """A question that was handed out in a transaction that never ended is in nobody's hands."""
        with suppress(Killed), transaction(self.engine) as session:
            study = get_study(session, STUDY)
            person_id = ensure_person(session, person.person, self.now)
            queue.claim(session, Holder(study, person_id, self.now))
            raise Killed

    @invariant()
    def overlap_is_exact(self) -> None:
        with reading(self.engine) as session:
            given = session.execute(
                select(Answer.context_id, Answer.is_extra, Answer.value, Answer.is_charged)
            ).all()
        votes = Counter(row[0] for row in given if not row[1] and row[2] != Value.SKIP)
        # A label of a file comes beside the votes that were given here.
        assert all(count <= VOTES + 1 for count in votes.values())
        here = Counter(row[0] for row in given if row[3])
        assert all(count <= VOTES for count in here.values())

    @invariant()
    def the_budget_holds(self) -> None:
        found = collecting.read_collection(self.engine, STUDY, self.now)
        assert found.budgets.in_all == self.budget
        assert self.budget is None or found.spending.in_all <= self.budget
        charged = sum(
            not one.is_extra and one.value != Value.SKIP
            for told in self.said.values()
            for one in _latest(told).values()
        )
        assert found.spending.retrieval == charged

    @invariant()
    def nobody_holds_two_and_no_question_is_held_too_often(self) -> None:
        with reading(self.engine) as session:
            rows = session.execute(
                select(
                    Lease.person_id, Lease.context_id, Lease.expires_at, Lease.reason_asked
                ).where(Lease.closed_at.is_(None))
            ).all()
        assert max(Counter(row[0] for row in rows).values(), default=0) <= 1
        live = Counter(row[1] for row in rows if row[2] > self.now and row[3] == "study order")
        assert all(count <= VOTES for count in live.values())
        assert all(row[2] <= self.now + LEASE for row in rows)

    @invariant()
    def all_numbers_are_one(self) -> None:
        current = [one for told in self.said.values() for one in _latest(told).values()]
        counting = [one for one in current if not one.is_extra and one.value != Value.SKIP]
        total = len(counting) + len(self.imported)
        assert labelling.count_labels(self.engine, STUDY) == (total, 0)
        assert len(export_rows(self.engine, Kind.LABELS)) == total
        with reading(self.engine) as session:
            rows = session.execute(
                select(Item.item_key, Context.retrieval, Context.retrieval_votes).join(
                    Context, Context.id == Item.context_id
                )
            ).all()
        votes = {item_id: number for item_id, _, number in rows}
        assert sum(votes.values()) == total
        for item_id, value, _ in rows:
            assert value == self._resolved(item_id, counting), item_id
        (overview,) = studies.list_overviews(self.engine)
        done = sum(
            number >= VOTES or self.decided.get(item_id) is not None
            for item_id, number in votes.items()
        )
        assert overview.progress == (done, ITEMS)
        assert overview.labels == (total, 0)

    def _resolved(self, item_id: str, counting: list[Told]) -> int | None:
        decision = self.decided.get(item_id)
        if decision is not None:
            return None if decision == Value.CANT_TELL else int(decision)
        values = [one.value for one in counting if one.item_id == item_id]
        values += [self.imported[item_id]] if item_id in self.imported else []
        balance = values.count(Value.YES) - values.count(Value.NO)
        return None if balance == 0 else int(balance > 0)

    def _check_reason(self, person: Annotator, empty: Any) -> None:
        """What an empty desk says is so."""
        spending = collecting.read_collection(self.engine, STUDY, self.now).spending
        if empty.reason == EmptyReason.BUDGET_SPENT:
            assert self.budget is not None
            assert spending.in_all >= self.budget
        elif empty.reason == EmptyReason.ALL_LEASED:
            assert empty.next_free is not None
            assert self.now < empty.next_free <= self.now + LEASE
        elif empty.reason == EmptyReason.SKIPPED_THE_REST:
            mine = _latest(self.said[person.person]).values()
            assert any(one.value == Value.SKIP for one in mine)


def _latest(told: list[Told]) -> dict[str, Told]:
    """Of each item the last label that holds."""
    return {one.item_id: one for one in told}


@pytest.mark.behaviour(1)
@pytest.mark.behaviour(3)
@pytest.mark.behaviour(9)
@pytest.mark.behaviour(12)
def test_after_any_sequence_of_deeds_everything_agrees(engine: Engine, tmp_path: Path) -> None:
    Team.engine, Team.folder = engine, tmp_path
    few = EXAMPLES if engine.dialect.name == "sqlite" else max(1, EXAMPLES // 3)
    run_state_machine_as_test(
        Team,
        settings=settings(
            max_examples=few,
            stateful_step_count=25,
            deadline=None,
            phases=(Phase.generate,),
            database=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
