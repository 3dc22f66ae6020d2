"""Speed and memory, measured; each script prints a table."""
