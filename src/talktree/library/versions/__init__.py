"""Edits of archived conversations: appended, undone, redone, and saved with safety checks."""
