"""A retrieval and a task label of one item are written at once, without waiting for each other."""

from pathlib import Path

import pytest
from sqlalchemy import Engine, select, text
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

from db.engine import transaction
from db.tables import EventKind, Item, LabelEvent, LabelType, Person
from db.votes import Subject, lock_subject
from tests.conftest import remove_rows
from tests.small_studies import ANNA, BEN, START, make_study, plain_rows, say
from workflow.labelling import Value


def subjects(engine: Engine) -> tuple[Subject, Subject]:
    with transaction(engine) as session:
        item = session.scalars(select(Item)).one()
        return (
            Subject(LabelType.RETRIEVAL, item.id, item.context_id),
            Subject(LabelType.TASK, item.id, item.context_id),
        )


def write_event(session: Session, subject: Subject) -> None:
    person = session.scalars(select(Person)).first()
    study_id = session.scalars(select(Item.study_id)).one()
    assert person is not None
    session.add(
        LabelEvent(
            study_id=study_id,
            person_id=person.id,
            kind=EventKind.LABEL,
            **subject._asdict(),
            value="1",
            reason_asked="test",
            created_at=START,
        )
    )
    session.flush()


@pytest.mark.postgres
def test_labels_of_both_kinds_on_one_item_do_not_wait_for_each_other(
    postgres_with_schema: Engine, tmp_path: Path
) -> None:
    engine = postgres_with_schema
    remove_rows(engine)
    make_study(engine, tmp_path, plain_rows(1))
    say(engine, "i0", LabelType.RETRIEVAL, Value.YES, ANNA)
    say(engine, "i0", LabelType.TASK, Value.YES, BEN)
    retrieval, task = subjects(engine)
    with Session(engine) as one, Session(engine) as other:
        for session in (one, other):
            session.execute(text("SET LOCAL lock_timeout = '500ms'"))
        lock_subject(one, retrieval)
        lock_subject(other, task)
        write_event(one, retrieval)
        write_event(other, task)
        with pytest.raises(OperationalError, match="lock timeout"):
            lock_subject(other, retrieval)  # the same question does wait
