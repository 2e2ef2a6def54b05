"""Capturing files: states of paths, stored contents, and the steps that record both."""
