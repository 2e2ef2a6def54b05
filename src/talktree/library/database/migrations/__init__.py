"""Numbered steps that lead a library from one schema to the next."""
