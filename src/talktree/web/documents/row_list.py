"""The rows of a branch: which messages are shown in a line of their own.

A message that only brings results belongs to the row above it, where the calls are, and so does a
record that never says anything. This is told by the skeleton alone, so the number of rows is known
without reading any.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property

from talktree.formats import by_slug
from talktree.model.conversation import Conversation
from talktree.model.outline import Trait

MOST_RECORDS = 1000
"""How many records of a row are told."""


class RowList:
    """Where the rows of a branch are."""

    def __init__(self, conversation: Conversation, leaf: str, path: Sequence[int]) -> None:
        self.leaf = leaf
        self._conversation = conversation
        self.path = array("q", path)
        """All positions of the branch, those without a row included."""
        bones = conversation.skeleton
        traits, roles, silent = bones.traits, bones.roles, by_slug(conversation.format).silent
        self.heads = array(
            "q",
            (
                place
                for place, position in enumerate(self.path)
                if not place or (traits[position] != Trait.RESULT and roles[position] not in silent)
            ),
        )
        """For each row where in the path its message stands."""
        self.positions = array("q", (self.path[place] for place in self.heads))
        """For each row the position of its message."""

    def __len__(self) -> int:
        return len(self.heads)

    def span(self, number: int) -> range:
        """Which places of the path a row is made of."""
        last = number + 1 == len(self)
        return range(self.heads[number], len(self.path) if last else self.heads[number + 1])

    def ids(self, number: int) -> tuple[str, ...]:
        """The ids of the records that a row is made of."""
        ids = self._conversation.skeleton.ids
        return tuple(ids[self.path[place]] for place in self.span(number)[:MOST_RECORDS])

    def number_of(self, id: str) -> int | None:
        """The row a message is shown in, by its id, or None."""
        position = self._conversation.skeleton.by_id.get(id)
        return None if position is None else self.number_at(position)

    def number_at(self, position: int) -> int | None:
        """The row a position is shown in, or None."""
        place = self._places.get(position)
        return None if place is None else self.row_at(place)

    def row_at(self, place: int) -> int:
        """The row to which a place of the path belongs."""
        return bisect_right(self.heads, place) - 1

    @cached_property
    def _places(self) -> dict[int, int]:
        return {position: place for place, position in enumerate(self.path)}
