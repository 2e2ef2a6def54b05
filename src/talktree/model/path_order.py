"""The reading order of the messages of a branch."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from heapq import heappop, heappush
from itertools import pairwise

from talktree.model.inferred_links import TURN
from talktree.model.outline import Trait
from talktree.model.skeleton import Skeleton


def order_path(
    skeleton: Skeleton,
    line: Sequence[int],
    turn: Sequence[int],
    asides: Callable[[int], Iterable[int]],
) -> list[int]:
    """Return the nodes of a line with their asides, in the order they were written.

    Where the vendor has a reader, a reply stays in one piece, as the reader shows it: its other
    pieces, and then the results of its calls, come after its last piece on the line. `turn` is the
    last reply on the way to each node.
    """
    on_line, last, displaced = (
        set(line),
        _find_last_pieces(skeleton, line),
        _find_displaced(skeleton, line),
    )
    beside = {here: [each for each in asides(here) if each not in on_line] for here in line}
    # A result that comes after everything else stays where it is: the vendor's line ends there.
    latest = max((each for some in (line, *beside.values()) for each in some), default=0)
    vendor = skeleton.habits.latest
    waiting: list[int] = []
    turns: dict[int, list[int]] = {}
    out: list[int] = []
    for here in line:
        while waiting and waiting[0] < here:
            out.append(heappop(waiting))
        group = skeleton.group_numbers[here]
        if here in displaced:
            turns.setdefault(group, []).append(here)
        else:
            out.append(here)
        for each in beside[here]:
            ends = vendor and turn[each] in last and each != latest
            if ends and skeleton.traits[each] != Trait.NOTE:
                turns.setdefault(turn[each], []).append(each)
            else:
                heappush(waiting, each)
        if last.get(group) == here:
            out += sorted(turns.pop(group, ()), key=lambda each: _turn_order(skeleton, each))
            del last[group]
    return out + sorted(waiting)


def _find_last_pieces(skeleton: Skeleton, line: Sequence[int]) -> dict[int, int]:
    """Return the replies on a line, each with its last piece there."""
    groups, traits = skeleton.group_numbers, skeleton.traits
    return {groups[here]: here for here in line if groups[here] and traits[here] == Trait.REPLY}


def _find_displaced(skeleton: Skeleton, line: Sequence[int]) -> set[int]:
    """Return calls recorded beside the one that the vendor's line continues with: they come after
    it."""
    linked = skeleton.linked
    if not skeleton.habits.latest or TURN not in linked.values():
        return set()
    return {above for above, here in pairwise(line) if linked.get(here) == TURN}


def _turn_order(skeleton: Skeleton, position: int) -> tuple[bool, int, int, int]:
    is_result = skeleton.traits[position] == Trait.RESULT
    return is_result, skeleton.times[position], skeleton.parents[position], position
