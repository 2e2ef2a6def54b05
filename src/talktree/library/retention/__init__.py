"""Retention: which conversations the user's rules forget, and when."""
