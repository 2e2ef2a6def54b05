"""Find the message that a detached one continues: its parent is missing, or its parents form a
loop.

It continues the last message before it by the same agent in the same session. Messages with the
same missing parent stay siblings. Links that are inferred here never close a loop.

Also finds messages whose parent is a progress note, a hook or a failed request beside the thread
that they continue. The recorder took the note for the last message, so following the links skips
all replies beside the note.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable

from talktree.model.inferred_links import STEPS
from talktree.model.outline import Trait
from talktree.model.skeleton import INFERRED, ROOT, Skeleton
from talktree.model.tree import Tree

SidechainKey = tuple[object, object]
"""The session and the sub-agent of a message; a false value if it names none."""
SidechainOf = Callable[[int], SidechainKey]


def find_orphans(skeleton: Skeleton, sidechain_of: SidechainOf) -> dict[int, int]:
    """Return the message that each detached one continues; -1 if no earlier one is possible."""
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
        """The continued message for the children of each missing parent."""
        self._above = array("q", skeleton.parents) if has_forward_link(skeleton) else None
        """Parents, with shortened paths; only where a new link could close a loop."""
        self._leads: dict[int, int] = {}
        self._left = STEPS * len(skeleton)
        self._before, self._spoken = _find_neighbors(skeleton)

    def find_all(self, broken: list[int]) -> dict[int, int]:
        """Return the result for each of them, earlier ones first."""
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
        """Return the nearest earlier record that it continues."""
        spoken = self._find_matching(self._spoken, position)
        note = self._find_matching(self._before, position, until=spoken)
        # A note that follows the last message is between them; a note from elsewhere is ignored.
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
        """Whether one message is a descendant of another."""
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
        """Return the last message on the way to a note."""
        skeleton, leads = self._skeleton, self._leads
        way = []
        here = position
        while here != ROOT and here not in leads and skeleton.traits[here] == Trait.NOTE:
            leads[here] = ROOT  # so that a loop is not walked twice either
            way.append(here)
            here = self._found.get(here, skeleton.parents[here])
        lead = here if here == ROOT else leads.get(here, here)
        leads.update(dict.fromkeys(way, lead))
        return lead


def _is_same_sidechain(one: SidechainKey, other: SidechainKey) -> bool:
    session, agent = one
    return agent == other[1] and (session == other[0] or not session or not other[0])


def _find_neighbors(skeleton: Skeleton) -> tuple[array[int], array[int]]:
    """Return, for each record, the previous named one on its side, and the previous one that is not
    a note."""
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
    """Whether the parent of any message comes after it, ignoring loops."""
    return skeleton.points_forward and any(
        above > position for position, above in enumerate(skeleton.parents)
    )


SPOKEN = (Trait.SAID, Trait.REPLY, Trait.RESULT)


def find_detached(skeleton: Skeleton) -> dict[int, int]:
    """Return messages below a note beside the thread they continue, with the end of that thread.

    Note and thread start from the same message, the note was written during the thread, and the
    thread had ended before the detached message: so it does not go back to the note on purpose.
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
    """Walks from messages below notes up to the message before the notes."""

    def __init__(self, skeleton: Skeleton) -> None:
        self._skeleton = skeleton
        self._known: dict[int, tuple[int, int]] = {}

    def find_on_notes(self) -> dict[int, tuple[int, int]]:
        """Return messages below notes, with the message before the notes and the first of the
        notes."""
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
            # A message that only follows, as after a compaction, is a start of its own.
            follows = skeleton.linked.get(here, INFERRED) != INFERRED
            if above == ROOT or follows or skeleton.traits[above] != Trait.NOTE:
                known[here] = (ROOT if follows else above, here)
                break
            here = above
        for each in way:
            known[each] = known[here]
        return known[note]


def _find_beside(skeleton: Skeleton, tops: set[int]) -> dict[int, list[int]]:
    """Return the threads that start directly below some messages, without notes."""
    found: dict[int, list[int]] = {}
    for position, above in enumerate(skeleton.parents):
        if above in tops and skeleton.traits[position] not in (Trait.NONE, Trait.NOTE):
            found.setdefault(above, []).append(position)
    return found


class _Ends:
    """Finds the ends of threads."""

    def __init__(self, skeleton: Skeleton) -> None:
        self._skeleton = skeleton
        self._tree = Tree(skeleton)
        self._known: dict[int, int] = {}

    def find_end(self, position: int, note: int, starts: list[int]) -> int:
        """Return the end of the thread beside a detached message; -1 if it is not detached."""
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
        # After going back to an earlier message a note may come first as well; but then it comes
        # after the whole thread that was left. A failed request is never the target of going back.
        return end if note < end or skeleton.roles[note] == "assistant" else ROOT

    def _find_line_end(self, start: int) -> int:
        """Return the last message of a line that is not a note."""
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
