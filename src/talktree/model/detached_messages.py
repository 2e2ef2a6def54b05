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

SidechainKey = tuple[object, object]
"""The session and the sub-agent of a message; anything false where it names none."""
SidechainOf = Callable[[int], SidechainKey]


def find_orphans(skeleton: Skeleton, sidechain_of: SidechainOf) -> dict[int, int]:
    """For each message that is cut off the one it continues; -1 if nothing before it can be it."""
    broken = sorted(
        position
        for position in {*skeleton.dangling, *skeleton.looped, *skeleton.astray}
        if skeleton.parents[position] == ROOT or skeleton.linked.get(position) == "spawned"
    )
    return _Search(skeleton, sidechain_of).find_all(broken) if broken else {}


class _Search:
    def __init__(self, skeleton: Skeleton, sidechain_of: SidechainOf) -> None:
        self._skeleton = skeleton
        self._lane_of = sidechain_of
        self._found: dict[int, int] = {}
        self._together: dict[tuple[str, int, SidechainKey], int] = {}
        """Where the children of a missing parent went."""
        self._above = array("q", skeleton.parents) if has_forward_link(skeleton) else None
        """Parents, shortened on the way; only where a new link could close a loop."""
        self._leads: dict[int, int] = {}
        self._left = STEPS * len(skeleton)
        self._before, self._spoken = _find_neighbors(skeleton)

    def find_all(self, broken: list[int]) -> dict[int, int]:
        """The answer for each of them, earlier ones first."""
        skeleton, found = self._skeleton, self._found
        for position in broken:
            missing = skeleton.dangling.get(position) or skeleton.astray.get(position)
            key = (missing or "", skeleton.sidechain[position], self._lane_of(position))
            known = self._together.get(key) if missing else None
            if known is None or self._is_below(known, position):
                known = self._find_nearest(position)
            self._together.setdefault(key, known)
            found[position] = known
            if self._above is not None:
                self._above[position] = known
        return found

    def _find_nearest(self, position: int) -> int:
        """The record before it that it continues."""
        spoken = self._find_matching(self._spoken, position)
        note = self._find_matching(self._before, position, until=spoken)
        # A note that goes on from the last words stands between; one from elsewhere stands aside.
        if note != ROOT and note != spoken and self._find_lead(note) == spoken:
            return note
        return spoken if spoken != ROOT else note

    def _find_matching(self, before: array[int], position: int, *, until: int = ROOT) -> int:
        column = self._lane_of(position)
        here = before[position]
        while here > until and self._left > 0:
            self._left -= 1
            if _is_same_sidechain(self._lane_of(here), column) and not self._is_below(
                here, position
            ):
                return here
            here = before[here]
        return until

    def _is_below(self, below: int, position: int) -> bool:
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

    def _find_lead(self, position: int) -> int:
        """The last words on the way to a note."""
        skeleton, leads = self._skeleton, self._leads
        way = []
        here = position
        while here != ROOT and here not in leads and skeleton.traits[here] == Trait.NOTE:
            leads[here] = ROOT  # so that not even a loop is walked twice
            way.append(here)
            here = self._found.get(here, skeleton.parents[here])
        lead = here if here == ROOT else leads.get(here, here)
        leads.update(dict.fromkeys(way, lead))
        return lead


def _is_same_sidechain(one: SidechainKey, other: SidechainKey) -> bool:
    session, agent = one
    return agent == other[1] and (session == other[0] or not session or not other[0])


def _find_neighbors(skeleton: Skeleton) -> tuple[array[int], array[int]]:
    """For each record the named one before it on its side, and the one that is no mere note."""
    before, spoken = array("q"), array("q")
    last = [[ROOT, ROOT], [ROOT, ROOT]]
    native = skeleton.native
    for position, trait in enumerate(skeleton.traits):
        mine = last[1 if skeleton.sidechain[position] else 0]
        before.append(mine[0])
        spoken.append(mine[1])
        if trait and (position not in native or native[position]):
            mine[0] = position
            if trait != Trait.NOTE:
                mine[1] = position
    return before, spoken


def has_forward_link(skeleton: Skeleton) -> bool:
    """Whether a message hangs on a later one anywhere, loops left out."""
    return skeleton.points_forward and any(
        above > position for position, above in enumerate(skeleton.parents)
    )


