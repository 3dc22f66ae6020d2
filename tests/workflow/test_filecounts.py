"""The counts of a file are those that its import would give, without a database."""

from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import pytest
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st
from sqlalchemy import Engine

from db.counts import count_patterns
from db.engine import reading
from db.errors import StoreError
from db.studies import get_study
from tests.conftest import remove_rows
from tests.small_studies import STUDY, bring_in, csv_text
from workflow import commands, sample
from workflow.commands import AbstentionFrom, FitWish
from workflow.errors import RatchetError
from workflow.filecounts import count_file
from workflow.fitting import Engine as Sampler

DELUCIONQA = Path(__file__).parents[3] / "shared" / "data" / "delucionqa.csv"


class FileRow(NamedTuple):
    """A row of a generated file; blanks, repeats and shared contexts are common."""

    system: str
    query: str
    query_id: str
    context_id: str
    contexts: str
    answer: str
    abstained: str
    retrieval_label: str
    task_label: str
    annotator: str


BARE = FileRow("one", "Q1?", "q", "", "P1", "Yes.", "", "1", "", "")
FLAGS = st.sampled_from(["", "", "0", "1"])
ROWS = st.lists(
    st.builds(
        FileRow,
        system=st.sampled_from(["", "one", "two"]),
        query=st.sampled_from(["Q1?", "Q2?"]),
        query_id=st.sampled_from(["", "", "q"]),
        context_id=st.sampled_from(["", "", "c"]),
        contexts=st.sampled_from(["", "P1", "P2"]),
        answer=st.sampled_from(["In the drawer.", "I don't know.", "", "Yes."]),
        abstained=FLAGS,
        retrieval_label=FLAGS,
        task_label=FLAGS,
        annotator=st.sampled_from(["", "anna", "ben"]),
    ),
    min_size=1,
    max_size=8,
)


def counted(frame: pd.DataFrame) -> set[tuple[Any, ...]]:
    """The rows of a count table, missing as None."""
    return {tuple(None if pd.isna(cell) else cell for cell in row) for row in frame.to_numpy()}


def by_import(engine: Engine, path: Path) -> set[tuple[Any, ...]]:
    bring_in(engine, path)
    with reading(engine) as session:
        return counted(count_patterns(session, get_study(session, STUDY).id))


def by_file(path: Path) -> set[tuple[Any, ...]]:
    return counted(count_file(path, {}, AbstentionFrom.RULES))


def test_the_sample_has_the_same_counts_both_ways(sqlite_engine: Engine) -> None:
    assert by_import(sqlite_engine, sample.FILE) == by_file(sample.FILE)


@settings(
    max_examples=60,
    deadline=None,
    database=None,
    phases=[Phase.explicit, Phase.generate],  # shrinking would import a thousand files
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(rows=ROWS)
@example(rows=[BARE, BARE._replace(query="Q2?", retrieval_label="")])
@example(rows=[BARE, BARE._replace(system="two", retrieval_label="")])
@example(rows=[BARE._replace(contexts=""), BARE._replace(contexts="", retrieval_label="")])
@example(
    rows=[BARE._replace(annotator="anna"), BARE._replace(annotator="ben", retrieval_label="0")]
)
def test_any_file_that_an_import_takes_has_the_same_counts(
    sqlite_engine: Engine, tmp_path: Path, rows: list[FileRow]
) -> None:
    remove_rows(sqlite_engine)
    path = tmp_path / "rows.csv"
    path.write_bytes(csv_text(FileRow._fields, rows).encode())
    try:
        expected = by_import(sqlite_engine, path)
    except StoreError:
        return  # a fit may be more lenient: it reads no texts
    assert by_file(path) == expected


def test_counts_of_many_batches_are_those_of_one(tmp_path: Path) -> None:
    # 40,000 rows are more than a batch; systems come up in another order in each of them.
    rows = [(f"s{n % 3 if n < 20_000 else 2 - n % 3}", f"q{n}", str(n % 2)) for n in range(40_000)]
    path = tmp_path / "long.csv"
    path.write_bytes(csv_text(("system", "query", "retrieval_label"), rows).encode())
    frame = pd.DataFrame(rows, columns=["system", "query", "retrieval"])
    expected = frame.groupby(["system", "retrieval"]).size()
    found = count_file(path, {}, AbstentionFrom.RULES)
    assert {(row.system, str(row.retrieval)): row.count_ for row in _renamed(found)} == dict(
        expected.items()
    )


def _renamed(frame: pd.DataFrame) -> Any:
    return frame.rename(columns={"count": "count_"}).itertuples(index=False)


def test_the_column_alone_leaves_blank_unknown(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("query,answer,abstained\na,I don't know.,\nb,Yes.,1\n")
    alone = count_file(path, {}, AbstentionFrom.COLUMN)
    assert counted(alone) == {("default", None, None, None, 1), ("default", 1, None, None, 1)}
    assert by_file(path) == {("default", 1, None, None, 2)}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("item_id,query\na,q\nb,q\na,q\n", "Rows 1 and 3 have the same item_id"),
        ("query,contexts,retrieval_label\nq,p,1\nq,p,0\n", "Rows 1 and 2 share a context"),
        ("query,answer,task_label\nq,,1\n", "Row 1: column 'task_label' is 1"),
        ("item_id,label_type,value\na,task,1\n", "a file of labels"),
    ],
)
def test_a_file_that_contradicts_itself_is_refused(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "rows.csv"
    path.write_text(text)
    with pytest.raises(RatchetError, match=words):
        count_file(path, {}, AbstentionFrom.RULES)


@pytest.mark.skipif(not DELUCIONQA.exists(), reason="the data set is not beside the project")
def test_a_real_data_set_has_the_adherence_computed_from_its_labels() -> None:
    wish = FitWish(str(DELUCIONQA), None, None, None, None, Sampler.EXACT, 0, AbstentionFrom.RULES)
    found = commands.fit(wish)["systems"]["Lucene Search"]["estimates"]["policy_adherence"]
    assert found["mean"] == pytest.approx(0.671, abs=0.002)
    assert found["sd"] == pytest.approx(0.018, abs=0.002)
