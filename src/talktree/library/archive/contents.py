"""Kept files as formats read them: the bytes come from the archive, a chunk at a time."""

from __future__ import annotations

import os
from collections.abc import Iterator

from talktree.errors import NotFound
from talktree.files import Source
from talktree.files.content import Content, LineBlock
from talktree.library.archive.store import Archive
from talktree.library.database.connection import Database

_SOURCE = "SELECT path FROM sources WHERE id = ?"
_FILES = "SELECT path, generation FROM files WHERE source = ? AND generation IS NOT NULL"


class InArchive(Content):
    """A version of a kept file."""

    def __init__(self, archive: Archive, generation: int, size: int | None = None) -> None:
        self._archive = archive
        self._generation = generation
        self.size = archive.length(generation) if size is None else size

    def read(self, start: int = 0, stop: int | None = None) -> bytes:
        stop = self.size if stop is None else min(stop, self.size)
        return self._archive.slice(self._generation, start, max(0, stop - start))

    def blocks(self, start: int = 0, stop: int | None = None) -> Iterator[bytes]:
        stop = self.size if stop is None else min(stop, self.size)
        if stop > start:
            yield from self._archive.read(self._generation, start, stop - start)

    def lines(self, start: int = 0) -> Iterator[bytes]:
        for block, size in self.line_blocks(start):
            yield from _lines(bytes(block[:size]))

    def line_blocks(self, start: int = 0) -> Iterator[LineBlock]:
        left: list[bytes] = []
        for block in self.blocks(start):
            end = block.rfind(b"\n") + 1
            if not end:
                left.append(block)
                continue
            whole = b"".join([*left, block[:end]]) if left else block[:end]
            yield whole, len(whole)
            left = [block[end:]] if end < len(block) else []
        if left:
            rest = b"".join(left)
            yield rest, len(rest)


def _lines(data: bytes) -> Iterator[bytes]:
    start = 0
    while start < len(data):
        stop = data.find(b"\n", start) + 1 or len(data)
        yield data[start:stop]
        start = stop


def kept_source(db: Database, archive: Archive, source: int) -> Source:
    """A source as it was last seen, whether its files are still there or not."""
    row = db.one(_SOURCE, (source,))
    if row is None:
        raise NotFound(f"no source {source} in the library", hint="`talktree list` shows them")
    top = os.fsdecode(row[0])
    files: dict[str, Content] = {}
    alone = False
    for path, generation in sorted(db.read(_FILES, (source,))):
        name = os.fsdecode(path)
        alone = alone or name == top
        inside = os.path.basename(name) if name == top else os.path.relpath(name, top)
        files[inside] = InArchive(archive, generation)
    return Source(os.path.basename(top), files, folder=not alone)
