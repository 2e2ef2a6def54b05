"""Erasing: a session, a message or a file's history goes from a store for good."""
