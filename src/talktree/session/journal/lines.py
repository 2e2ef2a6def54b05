"""The lines of a log, forwards and backwards, without a lock and without holding the file.

A reader takes whole lines only: what a writer has begun is served when it is there to its end.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from talktree.session.journal.fused import BLANK, Line, apart, begun
from talktree.session.journal.seal import LONGEST

__all__ = ["Line", "last_lines", "lines"]

BLOCK = 1 << 20


def lines(fd: int, start: int = 0, stop: int | None = None) -> Iterator[Line]:
    """The lines that begin in a stretch of a file, in order; blanks and NULs are passed over."""
    held: list[bytes] = []
    at = read = start
    while stop is None or read < stop:
        block = os.pread(fd, BLOCK if stop is None else min(BLOCK, stop - read), read)
        if not block:
            break
        read += len(block)
        pieces = block.split(b"\n")
        if len(pieces) > 1:
            held.append(pieces[0])
            first = b"".join(held)
            yield from apart(at, first)
            at += len(first) + 1
            for raw in pieces[1:-1]:
                if _plain(raw):
                    yield Line(at, raw)
                else:
                    yield from apart(at, raw)
                at += len(raw) + 1
            held = []
        rest = pieces[-1]
        if not held:
            # However many NULs there are, they are not kept.
            bare = rest.lstrip(BLANK)
            at += len(rest) - len(bare)
            rest = bare
        if rest:
            held.append(rest)
    yield from begun(at, b"".join(held))


def _plain(raw: bytes) -> bool:
    """Whether a line is quickly seen to be one line of ours and nothing else."""
    return (
        raw[:1] == b"{"
        and raw[-2:] == b'"}'
        and raw[-19:-18] == b"-"
        and b"\0" not in raw
        and raw.find(b'"seal":"', 0, -LONGEST) < 0
    )


def last_lines(fd: int, stop: int | None = None) -> Iterator[Line]:
    """The lines of a file from its end backwards."""
    for start, raw, ended in segments(fd, os.fstat(fd).st_size if stop is None else stop):
        yield from reversed([*apart(start, raw)] if ended else begun(start, raw))


def segments(fd: int, stop: int) -> Iterator[tuple[int, bytes, bool]]:
    """What stands between newlines, backwards: where, the bytes, and whether a newline follows."""
    held: list[bytes] = []
    ended = False
    at = stop
    while at > 0:
        size = min(BLOCK if held else 1 << 16, at)
        block = _exactly(fd, at - size, size)
        at -= size
        edge = len(block)
        while (newline := block.rfind(b"\n", 0, edge)) >= 0:
            held.append(block[newline + 1 : edge])
            raw = b"".join(reversed(held))
            if raw or ended:
                yield at + newline + 1, raw, ended
            held, ended, edge = [], True, newline
        held.append(block[:edge])
    raw = b"".join(reversed(held))
    if raw or ended:
        yield 0, raw, ended


def _exactly(fd: int, start: int, size: int) -> bytes:
    """That many bytes; a file that was cut meanwhile gives NULs in their place."""
    found = os.pread(fd, size, start)
    while len(found) < size:
        more = os.pread(fd, size - len(found), start + len(found))
        if not more:
            return found.ljust(size, b"\0")
        found += more
    return found
