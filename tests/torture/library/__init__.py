"""Kills of importing processes at any point, and what is left then."""
