"""Erasure: removing a session, a message or a file's history from a store for good."""
