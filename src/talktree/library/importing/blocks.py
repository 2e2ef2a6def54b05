"""Bytes that come in any pieces, given on in blocks of whole lines.

A line may be longer than a block. One that is longer than anybody should read at once is given on
in parts that are kept but not told.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from talktree.files.source import VERY_LARGE, give_back_large_blocks
from talktree.library.archive.prefix import ReadBytes

BLOCK = 512 << 10
"""How much is read at once."""
LONGEST_LINE = 64 << 20
"""A longer line is archived, and nothing of it is told: it would take too much memory."""


class Block(NamedTuple):
    """Some bytes of a file."""

    at: int
    data: bytes
    whole: bool
    """Whether it is whole lines, to be told; else a part of a line."""


def read_blocks(read: ReadBytes, start: int, stop: int) -> Iterator[bytes]:
    """The bytes of a file, as far as there are any.

    Usual blocks take the memory of those before them. That of a line which is longer than a block
    is given back.
    """
    give_back_large_blocks(VERY_LARGE)
    is_long = False
    while start < stop:
        data = read(start, min(start + BLOCK, stop))
        if not data:
            return
        if not is_long and len(data) == BLOCK and b"\n" not in data:
            give_back_large_blocks()
            is_long = True
        start += len(data)
        yield data


def line_blocks(pieces: Iterable[bytes], at: int = 0) -> Iterator[Block]:
    """The same bytes in blocks of whole lines; a last line that has no end comes as a part."""
    held: list[bytes] = []
    size = 0
    skipping = False
    for piece in pieces:
        if skipping:
            end = piece.find(b"\n") + 1
            skipping = not end
            part = piece[:end] if end else piece
            yield Block(at, part, whole=False)
            at += len(part)
            piece = piece[len(part) :]
        end = piece.rfind(b"\n") + 1
        if end:
            data = b"".join((*held, memoryview(piece)[:end])) if held else piece[:end]
            held, size = [], 0
            place, at = at, at + len(data)
            block, data = Block(place, data, whole=True), b""
            yield block
            del block  # whoever was given it may let go of it
            piece = piece[end:]
        if piece:
            held.append(piece)
            size += len(piece)
        if size > LONGEST_LINE:
            for part in held:
                yield Block(at, part, whole=False)
                at += len(part)
            held, size, skipping = [], 0, True
    if held:
        yield Block(at, b"".join(held), whole=False)
