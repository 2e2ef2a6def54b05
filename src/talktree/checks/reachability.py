"""How much of a conversation can be reached: the figure that broken links bring down."""

from __future__ import annotations

from collections.abc import Iterable
from operator import add
from typing import NamedTuple

from talktree.model.conversation import Conversation
from talktree.model.skeleton import ROOT, Skeleton
from talktree.model.tree import Tree


class Reach(NamedTuple):
    """How many messages there are, and how many are found by following the links."""

    messages: int = 0
    reachable: int = 0
    """Messages whose parents lead to a start of the conversation."""
    on_path: int = 0
    """Messages from the start to the current leaf."""

    def plus(self, other: Reach) -> Reach:
        """The figures of both together."""
        return Reach(*map(add, self, other))


def reach(conversations: Iterable[Conversation]) -> Reach:
    """The figures of all conversations together."""
    total = Reach()
    for each in conversations:
        bones = each.skeleton
        messages = len(bones.traits) - bones.traits.count(0)
        reached = messages - _cut_off(bones)
        total = total.plus(Reach(messages, reached, _on_path(each)))
    return total


def _cut_off(bones: Skeleton) -> int:
    """How many messages hang on nothing though something stands before them."""
    broken = {*bones.dangling, *bones.looped} - _beginnings(bones)
    if not broken:
        return 0
    state = bytearray(len(bones))  # 1: reached, 2: cut off
    for start in range(len(bones)):
        way = []
        here = start
        while here != ROOT and not state[here]:
            way.append(here)
            if here in broken or bones.parents[here] == ROOT:
                state[here] = 2 if here in broken else 1
                break
            here = bones.parents[here]
        end = state[here] if here != ROOT else 1
        for each in way:
            state[each] = end
    return sum(1 for position, trait in enumerate(bones.traits) if trait and state[position] == 2)


def _beginnings(bones: Skeleton) -> set[int]:
    """The first message of the talk and of its sub-agents: whatever they name, they start."""
    first: dict[int, int] = {}
    for position, trait in enumerate(bones.traits):
        if trait:
            first.setdefault(bones.sidechain[position], position)
            if len(first) > 1:
                break
    return set(first.values())


def _on_path(conversation: Conversation) -> int:
    bones = conversation.skeleton
    # Which call started a sub-agent makes no difference here, and costs reading all of them.
    tree = conversation.tree if bones.joined else Tree(bones)
    here, count = tree.active_leaf(), 0
    while here is not None and here != ROOT:
        count += 1
        here = bones.parents[here]
    return count
