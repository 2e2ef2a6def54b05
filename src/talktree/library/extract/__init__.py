"""Extraction from files: pieces to search, facts to count, links between records."""
