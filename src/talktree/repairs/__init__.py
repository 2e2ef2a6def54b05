"""Mending conversations: planned, minimal, reversible; every byte is kept or quarantined."""
