"""Quality: agreement between annotators, how each works, and conflicts to decide."""

import streamlit as st

from pages import frame
from pages.quality.agreement import MEASURE_HELP, draw_people, draw_type
from pages.quality.conflicts import draw_conflicts
from pages.resources import engine
from pages.session import Action, require, take_notice
from workflow import quality


def draw() -> None:
    """The screen."""
    person = require(Action.LEAD)
    study = frame.open_screen("Quality")
    if study is None:
        return
    frame.show_alert(take_notice())
    found = quality.read_quality(engine(), study)
    agreement, conflicts = st.tabs(["Agreement", "Conflicts"])
    with agreement:
        for one in found.types:
            draw_type(one, found.interval)
        if any(one.questions for one in found.types):
            st.caption(MEASURE_HELP)
        draw_people(found.people)
    with conflicts:
        draw_conflicts(study, person, frozenset(found.guideline_problems))
