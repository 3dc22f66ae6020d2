"""New abstention rules that meet an import: every answer is scored by the rules in force."""

from pathlib import Path

import pytest
from sqlalchemy import Connection, Engine, event

from db.engine import READ_ONLY
from model.abstention.phrases import PhraseRule, Scope
from model.abstention.rules import DEFAULT_RULES, AbstentionRules
from tests.small_studies import (
    LEAD,
    START,
    STUDY,
    Row,
    bring_in,
    csv_text,
    export_rows,
    make_study,
)
from workflow import importing, refusals
from workflow.errors import RatchetError
from workflow.exporting import Kind
from workflow.importing import Request

HEADER = ("item_id", "query", "contexts", "answer")
OLD = Row("old", query="One?", answer="Bananas are not my thing.")
PHRASE = PhraseRule("en", "not my thing", Scope.WHOLE_ANSWER)
STRICTER = AbstentionRules((*DEFAULT_RULES.phrases, PHRASE))


def new_items(folder: Path) -> Path:
    path = folder / "new.csv"
    rows = [("new", "Two?", "P", "Apples are not my thing."), ("plain", "Three?", "P", "Yes.")]
    path.write_bytes(csv_text(HEADER, rows).encode())
    return path


def used(engine: Engine) -> dict[str, str]:
    return {row["item_id"]: row["abstained_used"] for row in export_rows(engine, Kind.ITEMS)}


def make_stricter(engine: Engine) -> None:
    refusals.put_in_force(engine, STUDY, STRICTER, LEAD, START)


def test_rules_that_change_while_a_file_is_read_refuse_it_and_it_can_be_read_again(
    engine: Engine, tmp_path: Path
) -> None:
    make_study(engine, tmp_path, [OLD])
    request = Request(STUDY, new_items(tmp_path), LEAD)
    with pytest.raises(RatchetError, match=r"changed while the file was read.*import it again"):
        importing.import_file(engine, request, START, lambda _: make_stricter(engine))
    assert used(engine) == {"old": "1"}
    bring_in(engine, request.path)
    assert used(engine) == {"old": "1", "new": "1", "plain": "0"}


def test_the_twin_with_rules_that_say_the_same_goes_in(engine: Engine, tmp_path: Path) -> None:
    make_study(engine, tmp_path, [OLD])

    def same_rules(_rows: int) -> None:
        refusals.put_in_force(engine, STUDY, DEFAULT_RULES, LEAD, START)

    importing.import_file(engine, Request(STUDY, new_items(tmp_path), LEAD), START, same_rules)
    assert used(engine) == {"old": "0", "new": "0", "plain": "0"}


def test_an_import_between_the_scoring_and_the_writing_of_new_rules_is_scored_by_them(
    engine: Engine, tmp_path: Path
) -> None:
    make_study(engine, tmp_path, [OLD])
    path = new_items(tmp_path)
    waiting = [path]

    def import_first(connection: Connection) -> None:
        is_writer = not connection.get_execution_options().get(READ_ONLY, False)
        if is_writer and waiting:
            bring_in(engine, waiting.pop())

    event.listen(engine, "engine_connect", import_first)
    try:
        make_stricter(engine)
    finally:
        event.remove(engine, "engine_connect", import_first)
    assert not waiting
    assert used(engine) == {"old": "1", "new": "1", "plain": "0"}
