"""Changing some bytes of a file and copying all others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from talktree.files.content import Content


class Splice(NamedTuple):
    """A stretch of a file, and what is to stand there instead."""

    start: int
    stop: int
    new: bytes = b""


def spliced(content: Content, splices: Iterable[Splice]) -> Iterator[bytes]:
    """The bytes of a file with some stretches replaced; they are given in order."""
    at = 0
    for splice in splices:
        if splice.start > at:
            yield from content.blocks(at, splice.start)
        if splice.new:
            yield splice.new
        at = splice.stop
    if at < content.size:
        yield from content.blocks(at, content.size)


def trimmed(splice: Splice, old: bytes) -> Splice:
    """The same change without the bytes at its ends that stay as they are."""
    new = splice.new
    lead = shared(old, new, 0, 0)
    trail = shared(old[lead:][::-1], new[lead:][::-1], 0, 0)
    return Splice(splice.start + lead, splice.stop - trail, new[lead : len(new) - trail])


def shared(one: bytes, two: bytes, left: int, right: int) -> int:
    """How many bytes two texts have in common from two places on."""
    low, high = 0, min(len(one) - left, len(two) - right)
    step = 64
    while low < high:
        # Growing steps first, so that a near difference costs little; then back by halves.
        stop = min(low + step, high)
        if one[left + low : left + stop] == two[right + low : right + stop]:
            low, step = stop, step * 2
        elif step == 1 or stop - low == 1:
            return low
        else:
            high, step = stop, max(1, (stop - low) // 2)
    return low
