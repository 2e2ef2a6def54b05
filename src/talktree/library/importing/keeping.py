"""Bytes of a file on their way into the archive, and whether it still begins with what is there."""

from __future__ import annotations

import os
from collections.abc import Sequence

from talktree.library.archive.chunks import Chunker, Mark
from talktree.library.archive.hashes import chunk_hash
from talktree.library.archive.store import Archive
from talktree.library.importing.rows import FileRow
from talktree.library.sources.changes import Known
from talktree.library.sources.find import Seen

GUARD = 4096
"""How many of the last bytes are looked at again before what follows them is taken."""

PART = 4 << 20


class Keeping:
    """A generation that grows."""

    def __init__(self, archive: Archive, generation: int, tail: bytes = b"") -> None:
        self.generation = generation
        self.end = archive.length(generation)
        self._archive = archive
        self._chunker = Chunker(self.end)
        self._tail = tail

    @property
    def guard(self) -> bytes:
        """What tells whether a file still has the last bytes that were kept."""
        return chunk_hash(self._tail)

    def feed(self, at: int, data: bytes, marks: Sequence[Mark] = ()) -> int:
        """Keep what of these bytes is not there yet; how many that were."""
        new = at + len(data) - self.end
        if new <= 0:
            return 0
        if new < len(data):
            data = data[len(data) - new :]
            marks = [mark for mark in marks if mark[0] >= self.end]
        self.end += new
        self._tail = data[-GUARD:] if new >= GUARD else (self._tail + data)[-GUARD:]
        # A long line is handed over in parts, so that no copy of all of it is made.
        for part in range(0, new, PART):
            for cut in self._chunker.feed(data[part : part + PART] if new > PART else data, marks):
                self._archive.grow(self.generation, cut.start, cut.data, cut.marks)
            marks = ()
        return new

    def settle(self) -> None:
        """Give everything to the archive, as a transaction is about to end."""
        for cut in self._chunker.finish():
            self._archive.grow(self.generation, cut.start, cut.data, cut.marks)
        self._chunker = Chunker(self.end)


class Compared:
    """Whether an open file begins with what was kept of it, and how much was read to know."""

    def __init__(
        self, archive: Archive, row: FileRow, known: Known | None, file: int, seen: Seen
    ) -> None:
        self.read = 0
        self.tail = b""
        self.begins_so = False
        if row.generation is None:
            return
        length = archive.length(row.generation)
        if seen.size < length:
            return
        start = max(0, length - GUARD)
        self.tail = self._pread(file, start, length)
        if chunk_hash(self.tail) != row.guard:
            return
        self.begins_so = _is_trusted(known, seen, length) or self._all_equal(
            archive, row.generation, file
        )

    def _all_equal(self, archive: Archive, generation: int, file: int) -> bool:
        at = 0
        for data in archive.read(generation):
            if self._pread(file, at, at + len(data)) != data:
                return False
            at += len(data)
        return True

    def _pread(self, file: int, start: int, stop: int) -> bytes:
        data = os.pread(file, stop - start, start)
        self.read += len(data)
        return data


def _is_trusted(known: Known | None, seen: Seen, length: int) -> bool:
    """Whether the last bytes are proof enough: the same file, longer or only renamed."""
    if known is None or known.inode != seen.inode:
        return False
    return seen.size > length or (
        known.size == seen.size == length and known.modified == seen.modified
    )
