"""Which message one continues that is cut off from the rest: the parent it names is missing, or its
parents lead back to itself.

It continues what was said last before it by the same agent in the same session. Messages that miss
the same parent stay siblings. No link that is inferred here ever closes a loop.

Messages that hang on a progress note, a hook or a failed request beside the talk they continue.

The recorder took the note for the last thing that was said. Whoever follows the links then passes
by all replies that stand beside the note.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable

from talktree.model.inferred_links import STEPS
from talktree.model.outline import Trait
from talktree.model.skeleton import INFERRED, ROOT, Skeleton
from talktree.model.tree import Tree

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


SPOKEN = (Trait.SAID, Trait.REPLY, Trait.RESULT)


def stranded(bones: Skeleton) -> dict[int, int]:
    """Messages that hang on a note beside the talk they continue, with the end of that talk.

    Note and talk start from the same message, the note was written while the talk went on, and the
    talk was over before the stranded message came: so nobody went back to the note on purpose.
    """
    if not bones.traits.count(Trait.NOTE):
        return {}
    hanging = _Climb(bones).hanging()
    beside = _beside(bones, {above for above, _ in hanging.values()}) if hanging else {}
    likely = {
        position: (above, note)
        for position, (above, note) in hanging.items()
        if any(start < position for start in beside.get(above, ()))
    }
    if not likely or points_forward(bones):
        return {}
    ends = _Ends(bones)
    found = {
        position: ends.of(position, note, beside[above])
        for position, (above, note) in likely.items()
    }
    return {position: end for position, end in found.items() if end != ROOT}


class _Climb:
    """From messages that hang on notes up to what the notes start from."""

    def __init__(self, bones: Skeleton) -> None:
        self._bones = bones
        self._known: dict[int, tuple[int, int]] = {}

    def hanging(self) -> dict[int, tuple[int, int]]:
        """Messages on notes, with what is said before the notes and the first of them."""
        bones, note = self._bones, int(Trait.NOTE)
        traits, linked = bones.traits, bones.linked
        found = {
            position: self._top(above)
            for position, above in enumerate(bones.parents)
            if above >= 0
            and traits[above] == note
            and traits[position] in SPOKEN
            and linked.get(position, INFERRED) == INFERRED
        }
        return {position: top for position, top in found.items() if top[0] != ROOT}

    def _top(self, note: int) -> tuple[int, int]:
        bones, known = self._bones, self._known
        way: list[int] = []
        here = note
        while here not in known:
            known[here] = (ROOT, here)
            way.append(here)
            above = bones.parents[here]
            # What only follows, as after a compaction, is a start of its own.
            follows = bones.linked.get(here, INFERRED) != INFERRED
            if above == ROOT or follows or bones.traits[above] != Trait.NOTE:
                known[here] = (ROOT if follows else above, here)
                break
            here = above
        for each in way:
            known[each] = known[here]
        return known[note]


def _beside(bones: Skeleton, tops: set[int]) -> dict[int, list[int]]:
    """The talk that starts right below some messages, notes left out."""
    found: dict[int, list[int]] = {}
    for position, above in enumerate(bones.parents):
        if above in tops and bones.traits[position] not in (Trait.NONE, Trait.NOTE):
            found.setdefault(above, []).append(position)
    return found


class _Ends:
    """Where lines of talk end."""

    def __init__(self, bones: Skeleton) -> None:
        self._bones = bones
        self._tree = Tree(bones)
        self._known: dict[int, int] = {}

    def of(self, position: int, note: int, starts: list[int]) -> int:
        """The end of the talk beside a stranded message; -1 if it is not stranded."""
        bones, tree = self._bones, self._tree
        side = bones.sidechain[position]
        over = [
            start
            for start in starts
            if start < position and bones.sidechain[start] == side and tree.is_real(start)
        ]
        if len(over) != 1 or tree.last_below(over[0]) > position:
            return ROOT
        end = self._end(over[0])
        group = bones.group_numbers[position]
        if not bones.own_id(end) or (group and group == bones.group_numbers[end]):
            return ROOT
        # After going back to an earlier message, too, a note may come first; but then it comes
        # after all of the talk that was left behind. A failed request is never gone back to.
        return end if note < end or bones.roles[note] == "assistant" else ROOT

    def _end(self, start: int) -> int:
        """The last message of a line that is no mere note."""
        known, way = self._known, []
        end = start
        for here in self._tree.line(start):
            if here in known:
                end = known[here]
                break
            way.append(here)
            if self._bones.traits[here] != Trait.NOTE:
                end = here
        known.update(dict.fromkeys(way, end))
        return end
