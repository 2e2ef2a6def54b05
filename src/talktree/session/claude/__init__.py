"""Restoring from Claude Code's own file history."""
