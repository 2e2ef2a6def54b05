"""Matches the lines of two texts, in linear time.

Equal lines at both ends are set aside. Then lines that occur exactly once on each side become
anchors, as far as their order agrees. Text between anchors is compared exactly if it is small;
otherwise it counts as replaced.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

EXACT = 40_000
"""The largest product of two line counts that is compared exactly."""
BUDGET = 2_000_000
"""The largest sum of such products in one comparison."""


Bounds: TypeAlias = tuple[int, int, int, int]
"""Start and end of a part of the old side, and of the new side."""
Match: TypeAlias = tuple[int, int, int]
"""Where equal lines start on both sides, and how many there are."""


class DiffSpan(NamedTuple):
    """Lines that are equal on both sides, or replaced."""

    same: bool
    old: range
    new: range


def match_lines(old: Sequence[Hashable], new: Sequence[Hashable]) -> list[DiffSpan]:
    """Return all lines of both sides in order, alternating equal and changed spans."""
    made: list[DiffSpan] = []
    at_old = at_new = 0
    for first, second, length in _join_matches(_find_matches(old, new)):
        if at_old < first or at_new < second:
            made.append(DiffSpan(False, range(at_old, first), range(at_new, second)))
        made.append(DiffSpan(True, range(first, first + length), range(second, second + length)))
        at_old, at_new = first + length, second + length
    if at_old < len(old) or at_new < len(new):
        made.append(DiffSpan(False, range(at_old, len(old)), range(at_new, len(new))))
    return made


def _join_matches(matches: Iterator[Match]) -> Iterator[Match]:
    """Join matches that are adjacent on both sides."""
    first = second = length = 0
    for each in matches:
        if (first + length, second + length) == each[:2]:
            length += each[2]
            continue
        if length:
            yield first, second, length
        first, second, length = each
    if length:
        yield first, second, length


def _find_matches(old: Sequence[Hashable], new: Sequence[Hashable]) -> Iterator[Match]:
    head = _count_alike(old, new)
    tail = _count_alike_at_end(old, new, head)
    if head:
        yield 0, 0, head
    yield from _match_between(old, new, (head, len(old) - tail, head, len(new) - tail))
    if tail:
        yield len(old) - tail, len(new) - tail, tail


def _count_alike(old: Sequence[Hashable], new: Sequence[Hashable]) -> int:
    count = 0
    for a, b in zip(old, new, strict=False):
        if a != b:
            break
        count += 1
    return count


def _count_alike_at_end(old: Sequence[Hashable], new: Sequence[Hashable], head: int) -> int:
    most = min(len(old), len(new)) - head
    count = 0
    while count < most and old[-1 - count] == new[-1 - count]:
        count += 1
    return count


def _match_between(
    old: Sequence[Hashable], new: Sequence[Hashable], bounds: Bounds
) -> Iterator[Match]:
    left, right, top, bottom = bounds
    budget = BUDGET
    at_old, at_new = left, top
    for first, second in [*_find_anchors(old, new, bounds), (right, bottom)]:
        size = (first - at_old) * (second - at_new)
        if 0 < size <= min(EXACT, budget):
            budget -= size
            yield from _match_exactly(old, new, (at_old, first, at_new, second))
        if first < right:
            yield first, second, 1
        at_old, at_new = first + 1, second + 1


def _match_exactly(old: Sequence[Hashable], new: Sequence[Hashable], bounds: Bounds) -> list[Match]:
    """Match the longest run of equal lines, then the longest before and after it, and so on."""
    places: dict[Hashable, list[int]] = {}
    for at in range(bounds[2], bounds[3]):
        places.setdefault(new[at], []).append(at)
    found: list[Match] = []
    pending = [bounds]
    while pending:
        left, right, top, bottom = pending.pop()
        first, second, length = _find_longest_match(old, places, (left, right, top, bottom))
        if not length:
            continue
        found.append((first, second, length))
        if left < first and top < second:
            pending.append((left, first, top, second))
        if first + length < right and second + length < bottom:
            pending.append((first + length, right, second + length, bottom))
    found.sort()
    return found


def _find_longest_match(
    old: Sequence[Hashable], places: Mapping[Hashable, Sequence[int]], bounds: Bounds
) -> Match:
    """Return the longest run of equal lines; of several, the first on the old side, then on the
    new."""
    left, right, top, bottom = bounds
    best = (left, top, 0)
    most = 0
    lengths: dict[int, int] = {}
    """For each new line, how many lines before it equal those before the old line."""
    for at in range(left, right):
        longer: dict[int, int] = {}
        for there in places.get(old[at], ()):
            if there >= bottom:
                break
            if there >= top:
                length = longer[there] = lengths.get(there - 1, 0) + 1
                if length > most:
                    most = length
                    best = (at - length + 1, there - length + 1, length)
        lengths = longer
    return best


def _find_anchors(
    old: Sequence[Hashable], new: Sequence[Hashable], bounds: Bounds
) -> list[tuple[int, int]]:
    """Return lines that occur once on each side: the longest sequence in the same order."""
    left, right, top, bottom = bounds
    if (right - left) * (bottom - top) <= EXACT:
        return []
    once_old = _find_unique_lines(old[left:right], left)
    once_new = _find_unique_lines(new[top:bottom], top)
    pairs = [(at, once_new[line]) for line, at in once_old.items() if line in once_new]
    return _find_longest_rising(pairs)


def _find_unique_lines(lines: Sequence[Hashable], start: int) -> dict[Hashable, int]:
    counts = Counter(lines)
    return {line: start + at for at, line in enumerate(lines) if counts[line] == 1}


def _find_longest_rising(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the longest subsequence in which both numbers increase."""
    ends: list[int] = []
    last: list[int] = []
    before: list[int] = []
    for number, (_, second) in enumerate(pairs):
        place = bisect_left(ends, second)
        before.append(last[place - 1] if place else -1)
        ends[place : place + 1] = [second]
        last[place : place + 1] = [number]
    row: list[tuple[int, int]] = []
    here = last[-1] if last else -1
    while here >= 0:
        row.append(pairs[here])
        here = before[here]
    row.reverse()
    return row
