"""The full-text index: tokenizer and documents."""
