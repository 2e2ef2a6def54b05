"""Reading and writing, once, for all formats."""

from talktree.formats.engine.origin import Origin
from talktree.formats.engine.read import read, skim
from talktree.formats.engine.write import write

__all__ = ["Origin", "read", "skim", "write"]
