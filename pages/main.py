"""The script that the server runs for each session: which screens there are."""

from pathlib import Path
from typing import Literal

import streamlit as st

from pages.screens import data, label, plan, quality, results, studies, team
from pages.session import current_visitor
from workflow.signing_in import Role

# A named icon would be fetched from another host.
ICON = Path(__file__).parent / "icon.svg"

st.set_page_config(page_title="Ratchet", page_icon=str(ICON), layout="wide")
# A screen that is not for somebody's role has no place in the bar; its address says why.
shown: Literal["visible", "hidden"] = "visible" if current_visitor().may(Role.LEAD) else "hidden"
st.navigation(
    [
        st.Page(label.draw, title="Label", url_path="label", default=True),
        st.Page(results.draw, title="Results", url_path="results", visibility=shown),
        st.Page(plan.draw, title="Plan", url_path="plan", visibility=shown),
        st.Page(quality.draw, title="Quality", url_path="quality", visibility=shown),
        st.Page(data.draw, title="Data", url_path="data", visibility=shown),
        st.Page(studies.draw, title="Studies", url_path="studies", visibility=shown),
        st.Page(team.draw, title="Team", url_path="team", visibility=shown),
    ],
    position="top",
).run()
