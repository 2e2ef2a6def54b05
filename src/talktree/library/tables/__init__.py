"""The contents of the library as Arrow tables."""
