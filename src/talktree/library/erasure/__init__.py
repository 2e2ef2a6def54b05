"""Forgetting conversations and scrubbing secrets: erasing them, and keeping them out."""
