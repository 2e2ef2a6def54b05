"""Sharing conversations: scope, detail and redaction, as a page or a file."""
