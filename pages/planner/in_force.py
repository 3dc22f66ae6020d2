"""Use a plan, see what it asks for next and why, and end it."""

from html import escape

import streamlit as st

from model.allocation.strategies import StrategyName
from pages import frame
from pages.attempt import attempt
from pages.planner.answer import labels_planned
from pages.resources import engine, now
from workflow import following
from workflow.following import AdviceRow, InForce, PlanTerms, Prices
from workflow.plan_jobs import PlanRun
from workflow.planning import PlanRequest
from workflow.words import STRATEGY_WORDS

POLL_SECONDS = 2.0
AUDIT_PERCENT = 20
DIFFERENCE_WORDS = (
    "The queue follows the plan of one system at a time. To narrow this difference, make a plan of"
    " each system alone with half of the money, and use one after the other."
)
AUDIT_HELP = (
    "Instead of the question that helps most, this share of questions is drawn evenly from all"
    " open ones. They show whether the recommendations can be trusted (an audit)."
)


def draw_in_force(study: str, person: str) -> None:
    """The plan that leads the queue, if there is one; it looks again while the plan lives."""
    if following.read_in_force(engine(), study) is not None:
        _live(study, person)


@st.fragment(run_every=POLL_SECONDS)
def _live(study: str, person: str) -> None:
    found = following.read_in_force(engine(), study)
    if found is None:
        st.rerun()
    is_reached = found.advice is not None and found.advice.is_reached
    left, right = st.columns([3, 1], vertical_alignment="center")
    with left:
        frame.show_alert(f"{_describe(found)} {following.describe_goal(found)}", "good")
    with right, st.container(horizontal=True):
        st.button("End plan", key="plan-end", on_click=end, args=(study, person))
        if is_reached and not found.goes_on:
            st.button("Go on", key="plan-go-on", on_click=go_on, args=(study, person))
    if found.advice is not None and found.advice.rows:
        _reasons(found.advice.rows)


def draw_use(study: str, person: str, run: PlanRun) -> None:
    """Choose a strategy of a finished plan and let the queue follow it."""
    found = run.document
    if not found or not found["is_complete"]:
        return
    st.subheader("Use this plan", anchor=False)
    if run.request.against is not None:
        st.caption(DIFFERENCE_WORDS)
        return
    names = list(STRATEGY_WORDS)
    chosen, share, button = st.columns([1.4, 1, 1], vertical_alignment="bottom")
    strategy = chosen.selectbox(
        "Strategy",
        names,
        index=names.index(StrategyName(found["best"])),
        format_func=STRATEGY_WORDS.__getitem__,
        key=f"use-strategy-{run.job_id}",
    )
    audit = share.number_input(
        "Audit share, %",
        min_value=0,
        max_value=100,
        value=AUDIT_PERCENT,
        step=5,
        key=f"use-audit-{run.job_id}",
        help=AUDIT_HELP,
    )
    terms = _terms(found["system"], strategy, run, audit / 100)
    st.caption(_audit_words(labels_planned(found), int(audit)))
    # Not in a callback: that would draw only this part of the screen again.
    if button.button("Use this plan", type="primary", key="plan-use"):
        _use(study, terms, person)
        st.rerun()


def end(study: str, person: str) -> None:
    """Let the queue follow the order of the study again."""
    following.end_plan(engine(), study, person, now())


def go_on(study: str, person: str) -> None:
    """Let the plan ask for more than its goal wants."""
    following.go_on(engine(), study, person, now())


def _describe(found: InForce) -> str:
    words = STRATEGY_WORDS[StrategyName(found.terms.strategy)]
    return f"{words} leads the queue for {found.terms.system}."


def _reasons(rows: tuple[AdviceRow, ...]) -> None:
    with st.expander("What is asked next, and why"):
        lines = "".join(
            f"<b>{number}. {escape(row.words)}</b><span>{row.open_items} open. {escape(row.reason)}"
            "</span>"
            for number, row in enumerate(rows, start=1)
        )
        st.html(f'<div class="ratchet-keys">{lines}</div>')
        st.caption("Annotators see none of this: they get the question alone.")


def _terms(system: str, strategy: StrategyName, run: PlanRun, audit_share: float) -> PlanTerms:
    request = run.request
    return PlanTerms(
        system=system,
        strategy=strategy,
        quantity=request.quantity,
        population=request.population,
        prices=_own_prices(request),
        budget=request.budget,
        half_width=request.half_width,
        audit_share=audit_share,
    )


def _own_prices(request: PlanRequest) -> Prices:
    """What a label costs this system: its part of one that several systems share."""
    retrieval, task, after = request.costs
    return Prices(retrieval / request.systems_sharing, task, after)


def _use(study: str, terms: PlanTerms, person: str) -> None:
    attempt(lambda: following.use_plan(engine(), study, terms, person, now()))


def _audit_words(labels: float | None, percent: int) -> str:
    """What the audit costs, in labels."""
    if not percent:
        return "Without an audit nothing checks the recommendations against an even draw."
    price = "they check the recommendations, and buy a little less precision than the best ones."
    if labels is None:
        return f"{percent} of 100 labels go to items drawn evenly from all open ones: {price}"
    many = f"{labels * percent / 100:.0f} of {labels:.0f}"
    return f"About {many} labels go to items drawn evenly from all open ones: {price}"


def draw_done(study: str, person: str) -> None:
    """On the Label screen: how the plan ended, and what a lead can do."""
    found = following.read_in_force(engine(), study)
    if found is None:
        return
    st.html(f'<p class="ratchet-quiet ratchet-middle">{escape(following.describe_goal(found))}</p>')
    with st.container(horizontal=True, horizontal_alignment="center"):
        st.button("Go on with the plan", key="done-go-on", on_click=go_on, args=(study, person))
        st.button("End the plan", key="done-end", on_click=end, args=(study, person))
