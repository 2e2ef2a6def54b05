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

    def add(self, other: Reach) -> Reach:
        """The figures of both together."""
        return Reach(*map(add, self, other))


def measure_reach(conversations: Iterable[Conversation]) -> Reach:
    """The figures of all conversations together."""
    total = Reach()
    for each in conversations:
        skeleton = each.skeleton
        messages = len(skeleton.traits) - skeleton.traits.count(0)
        reached = messages - _count_cut_off(skeleton)
        total = total.add(Reach(messages, reached, _count_on_path(each)))
    return total


def _count_cut_off(skeleton: Skeleton) -> int:
    """How many messages hang on nothing though something stands before them."""
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
    """The first message of the talk and of its sub-agents: whatever they name, they start."""
    first: dict[int, int] = {}
    for position, trait in enumerate(skeleton.traits):
        if trait:
            first.setdefault(skeleton.sidechain[position], position)
            if len(first) > 1:
                break
    return set(first.values())


def _count_on_path(conversation: Conversation) -> int:
    skeleton = conversation.skeleton
    # Which call started a sub-agent makes no difference here, and costs reading all of them.
    tree = conversation.tree if skeleton.joined else Tree(skeleton)
    here, count = tree.active_leaf(), 0
    while here is not None and here != ROOT:
        count += 1
        here = skeleton.parents[here]
    return count
