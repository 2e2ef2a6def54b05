"""The full-text index: what a word is, and the documents that hold words."""
