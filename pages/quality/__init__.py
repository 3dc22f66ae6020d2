"""Parts of the Quality screen."""
