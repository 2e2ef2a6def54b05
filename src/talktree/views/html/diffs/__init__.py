"""Differences between two texts, line by line and word by word."""
