"""Routes and middleware around the Streamlit server."""
