"""How a content is cut: whole up to a size, in pieces of one size above it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from hashlib import sha256
from typing import NamedTuple

from talktree.session.capture.limits import MIB

WHOLE = 8 * MIB
"""The largest content that is kept as one file."""
PIECE = MIB


class Piece(NamedTuple):
    """What is kept under one name."""

    hash: str
    data: bytes


def cut(source: int, most: int) -> Iterator[Piece]:
    """The content of a descriptor from its present place on, cut as it is kept.

    Reading ends behind `most` bytes; a content that is longer shows in the sizes.
    """
    first = _read(source, min(WHOLE, most) + 1)
    if len(first) <= WHOLE:
        yield Piece(sha256(first).hexdigest(), first)
        return
    rest, done = first, 0
    while rest and done <= most:
        while len(rest) < PIECE and (more := _read(source, PIECE)):
            rest += more
        data, rest = rest[:PIECE], rest[PIECE:]
        done += len(data)
        yield Piece(sha256(data).hexdigest(), data)


def _read(source: int, size: int) -> bytes:
    """As many bytes as asked for, fewer only at the end."""
    found = os.read(source, size)
    if not found or len(found) == size:
        return found
    parts, have = [found], len(found)
    while have < size and (part := os.read(source, size - have)):
        parts.append(part)
        have += len(part)
    return b"".join(parts)
