"""The script that the server runs for each session: which screens there are."""

from pathlib import Path

import streamlit as st

from pages.screens import data, label, plan, results, studies

# A named icon would be fetched from another host.
ICON = Path(__file__).parent / "icon.svg"

st.set_page_config(page_title="Ratchet", page_icon=str(ICON), layout="wide")
st.navigation(
    [
        st.Page(label.draw, title="Label", url_path="label", default=True),
        st.Page(results.draw, title="Results", url_path="results"),
        st.Page(plan.draw, title="Plan", url_path="plan"),
        st.Page(data.draw, title="Data", url_path="data"),
        st.Page(studies.draw, title="Studies", url_path="studies"),
    ],
    position="top",
).run()
