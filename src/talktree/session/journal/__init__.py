"""The three logs of a session: sealed lines, appended under a lock, synced in groups."""
