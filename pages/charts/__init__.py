"""DataFrame in, chart out: pure."""
