"""One file a noun: what the studio answers."""
