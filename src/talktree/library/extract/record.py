"""One record again, for an excerpt: its id and its pieces, from the bytes of its line."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from talktree.library.extract.claude_code import extract_claude_code
from talktree.library.extract.facts import Heading, SearchPiece
from talktree.text.json.value import REFUSALS

FIRST_LOOK = 1 << 16
"""How many bytes are asked for at first; most lines are shorter."""
MORE = 8
"""How many times as much is asked for when that was not enough."""
END = b"\n"

Read = Callable[[int, int], bytes]
"""Gives so many bytes from a place on; fewer only at the end."""


class _Named(msgspec.Struct):
    """All that an id needs of a record."""

    uuid: str | None = None


_named = msgspec.json.Decoder(_Named)


def read_line_at(read: Read, at: int) -> bytes:
    """The line, or the rest of one, that begins at a place."""
    size = FIRST_LOOK
    while True:
        found = read(at, size)
        end = found.find(END) + 1
        if end:
            return found[:end]
        if len(found) < size:
            return found
        size *= MORE


def extract_pieces(line: bytes, at: int, heading: Heading | None = None) -> list[SearchPiece]:
    """The pieces of the record that begins with a line.

    They are what was told of the whole file, but for what only lines before it know: of which tool
    a result is, and whether a list of tasks is an old one.
    """
    whole = line if line.endswith(END) else line + END
    return [piece for piece in extract_claude_code(whole, at, heading).pieces if piece.at == at]


def read_record_id(line: bytes) -> str | None:
    """The id of the record that begins with a line."""
    try:
        return _named.decode(line).uuid
    except REFUSALS:
        return None
