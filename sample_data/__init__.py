"""The sample study: an invented help desk whose every answer has a known truth."""
