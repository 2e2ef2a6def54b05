"""Which message one continues that is cut off from the rest: the parent it names is missing, or its
parents lead back to itself.

It continues what was said last before it by the same agent in the same session. Messages that miss
the same parent stay siblings. No link that is inferred here ever closes a loop.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable

from talktree.model.inferred_links import STEPS
from talktree.model.outline import Trait
from talktree.model.skeleton import ROOT, Skeleton

Lane = tuple[object, object]
"""The session and the sub-agent of a message; anything false where it names none."""
LaneOf = Callable[[int], Lane]


def orphans(bones: Skeleton, lane_of: LaneOf) -> dict[int, int]:
    """For each message that is cut off the one it continues; -1 if nothing before it can be it."""
    broken = sorted(
        position
        for position in {*bones.dangling, *bones.looped, *bones.astray}
        if bones.parents[position] == ROOT or bones.linked.get(position) == "spawned"
    )
    return _Search(bones, lane_of).all(broken) if broken else {}


class _Search:
    def __init__(self, bones: Skeleton, lane_of: LaneOf) -> None:
        self._bones = bones
        self._lane_of = lane_of
        self._found: dict[int, int] = {}
        self._together: dict[tuple[str, int, Lane], int] = {}
        """Where the children of a missing parent went."""
        self._above = array("q", bones.parents) if points_forward(bones) else None
        """Parents, shortened on the way; only where a new link could close a loop."""
        self._leads: dict[int, int] = {}
        self._left = STEPS * len(bones)
        self._before, self._spoken = _neighbours(bones)

    def all(self, broken: list[int]) -> dict[int, int]:
        """The answer for each of them, earlier ones first."""
        bones, found = self._bones, self._found
        for position in broken:
            missing = bones.dangling.get(position) or bones.astray.get(position)
            key = (missing or "", bones.sidechain[position], self._lane_of(position))
            known = self._together.get(key) if missing else None
            if known is None or self._hangs_below(known, position):
                known = self._nearest(position)
            self._together.setdefault(key, known)
            found[position] = known
            if self._above is not None:
                self._above[position] = known
        return found

    def _nearest(self, position: int) -> int:
        """The record before it that it continues."""
        spoken = self._matching(self._spoken, position)
        note = self._matching(self._before, position, until=spoken)
        # A note that goes on from the last words stands between; one from elsewhere stands aside.
        if note != ROOT and note != spoken and self._lead(note) == spoken:
            return note
        return spoken if spoken != ROOT else note

    def _matching(self, before: array[int], position: int, *, until: int = ROOT) -> int:
        lane = self._lane_of(position)
        here = before[position]
        while here > until and self._left > 0:
            self._left -= 1
            if _same(self._lane_of(here), lane) and not self._hangs_below(here, position):
                return here
            here = before[here]
        return until

    def _hangs_below(self, below: int, position: int) -> bool:
        """Whether one message hangs on another, over any number of links."""
        above = self._above
        if above is None or below == ROOT:
            return False
        way = []
        here = below
        while above[here] != ROOT:
            way.append(here)
            here = above[here]
        for each in way:
            above[each] = here
        return here == position

    def _lead(self, position: int) -> int:
        """The last words on the way to a note."""
        bones, leads = self._bones, self._leads
        way = []
        here = position
        while here != ROOT and here not in leads and bones.traits[here] == Trait.NOTE:
            leads[here] = ROOT  # so that not even a loop is walked twice
            way.append(here)
            here = self._found.get(here, bones.parents[here])
        lead = here if here == ROOT else leads.get(here, here)
        leads.update(dict.fromkeys(way, lead))
        return lead


def _same(one: Lane, other: Lane) -> bool:
    session, agent = one
    return agent == other[1] and (session == other[0] or not session or not other[0])


def _neighbours(bones: Skeleton) -> tuple[array[int], array[int]]:
    """For each record the named one before it on its side, and the one that is no mere note."""
    before, spoken = array("q"), array("q")
    last = [[ROOT, ROOT], [ROOT, ROOT]]
    native = bones.native
    for position, trait in enumerate(bones.traits):
        mine = last[1 if bones.sidechain[position] else 0]
        before.append(mine[0])
        spoken.append(mine[1])
        if trait and (position not in native or native[position]):
            mine[0] = position
            if trait != Trait.NOTE:
                mine[1] = position
    return before, spoken


def points_forward(bones: Skeleton) -> bool:
    """Whether a message hangs on a later one anywhere, loops left out."""
    return bones.points_forward and any(
        above > position for position, above in enumerate(bones.parents)
    )
