"""Maps a text to character classes: those of keys and names, and those of hidden characters.

A table maps every byte to a class at memory speed. Searching for one class or a run of it is then
fast, whatever bytes belong to it.
"""

from __future__ import annotations

from itertools import accumulate, count
from operator import add
from string import ascii_letters, digits
from typing import NamedTuple

LONG = 20
"""This many consecutive letters, digits, `-` and `_` are a long run."""
PIECE = 1 << 16
"""How much is processed at a time, so that the result fits into the processor's cache."""
RUN, HIDING, OTHER = b"a", b"x", b" "
"""Letters, digits, `-` and `_`; bytes that occur in the UTF-8 of invisible characters; others."""
_RUNNING = frozenset((ascii_letters + digits + "-_").encode())
_HIDDEN = frozenset((0xC2, 0xF3, *range(0x8B, 0x8E), *range(0xA0, 0xAF)))
"""Each character that `control_chars` looks for contains one of these bytes; most others none."""
_MARKS = b"".join(
    RUN if byte in _RUNNING else HIDING if byte in _HIDDEN else OTHER for byte in range(256)
)
_LONG_RUN = RUN * LONG
_START = OTHER + _LONG_RUN


class Marks(NamedTuple):
    """The character classes found in a text."""

    starts: list[int]
    """Where long runs start."""
    may_hide: bool
    """Whether it contains a byte of invisible characters."""


def find_marks(data: bytes) -> Marks:
    """Return the marks of a text."""
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
    """Return where long runs start after another class."""
    # Searching from the end skips a text without long runs in large steps.
    pieces = marks.rsplit(_START)
    del pieces[-1]
    return list(map(add, accumulate(map(len, pieces)), count(offset + 1, len(_START))))
