"""Archiving the bytes of a file, and comparing the file with what is archived of it."""

from __future__ import annotations

from collections.abc import Sequence

from talktree.library.archive.chunk_hashes import chunk_hash
from talktree.library.archive.chunks import Chunker, Mark
from talktree.library.archive.prefix import ReadBytes
from talktree.library.archive.store import Archive
from talktree.library.importing.source_rows import FileRow
from talktree.library.sources.changes import HERE, FileRecord
from talktree.library.sources.scan import FileStat

GUARD = 4096
"""How many of the last bytes are compared first: that detects most rewrites at little cost."""
SAMPLE = 64
"""How many chunks of a growing file are compared each time while it is watched: 8 MB of it."""

PART = 4 << 20


class GrowingGeneration:
    """A generation that grows."""

    def __init__(self, archive: Archive, generation: int, tail: bytes = b"") -> None:
        self.generation = generation
        self.end = archive.length(generation)
        self._archive = archive
        self._chunker = Chunker(self.end)
        self._tail = tail

    @property
    def guard(self) -> bytes:
        """The hash that shows whether a file still has the last archived bytes."""
        return chunk_hash(self._tail)

    def feed(self, at: int, data: bytes, marks: Sequence[Mark] = ()) -> int:
        """Archive those of these bytes that are new; return how many."""
        new = at + len(data) - self.end
        if new <= 0:
            return 0
        if new < len(data):
            data = data[len(data) - new :]
            marks = [mark for mark in marks if mark[0] >= self.end]
        self.end += new
        self._tail = data[-GUARD:] if new >= GUARD else (self._tail + data)[-GUARD:]
        # A long line is passed on in parts, so that it is not copied as a whole.
        for part in range(0, new, PART):
            for cut in self._chunker.feed(data[part : part + PART] if new > PART else data, marks):
                self._archive.grow(self.generation, cut.start, cut.data, cut.marks)
            marks = ()
        return new

    def is_intact(self, read: ReadBytes, start: int = 0) -> bool:
        """Whether a file still holds the bytes that were read from it, from an offset on."""
        self.flush()
        return self._archive.compare(self.generation, read, start=start).is_equal

    def flush(self) -> None:
        """Pass everything to the archive before a transaction ends."""
        for cut in self._chunker.finish():
            self._archive.grow(self.generation, cut.start, cut.data, cut.marks)
        self._chunker = Chunker(self.end)


class FileComparison:
    """Compares an open file with what is archived of it, and counts the bytes read for that."""

    def __init__(
        self,
        archive: Archive,
        row: FileRow,
        known: FileRecord | None,
        read: ReadBytes,
        seen: FileStat,
        *,
        sampled: bool,
    ) -> None:
        self.read = 0
        """How many bytes of the file were read."""
        self.tail = b""
        self.begins_so = False
        self.is_complete = False
        """Whether every archived byte was compared."""
        self._read = read
        if row.generation is None:
            return
        length = archive.length(row.generation)
        if seen.size >= length:
            self.tail = self._pread(max(0, length - GUARD), length)
            if chunk_hash(self.tail) == row.guard:
                may_sample = sampled and _is_append(known, seen, length)
                self.begins_so, self.is_complete = archive.compare(
                    row.generation,
                    self._pread,
                    sample=SAMPLE if may_sample else None,
                    seed=seen.size,
                )
        if self.begins_so and self.is_complete:
            archive.verify_versions(row.generation, length)
        if not self.begins_so and known is not None and known.inode == seen.inode:
            archive.retract_versions(row.generation, self._pread)

    def _pread(self, start: int, stop: int) -> bytes:
        data = self._read(start, stop)
        self.read += len(data)
        return data


def _is_append(known: FileRecord | None, seen: FileStat, length: int) -> bool:
    """Whether a file seems to be the same one with more at its end."""
    return known is not None and (
        (known.path, known.inode, known.state) == (seen.path, seen.inode, HERE)
        and seen.size > length
    )
