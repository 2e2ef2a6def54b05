"""A conversation as one self-contained HTML page without scripts."""
