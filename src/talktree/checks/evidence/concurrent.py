"""Branches that two writers wrote at the same time: their messages stand mixed in the file."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, pairwise

from talktree.model.conversation import Conversation
from talktree.model.outline import Trait
from talktree.model.skeleton import Skeleton
from talktree.model.tree import Tree

MOST = 1000
"""How much of a line is looked at."""
MOST_PAIRS = 1000
"""How many pairs of branches are looked at."""
TURNS = 3
"""So often the pen goes from one writer to the other before they are two."""


def interleaved(conversation: Conversation) -> Iterator[tuple[int, int]]:
    """Where the later of two such branches starts, and the message both start from."""
    bones = conversation.skeleton
    if not _forks(bones) or not _crosses(bones):
        return
    tree = conversation.tree if bones.joined else Tree(bones)
    overlapping = (
        (fork, first, second)
        for fork in tree.forks()
        for first, second in pairwise(sorted(tree.continuations(fork)))
        if tree.last_below(first) > second
    )
    for fork, first, second in islice(overlapping, MOST_PAIRS):
        if _mixed(tree, first, second):
            yield second, fork


def _forks(bones: Skeleton) -> bool:
    """Whether two of people's messages start from one place anywhere; nearly always not."""
    said = bytes([Trait.SAID])
    traits, parents = bones.traits, bones.parents
    at, seen = traits.find(said), set[int]()
    while at >= 0:
        if parents[at] in seen:
            return True
        if parents[at] >= 0:
            seen.add(parents[at])
        at = traits.find(said, at + 1)
    return False


def _crosses(bones: Skeleton) -> bool:
    """Whether a message hangs on one that stands before the start of a later branch and behind the
    fork that it leaves. Branches that are written one after the other have no such links."""
    open_forks: list[tuple[int, int]] = []
    for here, above in enumerate(bones.parents):
        if above == here - 1 or above < 0:
            continue
        if above > here:
            return True
        while open_forks and open_forks[-1][0] >= above:
            open_forks.pop()
        if open_forks and above < open_forks[-1][1]:
            return True
        open_forks.append((above, here))
    return False


def _mixed(tree: Tree, first: int, second: int) -> bool:
    bones = tree.bones
    order: list[tuple[int, int]] = []
    for number, start in enumerate((first, second)):
        line = [
            (here, number)
            for here in islice(tree.line(start), MOST)
            if bones.traits[here] in (Trait.SAID, Trait.REPLY)
        ]
        if not any(bones.traits[here] == Trait.SAID for here, _ in line):
            return False
        order += line
    order.sort()
    turns = sum(one[1] != other[1] for one, other in pairwise(order))
    return turns >= TURNS
