"""Use cases: one function each, where storage and computing meet."""
