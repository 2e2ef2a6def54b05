"""How a log ends, before anything is appended to it.

Never append onto a partial line: that is how one torn line becomes two lost ones.
"""

from __future__ import annotations

import os
from typing import NamedTuple

from talktree.session.journal.fused import BLANK, begun
from talktree.session.journal.lines import last_lines, segments
from talktree.session.journal.seal import LONGEST, judged, number_at_end

_BLOCK = 1 << 20


class Tail(NamedTuple):
    """The end of a log."""

    length: int
    """How much of it is whole lines; what is behind must go."""
    number: int
    """The number of the last line."""
    open: bool = False
    """Whether the last line is whole but for its newline."""


def glance(fd: int, size: int) -> Tail | None:
    """The end of a log that other writers of ours have just used; None if it looks otherwise."""
    end = os.pread(fd, LONGEST, max(0, size - LONGEST))
    number = number_at_end(end[:-1]) if end.endswith(b"\n") else None
    return None if number is None else Tail(size, number)


def tail(fd: int, size: int) -> Tail:
    """The end of a log nobody vouches for."""
    length = _without_nuls(fd, size)
    is_open = False
    for start, raw, ended in segments(fd, length):
        if ended and raw.strip(BLANK):
            break
        if ended and b"\0" in raw:
            # A line of NULs at the very end never was a line.
            length = start
        elif not ended:
            kept = begun(start, raw)
            is_open = bool(kept)
            length = kept[-1].start + len(kept[-1].raw) if kept else start
            if kept:
                break
    return Tail(length, _number(fd, length), is_open)


def _without_nuls(fd: int, size: int) -> int:
    """The length of a file without the NULs at its end, however many they are."""
    while size > 0:
        begin = max(0, size - _BLOCK)
        block = os.pread(fd, size - begin, begin)
        kept = len(block.rstrip(b"\0"))
        if kept or not block:
            return begin + kept
        size = begin
    return 0


def _number(fd: int, length: int) -> int:
    """The number of the last line: that of the last good seal, and one for each line since."""
    since = 0
    for line in last_lines(fd, length):
        verdict = judged(line.raw)
        if verdict.state == "good" and verdict.number is not None:
            return verdict.number + since
        since += 1
    return since
