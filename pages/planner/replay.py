"""Would a plan have kept its word? A replay on the labels a study has already."""

from typing import Any

import pandas as pd
import streamlit as st

from model.allocation.strategies import StrategyName
from pages import frame
from pages.attempt import attempt
from pages.resources import engine, now
from workflow import replay_jobs, uploads
from workflow.planning import PlanRequest
from workflow.replay_jobs import MASKINGS, JobStatus, ReplayWish
from workflow.words import STRATEGY_WORDS

POLL_SECONDS = 1.0
FEWEST = 40  # fully labelled items below which a replay says little
FIRST_PILOT = 30


def draw_replay(study: str, system: str, request: PlanRequest) -> None:
    """Hide what is known, let each strategy buy it back, show promise and truth.

    Args:
        study: its name.
        system: of which system.
        request: prices and target as they stand in the form above.
    """
    with st.expander("Would a plan have kept its word here? Replay the labels you have"):
        labelled = replay_jobs.count_labelled(engine(), study, system)
        st.caption(
            f"{labelled} items of this system carry all their labels. A replay hides them but for a"
            f" random pilot, {MASKINGS} times over, lets each strategy buy labels back at the"
            " prices above, and compares the ± that its plan promised with the ± it got."
        )
        if labelled < FEWEST:
            st.caption(f"That is too few: {FEWEST} or more are needed.")
            return
        newest = replay_jobs.read_replay(engine(), study, system)
        is_running = newest is not None and newest.state not in uploads.FINAL
        _form(study, system, request, labelled, is_running)
        watch = st.fragment(_watch, run_every=POLL_SECONDS if is_running else None)
        watch(study, system, is_running)


def _form(study: str, system: str, request: PlanRequest, labelled: int, is_running: bool) -> None:
    columns = st.columns([1, 1, 2], vertical_alignment="bottom")
    pilot = columns[0].number_input(
        "Items labelled at the start",
        min_value=5,
        max_value=labelled,
        value=min(FIRST_PILOT, labelled // 2),
        key=f"replay-pilot-{study}-{system}",
    )
    budget = columns[1].number_input(
        "Budget to buy back",
        min_value=1.0,
        value=float(labelled // 2),
        key=f"replay-budget-{study}-{system}",
    )
    asked = request._replace(budget=float(budget), half_width=None)
    columns[2].button(
        "Replay",
        key="replay-run",
        disabled=is_running,
        on_click=_start,
        args=(study, system, ReplayWish(asked, int(pilot))),
    )


def _start(study: str, system: str, wish: ReplayWish) -> None:
    attempt(lambda: replay_jobs.queue_replay(engine(), study, system, wish, now()))


def _watch(study: str, system: str, was_running: bool) -> None:
    """The rows as they come; the polling ends with the replay."""
    newest = replay_jobs.read_replay(engine(), study, system)
    if newest is None:
        return
    if newest.state not in uploads.FINAL:
        st.progress(newest.progress, text=newest.message or "Waiting for the worker")
        st.button("Cancel", key="replay-cancel", on_click=_cancel, args=(newest.id,))
    elif was_running:
        st.rerun()
    if newest.state == uploads.JobState.FAILED:
        frame.show_alert(newest.message, "error")
    if newest.result and newest.result["rows"]:
        _table(newest)


def _cancel(job_id: int) -> None:
    uploads.cancel_job(engine(), job_id)


def _table(job: JobStatus) -> None:
    result = job.result or {}
    rows = sorted(result["rows"], key=lambda row: float(row["half_width"]))
    st.dataframe(
        pd.DataFrame([_row(row) for row in rows]),
        hide_index=True,
        width="stretch",
        height="content",
    )
    left_out = f" {result['left_out']} items without all labels were left out."
    st.caption(
        f"Budget {job.arguments['budget']:g}, {job.arguments['pilot']} items at the start. Off by:"
        " how far the estimate was from what all labels say. Truth inside: how often the interval"
        f" held that value.{left_out if result['left_out'] else ''}"
    )


def _row(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "Strategy": STRATEGY_WORDS[StrategyName(row["name"])],
        "Promised ±": f"{100 * row['predicted_half_width']:.1f}",
        "Got ±": f"{100 * row['half_width']:.1f}",
        "Off by": f"{100 * row['abs_error']:.1f}",
        "Truth inside": f"{100 * row['coverage']:.0f} %",
        "Retrieval": f"{row['labels']['retrieval']:.0f}",
        "Task": f"{row['labels']['task']:.0f}",
    }
