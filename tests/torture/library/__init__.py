"""Kills of importing processes at any point, and checks of the result."""
