"""Searching: queries as people write them, and what they find."""
