"""The shape of a conversation: which nodes are real branches and which only look like forks.

Recorders leave many points with several children where nobody branched: parallel tool results,
pieces of one API reply, progress lines, retries, replays after a compaction. Those are *asides*
of the line they belong to. What remains are branches. Nothing here recurses or reads contents.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Literal

from msgspec import Struct

from talktree.model.active_point import find_active, newest_message
from talktree.model.outline import Trait
from talktree.model.path_order import ordered_path
from talktree.model.skeleton import ROOT, Skeleton
from talktree.model.vendor_walk import find_resume_point, merge_walk

BranchKind = Literal["active", "fork", "sidechain", "root"]


class Branch(Struct, frozen=True, kw_only=True):
    """A line of the tree from where it leaves another line to its last message."""

    leaf: str
    fork: str | None
    """The message after which it goes its own way; None if it starts the conversation."""
    kind: BranchKind
    messages: int
    """How many messages belong to this branch and no other."""


class Tree:
    """Children, lines and branches over the positions of a skeleton."""

    def __init__(
        self,
        bones: Skeleton,
        sizes: Sequence[int] | None = None,
        walk: Callable[[], Sequence[int]] | None = None,
    ) -> None:
        self.bones = bones
        self._walk = walk
        """Gives the branch that the program's own reader returns."""
        self._sizes = sizes
        """How many messages a node stands for, if not for one."""
        self._first, self._child = _children(bones)
        self._begins = _sidechain_starts(bones)
        """1 where a sub-agent's conversation begins."""
        self.order = self._preorder()
        self._real = self._weigh()
        self._last = self._last_below()
        self._reach = self._spoken_below()
        self._stated = _stated_message(bones)
        """The message that the source says the conversation is at."""
        resumed = find_resume_point(bones) if bones.habits.latest else ROOT
        self._lead_to(resumed if self._stated == ROOT else self._stated)
        self._main: dict[int, list[int]] = {}
        self.aside = bytearray(len(bones))
        """1 where a node belongs to the line of its parent without continuing it."""
        self._classify()

    def __len__(self) -> int:
        return len(self.order)

    @property
    def roots(self) -> list[int]:
        """Positions that hang on nothing."""
        return list(self._children_of(ROOT))

    def children(self, position: int) -> list[int]:
        """All children, artefacts and sidechains included, in source order."""
        return list(self._children_of(position))

    def parent(self, position: int) -> int | None:
        """The parent's position."""
        found = self.bones.parents[position]
        return None if found == ROOT else found

    def _children_of(self, position: int) -> array[int]:
        return self._child[self._first[position + 1] : self._first[position + 2]]

    def _preorder(self) -> array[int]:
        order = array("q")
        first, child = self._first, self._child
        pending = list(reversed(self._children_of(ROOT)))
        while pending:
            here = pending.pop()
            order.append(here)
            start, stop = first[here + 1], first[here + 2]
            if stop - start == 1:
                pending.append(child[start])
            elif stop > start:
                pending.extend(reversed(child[start:stop]))
        return order

    # what continues a line

    def _weigh(self) -> bytearray:
        """1 for every node at or below which somebody really said something new."""
        bones = self.bones
        traits, parents, groups = bones.traits, bones.parents, bones.group_numbers
        # The reply that was last on the way to a node; one more place for the root, at -1.
        lead = array("i", bytes(4 * (len(bones) + 1)))
        real = bytearray(len(bones))
        for here in self.order:
            before, group, trait = lead[parents[here]], groups[here], traits[here]
            real[here] = trait == Trait.SAID or (
                trait == Trait.REPLY and (not group or group != before)
            )
            lead[here] = group if trait == Trait.REPLY else before
        self._turn = lead
        begins = self._begins
        for here in reversed(self.order):
            above = parents[here]
            if real[here] and above != ROOT and not begins[here]:
                real[above] = 1
        return real

    def _last_below(self) -> array[int]:
        """The latest position on the same side at or below each node."""
        last = array("q", range(len(self.bones)))
        parents, begins = self.bones.parents, self._begins
        for here in reversed(self.order):
            above = parents[here]
            if above != ROOT and last[here] > last[above] and not begins[here]:
                last[above] = last[here]
        return last

    def _spoken_below(self) -> array[int]:
        """The latest position at which something is said, on the same side at or below each node.

        Where nothing is said it is less than 0, and in the order of positions.
        """
        traits, count = self.bones.traits, len(self.bones)
        reach = array("q", range(-count, 0))
        parents, begins = self.bones.parents, self._begins
        for here in reversed(self.order):
            if traits[here] != Trait.NOTE and reach[here] < here:
                reach[here] = here
            above = parents[here]
            if above != ROOT and reach[here] > reach[above] and not begins[here]:
                reach[above] = reach[here]
        return reach

    def _lead_to(self, position: int) -> None:
        """Let every line that leads to a message go there, whatever was said later elsewhere."""
        here, parents = position, self.bones.parents
        self._start = ROOT
        while here != ROOT:
            self._reach[here] = len(self.bones)
            self._start, here = here, parents[here]

    def _starts_sidechain(self, position: int) -> bool:
        return bool(self._begins[position])

    def _classify(self) -> None:
        onward = bytearray(b"\1" * len(self.bones))
        first, begins = self._first, self._begins
        for here in self.order:
            if first[here + 2] - first[here + 1] < 2:
                continue
            own = [child for child in self._children_of(here) if not begins[child]]
            self._main[here] = self._continuations(own)
            for child in own:
                onward[child] = 0
            for child in self._main[here]:
                onward[child] = 1
        self._main[ROOT] = [each for each in self.roots if not self._starts_sidechain(each)]
        aside, parents = self.aside, self.bones.parents
        for here in self.order:
            above = parents[here]
            if above != ROOT and not begins[here]:
                aside[here] = aside[above] or not onward[here]

    def _continuations(self, children: list[int]) -> list[int]:
        if len(children) < 2:
            return children
        real = [child for child in children if self._real[child]]
        if not real:
            return [max(children, key=self._reach.__getitem__)]
        return self._without_replays(real) if self.bones.habits.replays else real

    def _without_replays(self, children: list[int]) -> list[int]:
        """Siblings of the same role and the same stamp are one message written twice."""
        bones = self.bones
        kept: dict[tuple[int, str], int] = {}
        """Where in `out` the message with a stamp stands."""
        out: list[int] = []
        for child in children:
            if bones.times[child] < 0:
                out.append(child)
                continue
            stamp = (bones.times[child], bones.roles[child])
            if stamp not in kept:
                kept[stamp] = len(out)
                out.append(child)
            elif self._reach[child] > self._reach[out[kept[stamp]]]:
                out[kept[stamp]] = child
        return out

    # lines and branches

    def continuations(self, position: int) -> list[int]:
        """The children with which the line goes on; more than one is a real fork."""
        mains = self._main.get(position)
        if mains is not None:
            return mains
        return [child for child in self._children_of(position) if not self._starts_sidechain(child)]

    def sidechains(self, position: int) -> list[int]:
        """The sub-agent conversations that start at a node."""
        return [child for child in self._children_of(position) if self._starts_sidechain(child)]

    def asides(self, position: int) -> list[int]:
        """What hangs at a node of a line without continuing it, in source order."""
        if len(self._children_of(position)) < 2:
            return []
        return sorted(self._aside_nodes(position))

    def is_real(self, position: int) -> bool:
        """Whether somebody said something new at a node or below it."""
        return bool(self._real[position])

    def last_below(self, position: int) -> int:
        """The latest node on the same side at or below a node."""
        return self._last[position]

    def forks(self) -> Iterator[int]:
        """Nodes with which more than one line goes on."""
        return (here for here, onward in self._main.items() if here != ROOT and len(onward) > 1)

    def starts_sidechain(self, position: int) -> bool:
        """Whether a sub-agent's conversation begins here."""
        return self._starts_sidechain(position)

    def line(self, start: int) -> Iterator[int]:
        """The positions from a node on, at each fork along the line written last."""
        here = start
        first, child, begins = self._first, self._child, self._begins
        while True:
            yield here
            place = first[here + 1]
            if first[here + 2] - place == 1 and not begins[child[place]]:
                here = child[place]
                continue
            onward = self.continuations(here)
            if not onward:
                return
            here = self.goes_on(onward)

    def end_of(self, start: int) -> int:
        """Where the line from a node on ends, or is stopped by what the source says."""
        here = start
        for here in self.line(start):
            if here == self._stated:
                break
        return here

    def rest_of_active(self) -> Sequence[int]:
        """The line behind the message that the conversation is at: what was undone."""
        leaf = self.active_leaf()
        if leaf is None or leaf != self._stated:
            return ()
        return list(self.line(leaf))[1:]

    def goes_on(self, onward: Sequence[int]) -> int:
        """With which of the children that continue a line it goes on."""
        return max(onward, key=self._reach.__getitem__)

    @cached_property
    def _active_leaf(self) -> int | None:
        roots = self._main.get(ROOT) or self.roots
        if not roots:
            return None
        start = self._start
        if start == ROOT:
            start = roots[0] if len(roots) == 1 else self._main_thread(roots)
        return self.end_of(start)

    def active_leaf(self) -> int | None:
        """Where the conversation stands: the end of the line written last, in the main thread."""
        return self._active_leaf

    def _main_thread(self, roots: Sequence[int]) -> int:
        """The thread that was spoken in last if the format says so, or the one with most messages;
        of equals the latest."""
        reach = self._reach
        if self.bones.habits.latest:
            return max(roots, key=reach.__getitem__)
        traits, parents, begins, sizes = (
            self.bones.traits,
            self.bones.parents,
            self._begins,
            self._sizes,
        )
        count = array("q", bytes(8 * len(self.bones)))
        for here in reversed(self.order):
            if traits[here] != Trait.NOTE:
                count[here] += 1 if sizes is None else sizes[here]
            if parents[here] != ROOT and not begins[here]:
                count[parents[here]] += count[here]
        return max(roots, key=lambda root: (count[root], reach[root]))

    def branches(self) -> list[Branch]:
        """Every branch, the active one first, then in source order."""
        return [*self._branches]

    @cached_property
    def _branches(self) -> list[Branch]:
        active = self.active_leaf()
        starts = [*self.roots]
        for here in self.order:
            onward = self.continuations(here)
            if len(onward) > 1:
                goes_on = self.goes_on(onward)
                starts += [child for child in onward if child != goes_on]
            starts += self.sidechains(here)
        found = [self._branch(start, active) for start in sorted(starts)]
        return sorted(found, key=lambda branch: branch.kind != "active")

    def _branch(self, start: int, active: int | None) -> Branch:
        leaf, count, is_active = start, 0, False
        for leaf in self.line(start):
            count += 1 + self._asides_at(leaf)
            is_active = is_active or leaf == active
        fork = self.bones.parents[start]
        if is_active:
            kind: BranchKind = "active"
        elif self._starts_sidechain(start):
            kind = "sidechain"
        else:
            kind = "root" if fork == ROOT else "fork"
        ids = self.bones.ids
        return Branch(
            leaf=ids[leaf], fork=None if fork == ROOT else ids[fork], kind=kind, messages=count
        )

    def _asides_at(self, position: int) -> int:
        return sum(1 for _ in self._aside_nodes(position))

    def _aside_nodes(self, position: int) -> Iterator[int]:
        """The nodes that hang aside at a node of a line."""
        if len(self._children_of(position)) < 2:
            return
        pending = [child for child in self._children_of(position) if self._is_aside(child)]
        while pending:
            here = pending.pop()
            yield here
            pending += [child for child in self._children_of(here) if self._is_aside(child)]

    def _is_aside(self, position: int) -> bool:
        return bool(self.aside[position]) and not self._starts_sidechain(position)

    def path(self, leaf: int) -> list[int]:
        """From the start to a node, with the asides of the line in the order they were written.

        The active branch has all that the program's own reader returns, in its order.
        """
        line = []
        here = leaf
        while here != ROOT:
            line.append(here)
            here = self.bones.parents[here]
        line.reverse()
        own = self.along(line)
        if self._walk is None or leaf != self._active_leaf:
            return own
        return merge_walk(own, self._walk())

    def along(self, line: Sequence[int]) -> list[int]:
        """Nodes of a line with its asides, in the order in which they are read."""
        return ordered_path(self.bones, line, self._turn, self._aside_nodes)


def _stated_message(bones: Skeleton) -> int:
    """The message that the source says the conversation is at; ROOT if it does not say so."""
    return find_active(bones.listings, newest_message(bones.traits, bones.sidechain))


def _sidechain_starts(bones: Skeleton) -> bytearray:
    """1 for every node of a sidechain that hangs on none of it."""
    side, begins = bones.sidechain, bytearray(len(bones))
    for position, above in enumerate(bones.parents) if any(side) else ():
        begins[position] = side[position] and (above == ROOT or not side[above])
    return begins


def _children(bones: Skeleton) -> tuple[array[int], array[int]]:
    """For each node (and the root at 0) where its children start, and all children in a row."""
    parents, traits = bones.parents, bones.traits
    first = array("q", bytes(8 * (len(bones) + 2)))
    for position, above in enumerate(parents):
        if traits[position]:
            first[above + 2] += 1
    for number in range(1, len(first)):
        first[number] += first[number - 1]
    fill = array("q", first)
    child = array("q", bytes(8 * first[-1]))
    for position, above in enumerate(parents):
        if traits[position]:
            child[fill[above + 1]] = position
            fill[above + 1] += 1
    return first, child
