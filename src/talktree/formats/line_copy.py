"""Writing a line file again: stretches of the old file are copied, new lines go between them.

Records that stood on one line stay on one line as long as they still follow one another; anything
else that follows starts on a line of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from talktree.files import Content
from talktree.files.splice import Splice
from talktree.text.utf8 import BOM

NOWHERE = -1


class Chunk(NamedTuple):
    """A stretch of the old file, and what to write instead of it."""

    start: int = NOWHERE
    stop: int = NOWHERE
    fresh: bytes | None = None
    """None to copy the stretch as it is; a chunk that is nowhere is new."""


def joined(content: Content, chunks: Iterable[Chunk], *, newline: bytes) -> Iterator[bytes]:
    """The bytes of all chunks; neighbours in the old file are read in one go."""
    start = stop = 0
    cursor, ends_line = 0, True
    for chunk in chunks:
        if chunk.fresh is None and chunk.start == chunk.stop:
            continue
        if stop > start and (chunk.start != stop or chunk.fresh is not None):
            yield from content.blocks(start, stop)
            ends_line = _ends_line(content, stop)
            start = stop = 0
        if chunk.start != cursor and stop == start and not ends_line:
            yield newline
        cursor = chunk.stop
        if chunk.fresh is None:
            start, stop = (start if stop > start else chunk.start), chunk.stop
        else:
            yield chunk.fresh
            ends_line = chunk.fresh.endswith(b"\n")
    if stop > start:
        yield from content.blocks(start, stop)


def changed(content: Content, chunks: Iterable[Chunk], *, newline: bytes) -> Iterator[Splice]:
    """The same as splices: what of the old file goes, and what comes in its place.

    Each record that changes is a splice of its own, so that a file in which all of them do is not
    held in memory.
    """
    start, new = 0, list[bytes]()
    for chunk in chunks:
        if chunk.start == NOWHERE:
            if not new and start > 0 and not _ends_line(content, start):
                new.append(newline)
            new.append(chunk.fresh or b"")
        elif chunk.stop > chunk.start:
            if new or start < chunk.start:
                yield Splice(start, chunk.start, b"".join(new))
            if chunk.fresh is not None:
                yield Splice(chunk.start, chunk.stop, chunk.fresh)
            start, new = chunk.stop, []
    if new or start < content.size:
        yield Splice(start, content.size, b"".join(new))


def _ends_line(content: Content, stop: int) -> bool:
    """Whether a new line can start behind a stretch: it ends one, or is nothing but a mark."""
    if content.read(stop - 1, stop) == b"\n":
        return True
    return stop == len(BOM) and content.read(0, stop) == BOM
