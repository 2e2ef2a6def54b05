"""Splices: change some bytes of a file and copy all others.

Also finds the splices between two versions of a file; changes are assumed to be local and in order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from talktree.files.content import Content


class Splice(NamedTuple):
    """A range of a file and its replacement."""

    start: int
    stop: int
    new: bytes = b""


def apply_splices(content: Content, splices: Iterable[Splice]) -> Iterator[bytes]:
    """Yield the bytes of a file with some ranges replaced, which are given in order."""
    at = 0
    for splice in splices:
        if splice.start > at:
            yield from content.blocks(at, splice.start)
        if splice.new:
            yield splice.new
        at = splice.stop
    if at < content.size:
        yield from content.blocks(at, content.size)


def trim_splice(splice: Splice, old: bytes) -> Splice:
    """Return the same change without unchanged bytes at its ends."""
    new = splice.new
    lead = common_prefix_length(old, new, 0, 0)
    trail = common_prefix_length(old[lead:][::-1], new[lead:][::-1], 0, 0)
    return Splice(splice.start + lead, splice.stop - trail, new[lead : len(new) - trail])


def common_prefix_length(one: bytes, two: bytes, left: int, right: int) -> int:
    """Return the length of the common prefix of two texts from two offsets on."""
    low, high = 0, min(len(one) - left, len(two) - right)
    step = 64
    while low < high:
        # Growing steps first, so that a near difference costs little; then bisection.
        stop = min(low + step, high)
        if one[left + low : left + stop] == two[right + low : right + stop]:
            low, step = stop, step * 2
        elif step == 1 or stop - low == 1:
            return low
        else:
            high, step = stop, max(1, (stop - low) // 2)
    return low


KEY = 32
"""This many equal bytes count as the same place."""
STEP = 8
FURTHEST = 1 << 16
"""How far after a difference the same place is searched for."""


def find_splices(old: bytes, new: bytes) -> Iterator[Splice]:
    """Return splices that turn the old bytes into the new ones."""
    left, right = 0, 0
    while left < len(old) or right < len(new):
        same = common_prefix_length(old, new, left, right)
        left, right = left + same, right + same
        if left == len(old) and right == len(new):
            return
        behind_left, behind_right = _find_meeting(old, left, new, right)
        yield Splice(left, behind_left, new[right:behind_right])
        left, right = behind_left, behind_right


def _find_meeting(old: bytes, left: int, new: bytes, right: int) -> tuple[int, int]:
    """Return the next places from which both are equal again."""
    for step in range(0, FURTHEST, STEP):
        key = old[left + step : left + step + KEY]
        if len(key) < KEY:
            break
        found = new.find(key, right, right + step + FURTHEST)
        if found >= 0:
            return _find_earliest(old, left, left + step, new, right, found)
    return _match_ends(old, left, new, right)


def _find_earliest(
    old: bytes, left: int, meets_left: int, new: bytes, right: int, meets_right: int
) -> tuple[int, int]:
    while meets_left > left and meets_right > right and old[meets_left - 1] == new[meets_right - 1]:
        meets_left, meets_right = meets_left - 1, meets_right - 1
    return meets_left, meets_right


def _match_ends(old: bytes, left: int, new: bytes, right: int) -> tuple[int, int]:
    """Return the common suffix if nothing nearby matches."""
    return _find_earliest(old, left, len(old), new, right, len(new))
