"""How far people agree: all together, in pairs, and how each of them works."""

import pandas as pd
import streamlit as st

from pages import frame
from pages.charts.agreement import pairs
from pages.charts.posterior import percent
from workflow.quality import MIN_COMPARED, Agreement, Measure, PersonQuality, TypeQuality

MEASURE_WORDS = {
    Measure.RAW: "Share that agrees (raw)",
    Measure.COHEN_KAPPA: "Beyond chance (Cohen's kappa)",
    Measure.WEIGHTED_KAPPA: "With can't tell half-way (weighted kappa)",
    Measure.KRIPPENDORFF_ALPHA: "Beyond chance, all people (Krippendorff's alpha)",
    Measure.GWET_AC1: "Beyond chance, one-sided labels (Gwet's AC1)",
}
MEASURE_HELP = (
    "Raw: of two people's answers to one question, how often they are the same. Kappa and alpha"
    " take away what chance alone would give: 0 is chance, 1 always agree; where nearly all answers"
    " are yes they fall although people agree, which is what AC1 mends. Weighted kappa counts can't"
    " tell as half-way between no and yes; the others leave it out. Skips and extra votes count"
    " nowhere."
)
LABEL_WORDS = {"retrieval": "Retrieval: was enough found?", "task": "Task: is the answer right?"}


def draw_type(found: TypeQuality, interval: float) -> None:
    """One label type: all people together, then each pair."""
    st.subheader(LABEL_WORDS[found.label_type], anchor=False)
    if not found.questions:
        frame.show_empty(
            "Nobody's answers can be compared yet",
            "Every question has one vote. Let two people answer each on Studies › Collecting.",
        )
        return
    left, right = st.columns([1, 1], gap="medium")
    with left:
        rows = [_overall_row(one, interval) for one in found.overall.measures]
        st.dataframe(pd.DataFrame(rows), hide_index=True, width="stretch", height="content")
        st.caption(
            f"{found.questions} questions have the votes of two people or more;"
            f" {100 * found.cannot_tell_share:.0f} % of those votes are can't tell."
        )
        for why in dict.fromkeys(one.why for one in found.overall.measures if one.why):
            st.caption(f"{why.capitalize()}.")
    with right:
        _pairs(found, interval)


def draw_people(people: tuple[PersonQuality, ...]) -> None:
    """How each person works."""
    st.subheader("People", anchor=False)
    if not people:
        frame.show_empty("Nobody has labelled here yet", "Imported labels are not shown.")
        return
    st.dataframe(
        pd.DataFrame([_person_row(one) for one in people]),
        hide_index=True,
        width="stretch",
        height="content",
    )
    st.caption(
        "Seconds: the median from question to answer. Agrees with most: of the questions that"
        " others answered too, how often this person said what most of the others said."
        " Checks: hidden questions whose answer is known."
    )


def _pairs(found: TypeQuality, interval: float) -> None:
    if not found.pairs:
        st.caption(f"Pairs with {MIN_COMPARED} questions in common or more are compared here.")
        return
    kinds = [one.measure for one in found.pairs[0].measures]
    measure = st.selectbox(
        "Each pair, by",
        kinds,
        index=kinds.index(Measure.COHEN_KAPPA),
        format_func=MEASURE_WORDS.__getitem__,
        key=f"pairs-{found.label_type}",
        help=MEASURE_HELP,
    )
    rows = [
        {"pair": f"{pair.first} · {pair.second}"} | one._asdict()
        for pair in found.pairs
        for one in pair.measures
        if one.measure == measure
    ]
    shown = pd.DataFrame(rows)
    defined = shown[shown["value"].notna()]
    if len(defined):
        st.altair_chart(pairs(defined, MEASURE_WORDS[measure], interval), width="stretch")
    st.caption(f"Pairs with fewer than {MIN_COMPARED} questions in common are left out.")
    for row in rows:
        if row["why"]:
            st.caption(frame.literal(f"{row['pair']}: {row['why']}."))


def _overall_row(one: Agreement, interval: float) -> dict[str, str]:
    return {
        "Agreement of all": MEASURE_WORDS[one.measure],
        "Value": "–" if one.value is None else f"{one.value:.2f}",
        f"{percent(interval)} interval": (
            "–" if one.lower is None or one.upper is None else f"{one.lower:.2f} to {one.upper:.2f}"
        ),
    }


def _person_row(one: PersonQuality) -> dict[str, str]:
    unsure = f"{100 * one.cannot_tell / one.labels:.0f} %" if one.labels else "–"
    agrees = f"too few in common ({one.compared})"
    if one.with_others is not None:
        agrees = f"{100 * one.with_others:.0f} % of {one.compared}"
    return {
        "Person": one.person,
        "Labels": str(one.labels),
        "Can't tell": unsure,
        "Skips": str(one.skips),
        "Seconds": "–" if one.median_seconds is None else f"{one.median_seconds:.0f}",
        "Agrees with most": agrees,
        "Checks right": f"{one.checks_right} of {one.checks}" if one.checks else "–",
    }
