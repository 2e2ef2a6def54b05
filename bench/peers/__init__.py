"""Other programs that index or count the same history, each in an environment of its own."""
