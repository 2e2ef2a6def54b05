"""Reading one record again, for an excerpt: its id and its pieces, from the bytes of its line."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from talktree.library.extract.claude_code import extract_claude_code
from talktree.library.extract.facts import Heading, SearchPiece
from talktree.text.json.value import REFUSALS

FIRST_LOOK = 1 << 16
"""How many bytes are read at first; most lines are shorter."""
MORE = 8
"""The factor by which more is read when that was not enough."""
END = b"\n"

Read = Callable[[int, int], bytes]
"""Reads a number of bytes from an offset on; fewer only at the end."""


class _Named(msgspec.Struct):
    """The fields of a record that determine its id."""

    uuid: str | None = None


_named = msgspec.json.Decoder(_Named)


def read_line_at(read: Read, at: int) -> bytes:
    """Return the line, or the rest of one, that begins at an offset."""
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
    """Return the pieces of the record that begins with a line.

    They are equal to those of the whole file, except for what depends on earlier lines: the tool of
    a result, and whether a task list has changed.
    """
    whole = line if line.endswith(END) else line + END
    return [piece for piece in extract_claude_code(whole, at, heading).pieces if piece.at == at]


def read_record_id(line: bytes) -> str | None:
    """Return the id of the record that begins with a line."""
    try:
        return _named.decode(line).uuid
    except REFUSALS:
        return None
