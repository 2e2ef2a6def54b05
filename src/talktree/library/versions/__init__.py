"""Edits of kept conversations: appended, undone and done again, saved with a guard."""
