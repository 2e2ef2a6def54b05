"""Lines and columns of byte offsets in a text.

Built in one pass; then any offset costs the same, also in a text that is one long line.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right

BLOCK = 1 << 16
"""Interval in bytes at which character counts are stored."""
_CONTINUING = bytes(range(0x80, 0xC0))


class Positions:
    """Where lines start in a text, and how many characters precede each block of it."""

    def __init__(self, text: bytes) -> None:
        self._text = text
        self._starts = array("Q", [0])
        self._characters = array("Q", [0])
        at = text.find(b"\n")
        while at >= 0:
            self._starts.append(at + 1)
            at = text.find(b"\n", at + 1)
        for at in range(0, len(text), BLOCK):
            self._characters.append(self._characters[-1] + count_characters(text[at : at + BLOCK]))

    def line_and_column(self, at: int) -> tuple[int, int]:
        """Return the line and the column of a byte, both counted from 1, the column in
        characters."""
        line = bisect_right(self._starts, at)
        return line, self._count_before(at) - self._count_before(self._starts[line - 1]) + 1

    def _count_before(self, at: int) -> int:
        block = at // BLOCK
        return self._characters[block] + count_characters(self._text[block * BLOCK : at])


def count_characters(text: bytes) -> int:
    """Return how many characters a text in UTF-8 has."""
    return len(text) if text.isascii() else len(text.translate(None, _CONTINUING))
