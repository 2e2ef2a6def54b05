"""Small files are read once: opening one for each access costs more than caching it.

Batches cache one source at a time. A file is only opened on first access, so files that must not be
read stay closed.
"""

from __future__ import annotations

from functools import cached_property

from talktree.files.content import Content, MemoryContent, StandIn
from talktree.files.source import Source

SMALL = 4 << 20
"""A larger file is read in parts, like any file."""


class CachedContent(StandIn):
    """A file that is read whole on first access."""

    def __init__(self, stored: Content) -> None:
        self.size = stored.size
        self._stored = stored

    @property
    def modified(self) -> int | None:
        return self._stored.modified

    @cached_property
    def text(self) -> Content:
        return MemoryContent(b"".join(self._stored.blocks()))


def cache_small_files(source: Source) -> Source:
    """Return a source whose small files are read once."""
    return Source(
        source.name,
        {
            path: CachedContent(content) if content.size <= SMALL else content
            for path, content in source.files.items()
        },
        folder=source.folder,
        skipped=source.skipped,
        withheld=source.withheld,
        shown=source.shown,
        place=source.place,
    )
