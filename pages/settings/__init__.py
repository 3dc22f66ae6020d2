"""Parts of the Studies screen."""
