"""Conversations as safe HTML: the one renderer for the page, the export and the tests."""
