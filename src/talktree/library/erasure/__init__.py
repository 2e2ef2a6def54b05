"""Forgetting conversations and scrubbing secrets: what is erased, and what must stay away."""
