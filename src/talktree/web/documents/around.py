"""What stands around a message in the tree: its siblings, and sub-agents that begin at it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from itertools import takewhile

from talktree.model.conversation import Conversation
from talktree.model.parts import ToolCall
from talktree.model.skeleton import ROOT
from talktree.web.documents.labels import label
from talktree.web.schemas.transcript import Siblings, Side

MOST_SIBLINGS = 100
MOST_SIDES = 20


class Around:
    """Looks around in one tree; what was found is remembered."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation
        self._ends: dict[int, tuple[int, int]] = {}
        """For the beginnings of lines their last position and how many messages they have."""

    def siblings(self, position: int, leaf: str) -> Siblings | None:
        """The messages that stand at the same place as one on the way to a leaf."""
        tree, bones = self._conversation.tree, self._conversation.skeleton
        if tree.starts_sidechain(position):
            return None
        same = tree.continuations(bones.parents[position])
        if len(same) < 2 or position not in same:
            return None
        return Siblings(
            number=same.index(position),
            leaves=tuple(
                leaf if each == position else bones.ids[self.end_of(each)[0]]
                for each in same[:MOST_SIBLINGS]
            ),
            total=len(same),
        )

    def sides(self, position: int) -> tuple[Side, ...]:
        """The sub-agents' conversations that begin at a message."""
        starts = self._conversation.tree.sidechains(position)[:MOST_SIDES]
        return tuple(self._side(start) for start in starts)

    def _side(self, start: int) -> Side:
        end, count = self.end_of(start)
        return Side(
            leaf=self._conversation.skeleton.ids[end], messages=count, label=self.label(start)
        )

    def leaf_of_call(self, call: ToolCall) -> str:
        """The leaf of the sub-agent that a call began; empty if it began none."""
        start = self._began.get(call.id or "")
        return "" if start is None else self._conversation.skeleton.ids[self.end_of(start)[0]]

    @cached_property
    def _began(self) -> Mapping[str, int]:
        return {call: start for start, call in self._conversation.skeleton.spawned.items()}

    def end_of(self, start: int) -> tuple[int, int]:
        """Where the line from a node on ends, and how many messages that is."""
        found = self._ends.get(start)
        if found is None:
            tree = self._conversation.tree
            end = tree.end_of(start)
            count = sum(1 for _ in takewhile(lambda each: each != end, tree.line(start))) + 1
            found = self._ends[start] = (end, count)
        return found

    def label(self, position: int) -> str:
        """A message in a line."""
        return label(self._conversation.entry(position))

    def parent(self, position: int) -> str | None:
        """The id of what a message hangs on."""
        above = self._conversation.skeleton.parents[position]
        return None if above == ROOT else self._conversation.skeleton.ids[above]
