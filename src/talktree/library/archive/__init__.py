"""The bytes of every source, kept as they were, each stretch once."""
