"""What is open: documents, rows, tails and edits, bounded."""
