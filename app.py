"""The web app: Streamlit screens, plain routes beside them, and the worker they need.

Run by `ratchet serve`, or `streamlit run app.py`.
"""

import streamlit as st

from pages.http.lifespan import lifespan
from pages.http.routes import ROUTES
from pages.http.security import MIDDLEWARE

app = st.App("pages/main.py", lifespan=lifespan, routes=ROUTES, middleware=MIDDLEWARE)
