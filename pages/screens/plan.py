"""Plan: how far a budget goes, what a wanted precision costs, and what to label next.

The run is a job of the worker, read again every second while it lasts; a reload shows the same.
"""

from typing import Any

import streamlit as st

from pages import frame
from pages.attempt import attempt
from pages.planner.answer import draw_answer
from pages.planner.form import FIRST_REQUEST, draw_prices, draw_sharing, draw_target
from pages.planner.in_force import draw_in_force, draw_use
from pages.planner.replay import draw_replay
from pages.resources import engine, now
from pages.session import Action, require, take_notice
from workflow import plan_jobs, studies
from workflow.plan_jobs import JobState, PlanRun, PlanRuns
from workflow.planning import PlanRequest

POLL_SECONDS = 1.0


def draw() -> None:
    """The screen."""
    person = require(Action.LEAD)
    study = frame.open_screen("Plan")
    if study is None:
        return
    systems = studies.list_systems(engine(), study)
    if not systems:
        frame.show_empty("No items yet", "Import a file on the Data screen; then plan its labels.")
        return
    frame.show_alert(take_notice(), "error")
    draw_in_force(study, person)
    left, right = _first_row(systems)
    with left:
        system = _system(study, systems)
    newest = plan_jobs.read_runs(engine(), study, system).newest
    is_running = newest is not None and not newest.is_over
    request = _request(study, system, systems, newest, right)
    st.button(
        "Run the plan",
        type="primary",
        key="plan-run",
        disabled=is_running,
        on_click=_start,
        args=(study, system, request),
    )
    watch = st.fragment(_watch, run_every=POLL_SECONDS if is_running else None)
    watch(study, system, person, is_running)
    draw_replay(study, system, request)


def _request(
    study: str, system: str, systems: list[str], newest: PlanRun | None, place: Any
) -> PlanRequest:
    """What is asked for now; the fields begin with what was asked last."""
    before = newest.request if newest else FIRST_REQUEST
    key = f"{study}-{system}"
    with place:
        target = draw_target(key, before, [other for other in systems if other != system])
    request = draw_prices(key, before)
    sharing = plan_jobs.read_sharing(engine(), study, system)
    return request._replace(
        quantity=target.quantity,
        population=target.population,
        against=target.against,
        systems_sharing=draw_sharing(key, before, sharing),
        votes=studies.read_votes_wanted(engine(), study),
    )


def _first_row(systems: list[str]) -> tuple[Any, Any]:
    """Places for the system, where there is a choice, and for the target."""
    if len(systems) == 1:
        return st.container(), st.container()
    left, right = st.columns([1, 4], vertical_alignment="bottom")
    return left, right


def _system(study: str, systems: list[str]) -> str:
    if len(systems) == 1:
        return systems[0]
    chosen: str = st.selectbox("System", systems, key=f"plan-system-{study}")
    return chosen


def _start(study: str, system: str, request: PlanRequest) -> None:
    attempt(lambda: plan_jobs.queue_plan(engine(), study, system, request, now()))


def _watch(study: str, system: str, person: str, was_running: bool) -> None:
    """The run as it grows, else what it ended with; the polling ends with the run."""
    runs = plan_jobs.read_runs(engine(), study, system)
    if was_running and (runs.newest is None or runs.newest.is_over):
        st.rerun()
    if runs.newest is None:
        frame.show_empty(
            "No plan yet",
            "Say what labels cost, and what you can spend or how sure you want to be. Then run it.",
        )
        return
    shown = _status(runs)
    if shown is not None:
        draw_answer(study, shown)
        if shown.state == JobState.DONE and not was_running:
            draw_use(study, person, shown)


def _status(runs: PlanRuns) -> PlanRun | None:
    """Progress or how the newest run ended; returns the run to show."""
    newest = runs.newest
    assert newest is not None
    if not newest.is_over:
        st.progress(newest.progress, text=newest.message or "Waiting for the worker")
        st.button("Cancel", key="plan-cancel", on_click=_cancel, args=(newest.job_id,))
        has_started = bool(newest.document and newest.document["strategies"])
        return newest if has_started else None
    if newest.state == JobState.FAILED:
        frame.show_alert(newest.message, "error")
    if newest.state == JobState.CANCELLED:
        rest = " Below is the last plan that was finished." if runs.finished else ""
        frame.show_alert(f"The plan was cancelled.{rest}")
    return runs.finished


def _cancel(job_id: int) -> None:
    plan_jobs.cancel_plan(engine(), job_id)
