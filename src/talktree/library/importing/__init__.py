"""Importing sources: their bytes into the archive, their words and facts into the index."""
