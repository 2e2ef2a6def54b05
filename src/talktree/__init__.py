"""Talktree: the pandoc and the git of AI conversations."""

__version__ = "0.1.0.dev0"
