"""The document cache: open documents, rows, tails and edits, bounded in size."""
