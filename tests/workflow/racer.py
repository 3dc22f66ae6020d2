"""A person in a process of their own who answers until there is no question: URL, study, name."""

import sys
from datetime import UTC, datetime

from db.engine import make_engine
from workflow import labelling
from workflow.labelling import Annotator, Answered, Value


def main() -> None:
    url, study, person = sys.argv[1:4]
    engine = make_engine(url)
    annotator = Annotator(study, person)
    print("ready", flush=True)
    sys.stdin.readline()
    labels = 0
    while True:
        desk = labelling.open_desk(engine, annotator, datetime.now(UTC))
        if desk.question is None:
            break
        answer = Answered(desk.question.lease_id, Value.YES)
        labels += not labelling.submit(engine, annotator, answer, datetime.now(UTC)).is_extra
    assert desk.empty is not None
    print(labels, desk.empty.reason, flush=True)


main()
