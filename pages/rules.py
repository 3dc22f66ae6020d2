"""The rules that tell refusals from answers: edit, preview, put in force."""

import pandas as pd
import streamlit as st

from model.abstention.phrases import PhraseRule, Scope
from model.abstention.rules import AbstentionRules
from pages import frame
from pages.resources import engine, now
from pages.session import leave_notice
from workflow import refusals
from workflow.errors import EXPECTED
from workflow.refusals import Preview, RulesInForce

SCOPE_WORDS = {
    Scope.FIRST_SENTENCE: "first sentence",
    Scope.WHOLE_ANSWER: "anywhere in a short answer",
    Scope.ENTIRE_ANSWER: "the answer is just this",
}


def draw_rules(study: str, person: str) -> None:
    """The panel of a study."""
    try:
        current = refusals.read_rules(engine(), study)
    except EXPECTED as error:
        frame.show_alert(str(error), "error")
        return
    left, right = st.columns([1, 1], gap="large")
    with left:
        rules = _edit(study, current)
    with right:
        _preview(study, person, rules, rules == current.rules)


def _edit(study: str, current: RulesInForce) -> AbstentionRules:
    st.caption(
        f"Version {current.version} is in force. An answer that holds one of these phrases is a"
        " refusal; … stands for a few words, (a|b) for either; citations are left out before."
        " An imported column 'abstained' and a person's word are stronger."
    )
    frame = pd.DataFrame(
        [(rule.language, rule.phrase, SCOPE_WORDS[rule.scope]) for rule in current.rules.phrases],
        columns=["language", "phrase", "where"],
    )
    edited = st.data_editor(
        frame,
        num_rows="dynamic",
        height=420,
        width="stretch",
        key=f"rules-{study}-{current.version}",
        column_config={
            "language": st.column_config.TextColumn("Language", width=80),
            "phrase": st.column_config.TextColumn("Phrase", width=250, required=True),
            "where": st.column_config.SelectboxColumn(
                "Where", options=list(SCOPE_WORDS.values()), required=True, width=150
            ),
        },
    )
    longest = st.number_input(
        "A longer answer is judged by its first sentence alone (characters)",
        0,
        100_000,
        current.rules.max_characters,
        10,
        key=f"longest-{study}-{current.version}",
    )
    scopes = {words: scope for scope, words in SCOPE_WORDS.items()}
    phrases = tuple(
        PhraseRule(str(row.language or ""), str(row.phrase).strip(), scopes[str(row.where)])
        for row in edited.itertuples()
        if isinstance(row.phrase, str) and row.phrase.strip() and row.where in scopes
    )
    return current.rules._replace(phrases=phrases, max_characters=int(longest))


def _preview(study: str, person: str, rules: AbstentionRules, is_same: bool) -> None:
    seen = refusals.preview(engine(), study, rules)
    st.html(
        f'<div class="ratchet-bar"><span><b>{seen.refusals}</b> of <b>{seen.answers}</b> answers'
        f" are refusals</span><span>{seen.num_changes} would change</span></div>"
    )
    st.button(
        "Put in force and score all answers again",
        type="primary",
        disabled=is_same,
        key=f"rules-save-{study}",
        on_click=_put_in_force,
        args=(study, rules, person),
    )
    _tables(seen)


def _tables(seen: Preview) -> None:
    if not seen.changes.empty:
        st.caption("Answers whose verdict would change:")
        st.dataframe(seen.changes, hide_index=True, height=220, width="stretch")
    if not seen.catches.empty:
        st.caption("What each rule catches now:")
        st.dataframe(
            seen.catches,
            hide_index=True,
            height=280,
            width="stretch",
            column_config={
                "rule": st.column_config.TextColumn("Rule", width=370),
                "refusals": st.column_config.NumberColumn("Refusals", width=90),
            },
        )


def _put_in_force(study: str, rules: AbstentionRules, person: str) -> None:
    try:
        version = refusals.put_in_force(engine(), study, rules, person, now())
        leave_notice(f"Version {version} is in force; every answer was scored again.")
    except EXPECTED as error:
        leave_notice(str(error))
