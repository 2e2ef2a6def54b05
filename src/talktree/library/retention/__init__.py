"""Retention: which conversations the rules of the user let go, and when."""
