"""Column names that other tools write flat, one column a field, and the names they have here.

Only what means the same is renamed: a metric of another tool (a relevance, a faithfulness) is no
human label and stays metadata, unless a mapping says otherwise.
"""

from typing import NamedTuple


class Alias(NamedTuple):
    """A column of another tool (in lower case) and the canonical name for it."""

    column: str
    canonical: str


class Tool(NamedTuple):
    """A tool is recognised when all columns of its signature are there."""

    name: str
    signature: frozenset[str]
    aliases: tuple[Alias, ...]


# Field names: ragas.SingleTurnSample (0.2), the data set of ragas 0.1, deepeval.LLMTestCase, and
# the few-shot and unlabelled files of ARES. Where two columns mean one, the first one found wins.
TOOLS = (
    Tool(
        "RAGAS 0.2",
        frozenset({"user_input"}),
        (
            Alias("user_input", "query"),
            Alias("retrieved_contexts", "contexts"),
            Alias("response", "answer"),
        ),
    ),
    Tool(
        "RAGAS 0.1",
        frozenset({"question"}),
        (
            Alias("question", "query"),
            Alias("ground_truth", "reference"),
            Alias("ground_truths", "reference"),
        ),
    ),
    Tool(
        "DeepEval",
        frozenset({"input", "actual_output"}),
        (
            Alias("input", "query"),
            Alias("actual_output", "answer"),
            Alias("expected_output", "reference"),
            Alias("retrieval_context", "contexts"),
        ),
    ),
    # Its document is one passage, so its relevance is what the retrieval label says.
    Tool(
        "ARES",
        frozenset({"query", "document"}),
        (
            Alias("document", "contexts"),
            Alias("context_relevance_label", "retrieval_label"),
        ),
    ),
)
