"""Questions and answers as people read them."""

from workflow.labelling import LabelType, Value

QUESTIONS = {
    LabelType.RETRIEVAL: ("Retrieval", "Do the passages hold all that is needed to answer?"),
    LabelType.TASK: ("Task", "Is the answer correct?"),
}
ANSWERS = (Value.YES, Value.NO, Value.CANT_TELL)
VALUE_WORDS = {
    Value.YES: "Yes",
    Value.NO: "No",
    Value.CANT_TELL: "Can't tell",
    Value.SKIP: "Skipped",
}
