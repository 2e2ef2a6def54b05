"""The shape of a conversation: which nodes are real branches and which only look like forks.

Recorders leave many points with several children where no user branched: parallel tool results,
pieces of one API reply, progress lines, retries, replays after a compaction. Those are *asides* of
the line they belong to. What remains are branches. Nothing here recurses or reads contents.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Literal

from msgspec import Struct

from talktree.model.active_point import find_active, find_newest_message
from talktree.model.outline import Trait
from talktree.model.path_order import order_path
from talktree.model.skeleton import ROOT, Skeleton
from talktree.model.vendor_walk import find_resume_point, merge_walk

BranchKind = Literal["active", "fork", "sidechain", "root"]


class Branch(Struct, frozen=True, kw_only=True):
    """A line of the tree from where it leaves another line to its last message."""

    leaf: str
    fork: str | None
    """The message after which it leaves the other line; None if it starts the conversation."""
    kind: BranchKind
    messages: int
    """How many messages belong only to this branch."""


class Tree:
    """Children, lines and branches over the positions of a skeleton."""

    def __init__(
        self,
        skeleton: Skeleton,
        sizes: Sequence[int] | None = None,
        walk: Callable[[], Sequence[int]] | None = None,
    ) -> None:
        self.skeleton = skeleton
        self._walk = walk
        """Returns the branch that the program's own reader returns."""
        self._sizes = sizes
        """How many messages each node represents, if not one."""
        self._first, self._child = _index_children(skeleton)
        self._begins = _find_sidechain_starts(skeleton)
        """1 where a sub-agent's conversation begins."""
        self.order = self._compute_preorder()
        self._real = self._mark_spoken()
        self._last = self._compute_last_below()
        self._reach = self._latest_below()
        self._stated = _find_stated_message(skeleton)
        """The message that the source marks as the active one."""
        resumed = find_resume_point(skeleton) if skeleton.habits.latest else ROOT
        self._lead_to(resumed if self._stated == ROOT else self._stated)
        self._main: dict[int, list[int]] = {}
        self.aside = bytearray(len(skeleton))
        """1 where a node belongs to the line of its parent without continuing it."""
        self._classify_children()

    def __len__(self) -> int:
        return len(self.order)

    @property
    def roots(self) -> list[int]:
        """The positions without a parent."""
        return list(self._children_of(ROOT))

    def children(self, position: int) -> list[int]:
        """Return all children, including artefacts and sidechains, in source order."""
        return list(self._children_of(position))

    def parent(self, position: int) -> int | None:
        """Return the parent's position."""
        found = self.skeleton.parents[position]
        return None if found == ROOT else found

    def _children_of(self, position: int) -> array[int]:
        return self._child[self._first[position + 1] : self._first[position + 2]]

    def _compute_preorder(self) -> array[int]:
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

    def _mark_spoken(self) -> bytearray:
        """Return 1 for every node with new speech at or below it."""
        skeleton = self.skeleton
        traits, parents, groups = skeleton.traits, skeleton.parents, skeleton.group_numbers
        # The last reply on the way to a node; one more element for the root, at -1.
        lead = array("i", bytes(4 * (len(skeleton) + 1)))
        real = bytearray(len(skeleton))
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

    def _compute_last_below(self) -> array[int]:
        """Return the latest position on the same side at or below each node."""
        last = array("q", range(len(self.skeleton)))
        parents, begins = self.skeleton.parents, self._begins
        for here in reversed(self.order):
            above = parents[here]
            if above != ROOT and last[here] > last[above] and not begins[here]:
                last[above] = last[here]
        return last

    def _latest_below(self) -> array[int]:
        """Return the latest position with speech, on the same side at or below each node.

        Without speech it is negative, in the order of positions.
        """
        traits, count = self.skeleton.traits, len(self.skeleton)
        reach = array("q", range(-count, 0))
        parents, begins = self.skeleton.parents, self._begins
        for here in reversed(self.order):
            if traits[here] != Trait.NOTE and reach[here] < here:
                reach[here] = here
            above = parents[here]
            if above != ROOT and reach[here] > reach[above] and not begins[here]:
                reach[above] = reach[here]
        return reach

    def _lead_to(self, position: int) -> None:
        """Make every line that leads to a message continue there, even if others are newer."""
        here, parents = position, self.skeleton.parents
        self._start = ROOT
        while here != ROOT:
            self._reach[here] = len(self.skeleton)
            self._start, here = here, parents[here]

    def _is_sidechain_start(self, position: int) -> bool:
        return bool(self._begins[position])

    def _classify_children(self) -> None:
        onward = bytearray(b"\1" * len(self.skeleton))
        first, begins = self._first, self._begins
        for here in self.order:
            if first[here + 2] - first[here + 1] < 2:
                continue
            own = [child for child in self._children_of(here) if not begins[child]]
            self._main[here] = self._select_continuations(own)
            for child in own:
                onward[child] = 0
            for child in self._main[here]:
                onward[child] = 1
        self._main[ROOT] = [each for each in self.roots if not self._is_sidechain_start(each)]
        aside, parents = self.aside, self.skeleton.parents
        for here in self.order:
            above = parents[here]
            if above != ROOT and not begins[here]:
                aside[here] = aside[above] or not onward[here]

    def _select_continuations(self, children: list[int]) -> list[int]:
        if len(children) < 2:
            return children
        real = [child for child in children if self._real[child]]
        if not real:
            return [max(children, key=self._reach.__getitem__)]
        return self._without_replays(real) if self.skeleton.habits.replays else real

    def _without_replays(self, children: list[int]) -> list[int]:
        """Drop replays: siblings of the same role and time are one message written twice."""
        skeleton = self.skeleton
        kept: dict[tuple[int, str], int] = {}
        """The index in `out` of the message with a time."""
        out: list[int] = []
        for child in children:
            if skeleton.times[child] < 0:
                out.append(child)
                continue
            stamp = (skeleton.times[child], skeleton.roles[child])
            if stamp not in kept:
                kept[stamp] = len(out)
                out.append(child)
            elif self._reach[child] > self._reach[out[kept[stamp]]]:
                out[kept[stamp]] = child
        return out

    # lines and branches

    def continuations(self, position: int) -> list[int]:
        """Return the children that continue the line; several are a real fork."""
        mains = self._main.get(position)
        if mains is not None:
            return mains
        return [
            child for child in self._children_of(position) if not self._is_sidechain_start(child)
        ]

    def sidechains(self, position: int) -> list[int]:
        """Return the sub-agent conversations that start at a node."""
        return [child for child in self._children_of(position) if self._is_sidechain_start(child)]

    def asides(self, position: int) -> list[int]:
        """Return the children of a node that do not continue its line, in source order."""
        if len(self._children_of(position)) < 2:
            return []
        return sorted(self._iterate_asides(position))

    def is_real(self, position: int) -> bool:
        """Whether there is new speech at a node or below it."""
        return bool(self._real[position])

    def last_below(self, position: int) -> int:
        """Return the latest node on the same side at or below a node."""
        return self._last[position]

    def forks(self) -> Iterator[int]:
        """Return nodes where more than one line continues."""
        return (here for here, onward in self._main.items() if here != ROOT and len(onward) > 1)

    def is_sidechain_start(self, position: int) -> bool:
        """Whether a sub-agent's conversation begins here."""
        return self._is_sidechain_start(position)

    def line(self, start: int) -> Iterator[int]:
        """Return the positions from a node on, at each fork along the line written last."""
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
            here = self.choose_continuation(onward)

    def end_of(self, start: int) -> int:
        """Return where the line from a node ends, or where the active point of the source stops
        it."""
        here = start
        for here in self.line(start):
            if here == self._stated:
                break
        return here

    def list_undone(self) -> Sequence[int]:
        """Return the line after the active message: what was undone."""
        leaf = self.active_leaf()
        if leaf is None or leaf != self._stated:
            return ()
        return list(self.line(leaf))[1:]

    def choose_continuation(self, onward: Sequence[int]) -> int:
        """Return the child with which a line continues."""
        return max(onward, key=self._reach.__getitem__)

    @cached_property
    def _active_leaf(self) -> int | None:
        roots = self._main.get(ROOT) or self.roots
        if not roots:
            return None
        start = self._start
        if start == ROOT:
            start = roots[0] if len(roots) == 1 else self._choose_main_thread(roots)
        return self.end_of(start)

    def active_leaf(self) -> int | None:
        """The last message of the active branch: the end of the newest line in the main thread."""
        return self._active_leaf

    def _choose_main_thread(self, roots: Sequence[int]) -> int:
        """Return the newest thread if the format says so, else the longest; of equal ones the
        latest."""
        reach = self._reach
        if self.skeleton.habits.latest:
            return max(roots, key=reach.__getitem__)
        traits, parents, begins, sizes = (
            self.skeleton.traits,
            self.skeleton.parents,
            self._begins,
            self._sizes,
        )
        count = array("q", bytes(8 * len(self.skeleton)))
        for here in reversed(self.order):
            if traits[here] != Trait.NOTE:
                count[here] += 1 if sizes is None else sizes[here]
            if parents[here] != ROOT and not begins[here]:
                count[parents[here]] += count[here]
        return max(roots, key=lambda root: (count[root], reach[root]))

    def branches(self) -> list[Branch]:
        """Return every branch, the active one first, then in source order."""
        return [*self._branches]

    @cached_property
    def _branches(self) -> list[Branch]:
        active = self.active_leaf()
        starts = [*self.roots]
        for here in self.order:
            onward = self.continuations(here)
            if len(onward) > 1:
                goes_on = self.choose_continuation(onward)
                starts += [child for child in onward if child != goes_on]
            starts += self.sidechains(here)
        found = [self._make_branch(start, active) for start in sorted(starts)]
        return sorted(found, key=lambda branch: branch.kind != "active")

    def _make_branch(self, start: int, active: int | None) -> Branch:
        leaf, count, is_active = start, 0, False
        for leaf in self.line(start):
            count += 1 + self._count_asides(leaf)
            is_active = is_active or leaf == active
        fork = self.skeleton.parents[start]
        if is_active:
            kind: BranchKind = "active"
        elif self._is_sidechain_start(start):
            kind = "sidechain"
        else:
            kind = "root" if fork == ROOT else "fork"
        ids = self.skeleton.ids
        return Branch(
            leaf=ids[leaf], fork=None if fork == ROOT else ids[fork], kind=kind, messages=count
        )

    def _count_asides(self, position: int) -> int:
        return sum(1 for _ in self._iterate_asides(position))

    def _iterate_asides(self, position: int) -> Iterator[int]:
        """Yield the asides at a node of a line."""
        if len(self._children_of(position)) < 2:
            return
        pending = [child for child in self._children_of(position) if self._is_aside(child)]
        while pending:
            here = pending.pop()
            yield here
            pending += [child for child in self._children_of(here) if self._is_aside(child)]

    def _is_aside(self, position: int) -> bool:
        return bool(self.aside[position]) and not self._is_sidechain_start(position)

    def path(self, leaf: int) -> list[int]:
        """Return the path from the start to a node, with asides in the order they were written.

        The active branch has everything that the program's own reader returns, in its order.
        """
        line = []
        here = leaf
        while here != ROOT:
            line.append(here)
            here = self.skeleton.parents[here]
        line.reverse()
        own = self.order_with_asides(line)
        if self._walk is None or leaf != self._active_leaf:
            return own
        return merge_walk(own, self._walk())

    def order_with_asides(self, line: Sequence[int]) -> list[int]:
        """Return nodes of a line with its asides, in reading order."""
        return order_path(self.skeleton, line, self._turn, self._iterate_asides)


def _find_stated_message(skeleton: Skeleton) -> int:
    """Return the message that the source marks as active; ROOT if it marks none."""
    return find_active(skeleton.listings, find_newest_message(skeleton.traits, skeleton.sidechain))


def _find_sidechain_starts(skeleton: Skeleton) -> bytearray:
    """Return 1 for every node of a sidechain whose parent is not in the sidechain."""
    side, begins = skeleton.sidechain, bytearray(len(skeleton))
    for position, above in enumerate(skeleton.parents) if any(side) else ():
        begins[position] = side[position] and (above == ROOT or not side[above])
    return begins


def _index_children(skeleton: Skeleton) -> tuple[array[int], array[int]]:
    """Return where the children of each node (and of the root at 0) start, and all children in a
    row."""
    parents, traits = skeleton.parents, skeleton.traits
    first = array("q", bytes(8 * (len(skeleton) + 2)))
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
