"""Which label next, and how far does a budget go? Simulation on the exact engine."""
