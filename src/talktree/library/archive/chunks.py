"""Cutting files into chunks, so that copies of a file are cut in the same places.

A chunk ends at the end of a record. The content decides which one, not the position: of all records
in a window, the one with the smallest mark begins the next chunk. After an insertion or a deletion,
the following cuts soon are the same again.
"""

from __future__ import annotations

import zlib
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import NamedTuple

CHUNK = 128 << 10
"""Approximate bytes of a chunk: larger ones compress better, smaller ones are read sooner."""
LEAST = CHUNK // 2
MOST = CHUNK + CHUNK // 2
_LOOKED_AT = 48
"""How many bytes of a line distinguish it from others."""
_NEEDED = MOST + _LOOKED_AT
"""Bytes needed to decide on a cut, so that it does not depend on the size of the blocks fed."""

Mark = tuple[int, int]
"""Where a record begins in its file, and the checksum of its id."""


class ChunkSpan(NamedTuple):
    """A range of a file that becomes a chunk."""

    start: int
    data: bytes
    marks: tuple[int, ...]


class Chunker:
    """Splits the bytes of a file, fed block by block, into chunks."""

    def __init__(self, start: int = 0) -> None:
        self._start = start
        self._held = b""
        self._marks: list[Mark] = []

    def feed(self, data: bytes, marks: Sequence[Mark] = ()) -> Iterator[ChunkSpan]:
        """Add more bytes, with the marks of records that begin in them; yield complete chunks."""
        self._marks += marks
        size = len(self._held) + len(data)
        at = 0
        while size - at >= _NEEDED:
            stop = at + (
                self._find_marked_length()
                or _find_content_length(self._slice_between(data, at, at + _NEEDED))
            )
            yield self._cut_chunk(self._slice_between(data, at, stop))
            at = stop
        self._held = self._slice_between(data, at, size)

    def _slice_between(self, data: bytes, start: int, stop: int) -> bytes:
        """Return the bytes between two offsets, from the buffer and the data that follows it."""
        held = len(self._held)
        if start >= held:
            return data[start - held : stop - held]
        return self._held[start:stop] + data[: max(0, stop - held)]

    def finish(self) -> Iterator[ChunkSpan]:
        """Yield the rest at the end of the file."""
        if self._held:
            held, self._held = self._held, b""
            yield self._cut_chunk(held)

    def _cut_chunk(self, data: bytes) -> ChunkSpan:
        start, self._start = self._start, self._start + len(data)
        count = bisect_left(self._marks, (self._start, -1))
        marks = tuple(mark for _, mark in self._marks[:count])
        del self._marks[:count]
        return ChunkSpan(start, data, marks)

    def _find_marked_length(self) -> int | None:
        """Return the length of the next chunk if a mark decides it."""
        first = bisect_left(self._marks, (self._start + LEAST, -1))
        last = bisect_left(self._marks, (self._start + MOST, -1))
        if first == last:
            return None
        return min(self._marks[first:last], key=_mark_value)[0] - self._start


def _mark_value(mark: Mark) -> int:
    return mark[1]


def _find_content_length(data: bytes) -> int:
    """Return the length of the chunk at the beginning of the data, without marks."""
    return _find_smallest_checksum(data, b"\n") or _find_smallest_checksum(data, b'{"') or CHUNK


def _find_smallest_checksum(data: bytes, sign: bytes) -> int | None:
    """Return the offset after the sign in the window that is followed by the smallest checksum."""
    best: tuple[int, int] | None = None
    found = data.find(sign, LEAST, MOST)
    while found >= 0:
        place = found + len(sign)
        mine = (zlib.crc32(data[place : place + _LOOKED_AT]), place)
        best = mine if best is None or mine < best else best
        found = data.find(sign, place, MOST)
    return None if best is None else best[1]
