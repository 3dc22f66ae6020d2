"""The web app; filled in by its own change."""
