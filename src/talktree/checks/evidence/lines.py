"""Which messages stand on one line of talk: above and below each other, with no break between.

A compaction, or the start of a sub-agent, is such a break: what comes behind it is a request of its
own. All answers come from the skeleton, after one pass over it.
"""

from __future__ import annotations

from array import array

from talktree.formats.talk import Talk
from talktree.model.outline import Trait
from talktree.model.skeleton import ROOT, Skeleton

NOTE, HUNG_ON = "lines", "hung-on"


class Lines:
    """The lines of a conversation."""

    def __init__(self, talk: Talk) -> None:
        self._tree = talk.conversation.tree
        bones = self._bones = talk.bones
        parents = bones.parents
        self._enter = array("q", [ROOT]) * len(bones)
        self._stretch = array("q", range(len(bones)))
        for number, here in enumerate(self._tree.order):
            self._enter[here] = number
            if parents[here] != ROOT and not bones.starts_anew(here):
                self._stretch[here] = self._stretch[parents[here]]
        self._leave = self._enter[:]
        for here in reversed(self._tree.order):
            above = parents[here]
            if above != ROOT and self._leave[here] > self._leave[above]:
                self._leave[above] = self._leave[here]
        self._followed: bytearray | None = None

    def order(self, position: int) -> int:
        """A number by which whatever is above something comes before it."""
        return self._enter[position]

    def is_above(self, high: int, low: int) -> bool:
        """Whether one message is another, or leads to it on one line."""
        if high == low:
            return True
        inside = self._enter[high] <= self._enter[low] <= self._leave[high]
        return inside and self._stretch[high] == self._stretch[low]

    def start(self, position: int) -> int:
        """Where the line of a message starts."""
        return self._stretch[position]

    def is_aside(self, position: int) -> bool:
        """Whether it belongs to the line of its parent without continuing it."""
        return bool(self._tree.aside[position])

    def children(self, position: int) -> list[int]:
        """What hangs on a message."""
        return self._tree.children(position)

    def go_on(self, position: int) -> bool:
        """Whether somebody says something new below a message, on its side and line."""
        if self._followed is None:
            self._followed = _followed(self._bones, self._tree.order)
        return bool(self._followed[position])


def _followed(bones: Skeleton, order: array[int]) -> bytearray:
    parents, traits, groups, side = (
        bones.parents,
        bones.traits,
        bones.group_numbers,
        bones.sidechain,
    )
    # The reply that was last on the way to a node; one more place for the root, at -1.
    lead = array("i", bytes(4 * (len(bones) + 1)))
    speaks = bytearray(len(bones))
    for here in order:
        before, group, trait = lead[parents[here]], groups[here], traits[here]
        speaks[here] = trait == Trait.SAID or (
            trait == Trait.REPLY and (not group or group != before)
        )
        lead[here] = group if trait == Trait.REPLY else before
    followed = bytearray(len(bones))
    for here in reversed(order):
        above = parents[here]
        if above == ROOT or bones.starts_anew(here) or side[here] != side[above]:
            continue
        if speaks[here] or followed[here]:
            followed[above] = 1
    return followed


def goes_on(talk: Talk, position: int) -> bool:
    """Whether somebody says something new below a message, on its side and line."""
    # Most often it is the last one, on which nothing hangs. Sub-agents are hung up only in a tree.
    if not any(talk.bones.sidechain) and position not in _hung_on(talk):
        return False
    return lines_of(talk).go_on(position)


def _hung_on(talk: Talk) -> set[int]:
    """The positions on which anything hangs."""
    found: set[int] | None = talk.notes.get(HUNG_ON)
    if found is None:
        found = talk.notes[HUNG_ON] = set(talk.bones.parents)
    return found


def lines_of(talk: Talk) -> Lines:
    """The lines of a conversation, found once."""
    found: Lines | None = talk.notes.get(NOTE)
    if found is None:
        found = talk.notes[NOTE] = Lines(talk)
    return found
