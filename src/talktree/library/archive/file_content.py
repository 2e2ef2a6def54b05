"""Archived files as formats read them: the bytes come from the archive, chunk by chunk."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from talktree.errors import NotFound
from talktree.files import Source
from talktree.files.content import Content, LineBlock
from talktree.files.source import folder_name, natural_sort_key
from talktree.library.archive.companion_files import find_archived_companions
from talktree.library.archive.source_versions import files_of
from talktree.library.archive.store import Archive
from talktree.library.database.connection import Database

_PATH = "SELECT path FROM sources WHERE id = ?"


class ArchivedContent(Content):
    """A version of an archived file."""

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
            yield from _split_lines(bytes(block[:size]))

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


def _split_lines(data: bytes) -> Iterator[bytes]:
    start = 0
    while start < len(data):
        stop = data.find(b"\n", start) + 1 or len(data)
        yield data[start:stop]
        start = stop


def read_archived_source(
    db: Database,
    archive: Archive,
    source: int,
    version: int | None = None,
    *,
    companions: bool = False,
) -> Source:
    """Return a source as it is in the archive, or as it was in a version of it.

    Companion files are included only on request.
    """
    row = db.read_one(_PATH, (source,))
    if row is None:
        raise NotFound(f"no source {source} in the library", hint="`talktree list` shows them")
    files = files_of(db, source, version)
    alone = make_archived_source(
        archive, row[0], ((each.path, each.generation, each.length) for each in files)
    )
    return with_archived_companions(db, archive, source, alone, version) if companions else alone


def with_archived_companions(
    db: Database, archive: Archive, source: int, alone: Source, version: int | None = None
) -> Source:
    """Return an archived file together with its companion files in the archive."""
    found = {} if alone.folder else find_archived_companions(db, archive, source, version)
    if not found:
        return alone
    contents = {
        path: ArchivedContent(archive, each.kept.generation, each.kept.length)
        for path, each in found.items()
    }
    return Source(alone.name, {**alone.files, **contents}, folder=True)


def make_archived_source(
    archive: Archive, path: bytes, files: Iterable[tuple[bytes, int, int]]
) -> Source:
    """Return a source of some files, each with its generation and the length of it that is read."""
    name = os.fsdecode(os.path.basename(path))
    contents: dict[str, Content] = {}
    alone = False
    for file, generation, length in files:
        alone = alone or file == path
        inside = name if file == path else os.fsdecode(file[len(path) :].lstrip(b"/"))
        contents[inside] = ArchivedContent(archive, generation, length)
    ordered = {inside: contents[inside] for inside in sorted(contents, key=natural_sort_key)}
    return Source(name if alone else folder_name(name, ordered), ordered, folder=not alone)
