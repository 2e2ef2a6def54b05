"""Shortened ids: short enough to read, long enough to be unique."""

from __future__ import annotations

from bisect import bisect_left

from talktree.model.conversation import Conversation

LEAST = 8
MOST = 40


class ShortIds:
    """Short names for the messages of one conversation."""

    def __init__(self, conversation: Conversation) -> None:
        self._sorted = sorted(conversation.skeleton.by_id)

    def __call__(self, id: str) -> str:
        at = bisect_left(self._sorted, id)
        around = (*self._sorted[max(0, at - 1) : at], *self._sorted[at : at + 2])
        needed = (
            max((_common_prefix_length(id, each) for each in around if each != id), default=0) + 1
        )
        short = id[: max(needed, LEAST)]
        # The last few letters would save no typing, and a whole id is easier to read.
        short = id if len(id) - len(short) < 3 else short
        return short if len(short) <= MOST else id[:MOST]


def _common_prefix_length(one: str, other: str) -> int:
    count = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        count += 1
    return count
