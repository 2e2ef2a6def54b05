"""Folders of sources of every kind and state, converted by commands and judged by the oracle."""
