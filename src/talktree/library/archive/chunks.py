"""How a file is cut into chunks, so that copies of it are cut in the same places.

A chunk ends at the end of a record. Which one is decided by what stands there, not by where it
stands: of all records in a window the one with the smallest mark begins the next chunk. If
something was put in or taken out before, the cuts soon are the same again.
"""

from __future__ import annotations

import zlib
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import NamedTuple

CHUNK = 128 << 10
"""How many bytes a chunk has, about: larger ones pack better, smaller ones are read sooner."""
LEAST = CHUNK // 2
MOST = CHUNK + CHUNK // 2
_LOOKED_AT = 48
"""So many bytes of a line tell it from others."""
_NEEDED = MOST + _LOOKED_AT
"""What must be there to decide on a cut, so that it does not depend on how much came at once."""

Mark = tuple[int, int]
"""Where a record begins in its file, and the checksum of its id."""


class ChunkSpan(NamedTuple):
    """A stretch of a file that becomes a chunk."""

    start: int
    data: bytes
    marks: tuple[int, ...]


class Chunker:
    """Takes in the bytes of a file one block after the other and gives them back as chunks."""

    def __init__(self, start: int = 0) -> None:
        self._start = start
        self._held = b""
        self._marks: list[Mark] = []

    def feed(self, data: bytes, marks: Sequence[Mark] = ()) -> Iterator[ChunkSpan]:
        """Some more bytes, and the marks of records that begin in them."""
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
        """What stands between two places of what is held and what follows it."""
        held = len(self._held)
        if start >= held:
            return data[start - held : stop - held]
        return self._held[start:stop] + data[: max(0, stop - held)]

    def finish(self) -> Iterator[ChunkSpan]:
        """What is left at the end of the file."""
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
        """How long the next chunk is, if a mark tells."""
        first = bisect_left(self._marks, (self._start + LEAST, -1))
        last = bisect_left(self._marks, (self._start + MOST, -1))
        if first == last:
            return None
        return min(self._marks[first:last], key=_mark_value)[0] - self._start


def _mark_value(mark: Mark) -> int:
    return mark[1]


def _find_content_length(data: bytes) -> int:
    """How long the chunk is that begins where this does, without marks."""
    return _find_smallest_checksum(data, b"\n") or _find_smallest_checksum(data, b'{"') or CHUNK


def _find_smallest_checksum(data: bytes, sign: bytes) -> int | None:
    """The place behind a sign in the window where what follows has the smallest checksum."""
    best: tuple[int, int] | None = None
    found = data.find(sign, LEAST, MOST)
    while found >= 0:
        place = found + len(sign)
        mine = (zlib.crc32(data[place : place + _LOOKED_AT]), place)
        best = mine if best is None or mine < best else best
        found = data.find(sign, place, MOST)
    return None if best is None else best[1]
