"""Maintaining a session: checks, disk usage, and removing unused contents."""
