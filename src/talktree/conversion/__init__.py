"""Conversion between any two formats, with a loss report and embedded source data."""
