"""One file a screen; run by `st.navigation`, never directly."""
