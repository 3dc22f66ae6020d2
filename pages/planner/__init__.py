"""The parts of the Plan screen."""
