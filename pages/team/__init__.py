"""Parts of the Team screen."""
