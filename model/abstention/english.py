"""How generators decline in English; the syntax of a phrase is told in phrases."""

from model.abstention.phrases import LanguagePhrases

ENGLISH = LanguagePhrases(
    "en",
    (
        "I (do not know|have no idea)",
        "I (cannot|could not|am unable to|am not able to|was unable to) answer",
        "I (cannot|am unable to|am not able to) provide (an answer|a specific answer|a direct "
        "answer)",
        "I (cannot|am unable to|am not able to) provide … (information|details)",
        "I (cannot|am unable to|am not able to) (help with|help you with|assist)",
        "I (cannot|could not|did not|have not been able to) (find|locate)",
        "I (was unable to|am unable to|was not able to|am not able to) (find|locate)",
        "(I|we) have not found",
        "(I|we) (found|have found) (no|nothing)",
        "(no|nothing) (relevant |)(information|answer|documents|passages) found",
        "I (cannot|could not|am unable to|am not able to) (determine|say|tell) (from|whether|"
        "which|for sure)",
        "I (cannot|could not|am unable to|am not able to) determine",
        "I do not (have|see|find) (enough|sufficient|any|specific|the specific|access to|an "
        "answer)",
        "I do not have … (information|details|data)",
        "I (have no|lack the) (information|details|data)",
        "I need more (information|context|details)",
        "(cannot|unable to) answer (this|the|your) question",
        "unable to answer (based|from)",
        "we (cannot answer|could not find|did not find|do not have … information)",
        "(not enough|insufficient) (information|context) (to|about|in the context|in the "
        "documents)",
        "there is (no|not any|not enough) (information|context) (about|on|regarding)",
        "there is (no|not any|not enough) … information … in the … (context|"
        "passages|documents|text)",
        "there is no information (provided|available)",
        "there (is|are) no (mention of|specific information|relevant information)",
        "there are no details (about|on|regarding|in the|provided)",
        "there is nothing (about|on) … in the",
        "no information (is|was|could be) (available on|available about|found|provided)",
        "no (relevant|matching|specific) (information|documents|passages|results)",
        "no (answer|information|results|documents) (was|were|could be) found",
        "without (further|additional|more) context",
        "without (further|additional|more) information … (unclear|difficult|cannot|not possible)",
        "(question|this|that|it) cannot be answered",
        "cannot be (answered|determined) (from|with|based on)",
        "not possible to answer",
        "not possible to determine … from",
        "it is (unclear|not clear) (from the|what you)",
        "question is (not related to|unrelated to)",
        "not (related|relevant) to (the question asked|your question|the … context)",
        "(beyond|outside|outside of) my knowledge",
        "(beyond|outside|outside of) the scope of (my|the provided|the given|these documents)",
        "could you please (clarify|rephrase|provide more|provide additional)",
        "sorry, but the (given |provided |)context (is about|you provided is)",
        "sorry, but the information you provided",
        "unanswerable",
        "cannotanswer",
        "(the|this|provided|given) (context|passage) does not (directly |explicitly |)(address|"
        "answer|contain|cover|discuss|explain|give|have|include|indicate|mention|provide|relate|"
        "say|specify|state)",
        "(provided|given) (text|information|document|excerpt|article) does not (directly |"
        "explicitly |)(address|answer|contain|cover|discuss|explain|give|include|indicate|mention|"
        "provide|relate|say|specify|state)",
        "(context|passage|text|information|document) (provided|given|you provided) … does not "
        "(directly |explicitly |)(address|answer|contain|cover|discuss|explain|give|include|"
        "indicate|mention|provide|relate|say|specify|state)",
        "the (text|document|article|excerpt|source) does not (mention|specify|state|say|indicate)",
        "(provided|given|retrieved) (passages|documents|sources|texts|results|excerpts) do not "
        "(address|answer|contain|cover|discuss|give|include|mention|provide|say|specify|state)",
        "(passages|documents|sources|search results) do not (mention|specify|state|say|contain … "
        "information|provide … information|contain the answer)",
        "(passages|documents|sources) (provided|given) do not (contain|cover|give|include|mention|"
        "provide|say|specify|state)",
        "none of the … (passages|documents|sources) … (mention|mentions|contain|contains|provide|"
        "provides|say|says|state|states|answer|answers)",
        "knowledge base (does not|has no) (contain|cover|include|information|mention|provide)",
        "not (mentioned|provided|specified|stated|given|included|available|covered|found|"
        "discussed|addressed) in the … (context|passage|passages|provided text|given text|"
        "provided documents|given documents|provided information|given information|provided "
        "sources)",
        "(cannot|could not) be found in the … (context|passage|passages|text|documents|sources)",
        "(answer|information) … is not (in|part of) the … (context|passage|passages|text|"
        "documents)",
    ),
    (
        "I (cannot|am unable to|am not able to) answer (this|that|your|the) question",
        "(not enough|insufficient) (information|context) to answer",
        "I do not have (enough|sufficient) (information|context) to (answer|say|determine)",
        "I do not know the answer",
        "I (could not|cannot|did not) find (an answer|any information)",
    ),
    (
        "n/a",
        "no answer",
        "cannot answer",
        "unable to answer",
        "not answerable",
        "not found",
        "no information",
        "insufficient information",
        "not enough information",
    ),
)
