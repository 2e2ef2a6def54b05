"""How many messages of a conversation can be reached; broken links lower this number."""

from __future__ import annotations

from collections.abc import Iterable
from operator import add
from typing import NamedTuple

from talktree.model.conversation import Conversation
from talktree.model.skeleton import ROOT, Skeleton
from talktree.model.tree import Tree


class Reach(NamedTuple):
    """The number of messages, and how many are found by following the links."""

    messages: int = 0
    reachable: int = 0
    """Messages whose parents lead to a start of the conversation."""
    on_path: int = 0
    """Messages from the start to the current leaf."""

    def add(self, other: Reach) -> Reach:
        """Return the sum of two results."""
        return Reach(*map(add, self, other))


def measure_reach(conversations: Iterable[Conversation]) -> Reach:
    """Return the sum over all conversations."""
    total = Reach()
    for each in conversations:
        skeleton = each.skeleton
        messages = len(skeleton.traits) - skeleton.traits.count(0)
        reached = messages - _count_cut_off(skeleton)
        total = total.add(Reach(messages, reached, _count_on_path(each)))
    return total


def _count_cut_off(skeleton: Skeleton) -> int:
    """Count the messages that a broken link cuts off."""
    broken = {*skeleton.dangling, *skeleton.looped} - _find_beginnings(skeleton)
    if not broken:
        return 0
    state = bytearray(len(skeleton))  # 1: reached, 2: cut off
    for start in range(len(skeleton)):
        way = []
        here = start
        while here != ROOT and not state[here]:
            way.append(here)
            if here in broken or skeleton.parents[here] == ROOT:
                state[here] = 2 if here in broken else 1
                break
            here = skeleton.parents[here]
        end = state[here] if here != ROOT else 1
        for each in way:
            state[each] = end
    return sum(
        1 for position, trait in enumerate(skeleton.traits) if trait and state[position] == 2
    )


def _find_beginnings(skeleton: Skeleton) -> set[int]:
    """Return the first message of the conversation and of each sub-agent; these count as starts."""
    first: dict[int, int] = {}
    for position, trait in enumerate(skeleton.traits):
        if trait:
            first.setdefault(skeleton.sidechain[position], position)
            if len(first) > 1:
                break
    return set(first.values())


def _count_on_path(conversation: Conversation) -> int:
    skeleton = conversation.skeleton
    # Which call started a sub-agent does not matter here, and finding out means reading all calls.
    tree = conversation.tree if skeleton.joined else Tree(skeleton)
    here, count = tree.active_leaf(), 0
    while here is not None and here != ROOT:
        count += 1
        here = skeleton.parents[here]
    return count
