"""A conversation whose broken links are hung together again, in memory; its file stays as it is.

A message whose parent is missing, or whose parents lead back to itself, continues what was said
last before it on the same side. A message that hangs on a progress note beside the real talk
continues that talk. Only the skeleton is looked at, and nothing is read.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from copy import copy

from talktree.model.conversation import Conversation
from talktree.model.outline import Trait
from talktree.model.skeleton import ROOT, Skeleton

INFERRED = "inferred"
"""How such a link is marked."""
FURTHEST_UP = 10_000
"""How far up a chain is followed to see that a new link makes no loop."""


def inferred(bones: Skeleton) -> dict[int, int]:
    """For each message that is cut off, the one it most likely continues; -1 if it starts it."""
    broken = {*bones.dangling, *bones.looped}
    if not broken:
        return {}
    found: dict[int, int] = {}
    latest: dict[tuple[int, bool], int] = {}
    for position, trait in enumerate(bones.traits):
        side = bones.sidechain[position]
        if position in broken:
            before = latest.get((side, True), latest.get((side, False), ROOT))
            found[position] = ROOT if _is_above(bones, position, before, found) else before
        if trait:
            latest[side, trait != Trait.NOTE] = position
    return found


def _is_above(bones: Skeleton, position: int, below: int, found: Mapping[int, int]) -> bool:
    """Whether one message is among the parents of another."""
    if not bones.points_forward:
        return False
    for _ in range(FURTHEST_UP):
        if below == ROOT:
            return False
        if below == position:
            return True
        below = found.get(below, bones.parents[below])
    return True


def stranded(bones: Skeleton) -> dict[int, int]:
    """Messages that hang on a note beside the talk they continue, with its last message.

    The note and the talk start from the same message; the talk was over before the stranded one
    was written, so nobody went back to the note on purpose.
    """
    notes = [
        position
        for position, above in enumerate(bones.parents)
        if above != ROOT
        and bones.traits[above] == Trait.NOTE
        and bones.traits[position] in (Trait.SAID, Trait.REPLY, Trait.RESULT)
    ]
    if not notes:
        return {}
    lanes = _Lanes(bones)
    return {position: last for position in notes if (last := lanes.end_beside(position)) != ROOT}


class _Lanes:
    """For each message the real talk that starts right below it, notes left out."""

    def __init__(self, bones: Skeleton) -> None:
        self._bones = bones
        self._starts: dict[int, list[int]] = {}
        for position, above in enumerate(bones.parents):
            if bones.traits[position] in (Trait.SAID, Trait.REPLY, Trait.RESULT) and above != ROOT:
                self._starts.setdefault(above, []).append(position)
        self._last = array("q", range(len(bones)))
        """The last message below each, by place in the file."""
        for position in range(len(bones) - 1, -1, -1):
            above = bones.parents[position]
            if 0 <= above < position and bones.traits[position] != Trait.NOTE:
                self._last[above] = max(self._last[above], self._last[position])

    def end_beside(self, position: int) -> int:
        """The last message of the talk beside a stranded one, if it was over before that."""
        bones = self._bones
        above = bones.parents[position]
        for _ in range(FURTHEST_UP):
            if above == ROOT or bones.traits[above] != Trait.NOTE:
                break
            above = bones.parents[above]
        if above == ROOT:
            return ROOT
        same_side = bones.sidechain[position]
        ends = [
            self._last[start]
            for start in self._starts.get(above, ())
            if start < position and bones.sidechain[start] == same_side
        ]
        return ends[0] if len(ends) == 1 and above < ends[0] < position else ROOT


def mended(conversation: Conversation) -> Conversation:
    """The same conversation with its broken links inferred; itself if there are none."""
    bones = conversation.skeleton
    links = {**stranded(bones), **inferred(bones)}
    if not any(above != ROOT for above in links.values()):
        return conversation
    fresh = copy(bones)
    fresh.parents = array("q", bones.parents)
    fresh.linked = dict(bones.linked)
    for position, above in links.items():
        if above != ROOT:
            fresh.parents[position] = above
            fresh.linked[position] = INFERRED
    return Conversation(
        id=conversation.id,
        format=conversation.format,
        store=conversation.store,
        members=conversation.members,
        skeleton=fresh,
        changed=conversation.changed,
        main_file=conversation.main_file,
    )


def links_inferred(conversation: Conversation) -> int:
    """How many links of a conversation were inferred."""
    return sum(1 for how in conversation.skeleton.linked.values() if how == INFERRED)
