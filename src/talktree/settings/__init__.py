"""The user's settings: one file, and a module for each table in it."""
