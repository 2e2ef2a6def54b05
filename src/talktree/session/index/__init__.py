"""A cache over the logs: the place of each message, and its parent."""
