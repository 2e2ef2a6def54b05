"""Searching: queries and their results."""
