"""A text as marks: one for what keys and names are made of, one for what may hide something.

A table makes every byte a mark at the speed of memory. Looking for one mark, or for many in a row,
is quick then, whatever the bytes are that share it.
"""

from __future__ import annotations

from itertools import accumulate, count
from operator import add
from string import ascii_letters, digits
from typing import NamedTuple

LONG = 20
"""So many letters, digits, `-` and `_` in a row are a long run."""
PIECE = 1 << 16
"""How much is looked at together; marks of more would not stay near the processor."""
RUN, HIDING, OTHER = b"a", b"x", b" "
"""Letters, digits, `-` and `_`; bytes that stand in the UTF-8 of characters nobody sees; others."""
_RUNNING = frozenset((ascii_letters + digits + "-_").encode())
_HIDDEN = frozenset((0xC2, 0xF3, *range(0x8B, 0x8E), *range(0xA0, 0xAF)))
"""Each character that `acting` looks for has one of these bytes; most others have none."""
_MARKS = b"".join(
    RUN if byte in _RUNNING else HIDING if byte in _HIDDEN else OTHER for byte in range(256)
)
_LONG_RUN = RUN * LONG
_START = OTHER + _LONG_RUN


class Marks(NamedTuple):
    """What a text is made of."""

    starts: list[int]
    """Where long runs start."""
    may_hide: bool
    """Whether a byte is in it that characters nobody sees have."""


def find_marks(data: bytes) -> Marks:
    """What the marks of a text tell."""
    starts: list[int] = []
    may_hide = False
    for at in range(0, len(data), PIECE):
        marks = data[at : at + PIECE + LONG].translate(_MARKS)
        if HIDING in marks:
            may_hide = True
            marks = marks.replace(HIDING, OTHER)
        if not at and marks.startswith(_LONG_RUN):
            starts.append(0)
        starts += _find_runs_after_marks(marks, at)
    return Marks(starts, may_hide)


def _find_runs_after_marks(marks: bytes, offset: int) -> list[int]:
    """Where long runs start behind another mark."""
    # From its end, a text without long runs is passed over in large steps.
    pieces = marks.rsplit(_START)
    del pieces[-1]
    return list(map(add, accumulate(map(len, pieces)), count(offset + 1, len(_START))))
