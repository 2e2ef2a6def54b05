"""Where two versions of a file differ, as splices; changes are taken to be local and in order."""

from __future__ import annotations

from collections.abc import Iterator

from talktree.files.splice import Splice, shared

KEY = 32
"""So many equal bytes count as the same place."""
STEP = 8
FURTHEST = 1 << 16
"""How far behind a difference the same place is looked for."""


def differences(old: bytes, new: bytes) -> Iterator[Splice]:
    """Splices that make the new bytes out of the old ones."""
    left, right = 0, 0
    while left < len(old) or right < len(new):
        same = shared(old, new, left, right)
        left, right = left + same, right + same
        if left == len(old) and right == len(new):
            return
        behind_left, behind_right = _meeting(old, left, new, right)
        yield Splice(left, behind_left, new[right:behind_right])
        left, right = behind_left, behind_right


def _meeting(old: bytes, left: int, new: bytes, right: int) -> tuple[int, int]:
    """The next places at which both go on the same way."""
    for step in range(0, FURTHEST, STEP):
        key = old[left + step : left + step + KEY]
        if len(key) < KEY:
            break
        found = new.find(key, right, right + step + FURTHEST)
        if found >= 0:
            return _earliest(old, left, left + step, new, right, found)
    return _at_the_end(old, left, new, right)


def _earliest(
    old: bytes, left: int, meets_left: int, new: bytes, right: int, meets_right: int
) -> tuple[int, int]:
    while meets_left > left and meets_right > right and old[meets_left - 1] == new[meets_right - 1]:
        meets_left, meets_right = meets_left - 1, meets_right - 1
    return meets_left, meets_right


def _at_the_end(old: bytes, left: int, new: bytes, right: int) -> tuple[int, int]:
    """Nothing in common near by: only what the ends share stays."""
    return _earliest(old, left, len(old), new, right, len(new))
