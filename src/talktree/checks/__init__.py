"""Checking conversations: rules with permanent codes, and their findings."""
