"""Writing conversations: new ones, and those that were read."""

from talktree.authoring.draft import Draft
from talktree.authoring.start import edit, new

__all__ = ["Draft", "edit", "new"]