SPOKEN = (Trait.SAID, Trait.REPLY, Trait.RESULT)


def find_detached(skeleton: Skeleton) -> dict[int, int]:
    """Messages that hang on a note beside the talk they continue, with the end of that talk.

    Note and talk start from the same message, the note was written while the talk went on, and the
    talk was over before the stranded message came: so nobody went back to the note on purpose.
    """
    if not skeleton.traits.count(Trait.NOTE):
        return {}
    hanging = _Climb(skeleton).find_on_notes()
    beside = _find_beside(skeleton, {above for above, _ in hanging.values()}) if hanging else {}
    likely = {
        position: (above, note)
        for position, (above, note) in hanging.items()
        if any(start < position for start in beside.get(above, ()))
    }
    if not likely or has_forward_link(skeleton):
        return {}
    ends = _Ends(skeleton)
    found = {
        position: ends.find_end(position, note, beside[above])
        for position, (above, note) in likely.items()
    }
    return {position: end for position, end in found.items() if end != ROOT}


class _Climb:
    """From messages that hang on notes up to what the notes start from."""

    def __init__(self, skeleton: Skeleton) -> None:
        self._skeleton = skeleton
        self._known: dict[int, tuple[int, int]] = {}

    def find_on_notes(self) -> dict[int, tuple[int, int]]:
        """Messages on notes, with what is said before the notes and the first of them."""
        skeleton, note = self._skeleton, int(Trait.NOTE)
        traits, linked = skeleton.traits, skeleton.linked
        found = {
            position: self._find_top(above)
            for position, above in enumerate(skeleton.parents)
            if above >= 0
            and traits[above] == note
            and traits[position] in SPOKEN
            and linked.get(position, INFERRED) == INFERRED
        }
        return {position: top for position, top in found.items() if top[0] != ROOT}

    def _find_top(self, note: int) -> tuple[int, int]:
        skeleton, known = self._skeleton, self._known
        way: list[int] = []
        here = note
        while here not in known:
            known[here] = (ROOT, here)
            way.append(here)
            above = skeleton.parents[here]
            # What only follows, as after a compaction, is a start of its own.
            follows = skeleton.linked.get(here, INFERRED) != INFERRED
            if above == ROOT or follows or skeleton.traits[above] != Trait.NOTE:
                known[here] = (ROOT if follows else above, here)
                break
            here = above
        for each in way:
            known[each] = known[here]
        return known[note]


def _find_beside(skeleton: Skeleton, tops: set[int]) -> dict[int, list[int]]:
    """The talk that starts right below some messages, notes left out."""
    found: dict[int, list[int]] = {}
    for position, above in enumerate(skeleton.parents):
        if above in tops and skeleton.traits[position] not in (Trait.NONE, Trait.NOTE):
            found.setdefault(above, []).append(position)
    return found


class _Ends:
    """Where lines of talk end."""

    def __init__(self, skeleton: Skeleton) -> None:
        self._skeleton = skeleton
        self._tree = Tree(skeleton)
        self._known: dict[int, int] = {}

    def find_end(self, position: int, note: int, starts: list[int]) -> int:
        """The end of the talk beside a stranded message; -1 if it is not stranded."""
        skeleton, tree = self._skeleton, self._tree
        side = skeleton.sidechain[position]
        over = [
            start
            for start in starts
            if start < position and skeleton.sidechain[start] == side and tree.is_real(start)
        ]
        if len(over) != 1 or tree.last_below(over[0]) > position:
            return ROOT
        end = self._find_line_end(over[0])
        group = skeleton.group_numbers[position]
        if not skeleton.own_id(end) or (group and group == skeleton.group_numbers[end]):
            return ROOT
        # After going back to an earlier message, too, a note may come first; but then it comes
        # after all of the talk that was left behind. A failed request is never gone back to.
        return end if note < end or skeleton.roles[note] == "assistant" else ROOT

    def _find_line_end(self, start: int) -> int:
        """The last message of a line that is no mere note."""
        known, way = self._known, []
        end = start
        for here in self._tree.line(start):
            if here in known:
                end = known[here]
                break
            way.append(here)
            if self._skeleton.traits[here] != Trait.NOTE:
                end = here
        known.update(dict.fromkeys(way, end))
        return end
