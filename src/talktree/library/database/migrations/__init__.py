"""Numbered steps that migrate a library from one schema to the next."""
