"""Tests of talktree.files."""
