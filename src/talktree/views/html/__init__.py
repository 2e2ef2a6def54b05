"""Conversations as safe HTML: the one renderer of the page, the export and the tests."""
