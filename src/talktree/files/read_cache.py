"""Small files, read once: opening one for each look into it costs more than holding it.

Whoever goes through very many files holds them one at a time. Until something of a file is asked
for it is not opened, so what nobody may look at stays closed.
"""

from __future__ import annotations

from functools import cached_property

from talktree.files.content import Content, MemoryContent, StandIn
from talktree.files.source import Source

SMALL = 4 << 20
"""A larger file is read in parts, as any file is."""


class CachedContent(StandIn):
    """A file that is read whole when something of it is first asked for."""

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
    """A source whose small files are read once."""
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
