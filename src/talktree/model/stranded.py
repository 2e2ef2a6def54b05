"""Messages that hang on a progress note, a hook or a failed request beside the talk they continue.

The recorder took the note for the last thing that was said. Whoever follows the links then passes
by all replies that stand beside the note.
"""

from __future__ import annotations

from talktree.model.orphans import points_forward
from talktree.model.outline import Trait
from talktree.model.skeleton import INFERRED, ROOT, Skeleton
from talktree.model.tree import Tree

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
