"""Judging conversations: rules with permanent codes, and what they find."""
