"""Is each column of a file taken for what its name, another tool or a mapping says?"""

import pytest

from db.errors import MappingError
from db.formats.columns import FileKind, ItemColumns, JudgeColumns, parse_mapping, plan_columns


def test_canonical_names_match_in_any_case_and_the_rest_is_metadata() -> None:
    plan = plan_columns(("Item_ID", " QUERY ", "answer", "Topic", "nli"))
    assert plan.kind is FileKind.ITEMS
    assert plan.recognised == "Ratchet columns"
    assert plan.items == ItemColumns(item_id="Item_ID", query=" QUERY ", answer="answer", nli="nli")
    assert plan.metadata == ("Topic",)
    assert plan.ignored == ()


@pytest.mark.parametrize(
    ("header", "recognised", "items", "metadata"),
    [
        (
            ("user_input", "retrieved_contexts", "response", "reference", "faithfulness"),
            "RAGAS 0.2 columns",
            ItemColumns(
                query="user_input",
                contexts="retrieved_contexts",
                answer="response",
                reference="reference",
            ),
            ("faithfulness",),
        ),
        (
            ("question", "contexts", "answer", "ground_truths"),
            "RAGAS 0.1 columns",
            ItemColumns(
                query="question", contexts="contexts", answer="answer", reference="ground_truths"
            ),
            (),
        ),
        (
            ("input", "actual_output", "expected_output", "retrieval_context", "context"),
            "DeepEval columns",
            ItemColumns(
                query="input",
                answer="actual_output",
                reference="expected_output",
                contexts="retrieval_context",
            ),
            ("context",),
        ),
        (
            ("Query", "Document", "Answer", "Context_Relevance_Label", "Answer_Relevance_Label"),
            "ARES columns",
            ItemColumns(
                query="Query",
                contexts="Document",
                answer="Answer",
                retrieval_label="Context_Relevance_Label",
            ),
            ("Answer_Relevance_Label",),
        ),
    ],
)
def test_columns_of_other_tools_need_no_mapping(
    header: tuple[str, ...], recognised: str, items: ItemColumns, metadata: tuple[str, ...]
) -> None:
    plan = plan_columns(header)
    assert (plan.recognised, plan.items, plan.metadata) == (recognised, items, metadata)


def test_other_tools_names_are_plain_metadata_without_the_tools_signature() -> None:
    plan = plan_columns(("query", "answer", "input", "response"))
    assert plan.recognised == "Ratchet columns"
    assert plan.metadata == ("input", "response")


def test_canonical_name_goes_before_another_tools_name() -> None:
    plan = plan_columns(("query", "question", "ground_truth", "ground_truths"))
    assert plan.items == ItemColumns(query="query", reference="ground_truth")
    assert plan.metadata == ("question", "ground_truths")


def test_mapping_goes_before_names_and_leaves_the_tool_recognised() -> None:
    plan = plan_columns(
        ("user_input", "response", "final", "verdict"),
        {"answer": "Final", "judge:GPT:Task": "verdict"},
    )
    assert plan.recognised == "RAGAS 0.2 columns"
    assert plan.items == ItemColumns(query="user_input", answer="final")
    assert plan.judges == (JudgeColumns("GPT", "task", "verdict", None),)
    assert plan.metadata == ("response",)


def test_mapping_may_move_a_column_that_has_a_canonical_name() -> None:
    plan = plan_columns(
        ("query", "answer", "response"), parse_mapping(["answer=response", "reference=answer"])
    )
    assert plan.items == ItemColumns(query="query", answer="response", reference="answer")


def test_judges_have_verdicts_and_scores() -> None:
    plan = plan_columns(
        ("query", "Judge:gpt-4:2024:Retrieval", "judge:b:task:score", "judge:b:task")
    )
    assert plan.judges == (
        JudgeColumns("gpt-4:2024", "retrieval", "Judge:gpt-4:2024:Retrieval", None),
        JudgeColumns("b", "task", "judge:b:task", "judge:b:task:score"),
    )
    assert plan.metadata == ()


def test_columns_that_are_computed_are_ignored() -> None:
    computed = (
        "retrieval_votes",
        "task_votes",
        "policy_adherence",
        "p_retrieval",
        "p_task",
        "p_policy_adherence",
        "abstained_used",
        "abstained_source",
        "ratchet:spreadsheet_safe",
    )
    plan = plan_columns(("query", *computed))
    assert plan.ignored == computed
    assert plan.metadata == ()


def test_labels_file_is_recognised() -> None:
    plan = plan_columns(
        ("study", "item_id", "label_type", "VALUE", "annotator", "labelled_at", "mood", "query")
    )
    assert plan.kind is FileKind.LABELS
    assert plan.items == ItemColumns()
    assert (plan.labels.item_id, plan.labels.value) == ("item_id", "VALUE")
    assert plan.metadata == ("mood", "query")


def test_labels_file_may_be_mapped() -> None:
    header = ("trace", "name", "value")
    plan = plan_columns(header, {"item_id": "trace", "label_type": "name"})
    assert plan.kind is FileKind.LABELS
    assert plan_columns(header).kind is FileKind.ITEMS


@pytest.mark.parametrize(
    ("mapping", "message"),
    [
        ({"anwser": "response"}, "'anwser' is not a column name of items.*Did you mean 'answer'"),
        ({"answer": "reply"}, "There is no column 'reply' to map 'answer' to; .* query, answer, r"),
        ({"answer": "response", "reference": "Response"}, "'response' is mapped twice"),
        ({"answer": "response"}, "'response' and 'answer' are both taken for 'answer'"),
        ({"answer": "response", "ANSWER": "answer"}, "are both taken for 'answer'"),
        ({"judge:x:task:score": "response"}, "has no column 'judge:x:task' of verdicts"),
    ],
)
def test_wrong_mapping_is_refused(mapping: dict[str, str], message: str) -> None:
    with pytest.raises(MappingError, match=message):
        plan_columns(("query", "answer", "response"), mapping)


@pytest.mark.parametrize("column", ["judge:x", "judge:x:tsk", "judge::task", "judge:x:task:raw"])
def test_column_that_begins_as_a_judge_and_is_none_is_refused(column: str) -> None:
    with pytest.raises(MappingError, match="is not judge:NAME:retrieval"):
        plan_columns(("query", column))


@pytest.mark.parametrize("pair", ["answer", "answer=", "=response", " = "])
def test_argument_that_is_no_mapping_is_refused(pair: str) -> None:
    with pytest.raises(MappingError, match="NAME=COLUMN is expected"):
        parse_mapping([pair])


def test_mapping_arguments_split_at_the_first_equals_sign() -> None:
    assert parse_mapping(["answer = a=b", "query=q"]) == {"answer": "a=b", "query": "q"}
    with pytest.raises(MappingError, match="mapped to 'a' and to 'b'"):
        parse_mapping(["answer=a", "answer=b"])
