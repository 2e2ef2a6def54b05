"""Taking sources in: their bytes into the archive, their words and facts into the index."""
