"""Repairing conversations: planned, minimal and reversible; every byte is kept or quarantined."""
