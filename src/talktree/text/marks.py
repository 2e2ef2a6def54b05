"""A text as marks: one for what keys and names are made of, one for what may hide something.

A table makes every byte a mark at the speed of memory. Looking for one mark, or for many in a row,
is quick then, whatever the bytes are that share it.
"""

from __future__ import annotations

from string import ascii_letters, digits
from typing import NamedTuple

RUN, HIDING, OTHER = b"a", b"x", b" "
"""Letters, digits, `-` and `_`; bytes that stand in the UTF-8 of characters nobody sees; others."""
_RUNNING = frozenset((ascii_letters + digits + "-_").encode())
_HIDDEN = frozenset((0xC2, 0xF3, *range(0x8B, 0x8E), *range(0xA0, 0xAF)))
"""Each character that `acting` looks for has one of these bytes; most others have none."""
_MARKS = b"".join(
    RUN if byte in _RUNNING else HIDING if byte in _HIDDEN else OTHER for byte in range(256)
)


class Marks(NamedTuple):
    """What a text is made of, byte by byte."""

    runs: bytes
    """`RUN` or `OTHER` for each byte."""
    may_hide: bool
    """Whether a byte is among them that characters nobody sees have."""


def marked(data: bytes) -> Marks:
    """A text as marks."""
    marks = data.translate(_MARKS)
    if HIDING not in marks:
        return Marks(marks, may_hide=False)
    return Marks(marks.replace(HIDING, OTHER), may_hide=True)
