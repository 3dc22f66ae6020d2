"""Guidelines by version; a label knows the one it was made under."""

from pathlib import Path

from sqlalchemy import Engine, select

from db.engine import reading
from db.tables import LabelEvent
from tests.small_studies import ANNA, LEAD, STUDY, answer_next, make_study, moment, plain_rows
from workflow import studies
from workflow.studies import Choices


def test_a_label_knows_the_guidelines_it_was_made_under(engine: Engine, tmp_path: Path) -> None:
    make_study(engine, tmp_path, plain_rows(3))
    answer_next(engine, ANNA)
    for text in ("Read all.", "Read all.", "Read twice."):
        studies.change(engine, STUDY, Choices(guidelines=text), LEAD, moment(1))
        answer_next(engine, ANNA)
    found = studies.list_guidelines(engine, STUDY)
    assert [(one.version, one.text, one.person) for one in found] == [
        (2, "Read twice.", LEAD),
        (1, "Read all.", LEAD),
    ]
    with reading(engine) as session:
        versions = session.scalars(select(LabelEvent.guideline_version).order_by(LabelEvent.id))
        assert list(versions) == [None, 1, 1, 2]
    assert studies.read_guidelines(engine, STUDY) == "Read twice."
