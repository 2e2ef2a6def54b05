"""Bytes, JSON and time without meaning: exact, tolerant, never recursive."""
