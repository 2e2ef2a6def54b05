"""The user's own settings: one file, and a module for each table in it."""
