"""The tree with its linear runs folded into segments; every node belongs to one. Not recursive.

Also lists the branches of a conversation, the current one first.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from typing import Literal, NamedTuple

from msgspec.structs import replace

from talktree.model.compaction import COMPACTED, find_compaction
from talktree.model.conversation import Conversation
from talktree.model.message import ABORTED, DELETED, Message
from talktree.model.skeleton import INFERRED, NO_TIME, ROOT
from talktree.model.tree import Branch
from talktree.web.documents.neighbours import make_label
from talktree.web.documents.open_conversation import OpenConversation
from talktree.web.documents.row_list import to_milliseconds
from talktree.web.schemas.segments import Graph, Segment
from talktree.web.schemas.transcript import BranchInfo

MOST = 5_000
MOST_ROLES = 200
FEW = 2_000
"""Smaller conversations are read completely to find deleted and aborted messages."""
NONE = -1
_LETTERS = {"user": "u", "assistant": "a", "tool": "t", "system": "s"}
Kind = Literal["line", "fork", "sidechain", "problem"]


class SegmentDraft(NamedTuple):
    """A segment under construction."""

    first: int
    parent: int
    """The number of the parent segment."""
    kind: Kind


class Segments:
    """All segments of a tree in the order in which they begin, and the segment of each node."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation
        self._tree = conversation.tree
        self._skeleton = conversation.skeleton
        self.of = array("i", [NONE]) * len(self._skeleton)
        """The segment of each node."""
        self.batches: list[SegmentDraft] = []
        self.counts = array("q")
        self.last = array("q")
        """The last node of each segment."""
        self._onward: dict[int, int] = {}
        for here in self._tree.order:
            self._place_node(here)
        self.leaves = self._find_leaves()
        self.current = self._find_current()

    def _place_node(self, here: int) -> None:
        above = self._skeleton.parents[here]
        begins = self._find_kind(here, above)
        if begins is None:
            number = self.of[here] = self.of[above]
        else:
            number = self.of[here] = len(self.batches)
            self.batches.append(
                SegmentDraft(here, NONE if above == ROOT else self.of[above], begins)
            )
            self.counts.append(0)
            self.last.append(here)
        self.counts[number] += 1
        if not self._tree.aside[here]:
            self.last[number] = here

    def _find_kind(self, here: int, above: int) -> Kind | None:
        """Return the kind of segment that begins at a node; None if none does."""
        tree, skeleton = self._tree, self._skeleton
        if tree.is_sidechain_start(here):
            return "sidechain"
        if above == ROOT:
            lost = here in skeleton.dangling or here in skeleton.looped or here in skeleton.astray
            return "problem" if lost else "line"
        if tree.aside[here]:
            return None
        onward = tree.continuations(above)
        if len(onward) < 2:
            return None
        if skeleton.linked.get(here) == INFERRED:
            return "problem"
        return "line" if here == self._find_continuation(above) else "fork"

    def _find_leaves(self) -> array[int]:
        """Return for each segment the leaf on which its line ends; children come after parents."""
        leaves = array("q", self.last)
        for number in range(len(self.batches) - 1, -1, -1):
            _, parent, kind = self.batches[number]
            on_line = parent != NONE and kind != "sidechain"
            if on_line and self._find_continuation(self.last[parent]) == self.batches[number].first:
                leaves[parent] = leaves[number]
        return leaves

    def _find_continuation(self, position: int) -> int:
        """Return the child on which the line of a fork continues, computed once per fork."""
        found = self._onward.get(position)
        if found is None:
            onward = self._tree.continuations(position)
            found = self._tree.choose_continuation(onward) if onward else NONE
            self._onward[position] = found
        return found

    def _find_current(self) -> bytearray:
        found = bytearray(len(self.batches))
        leaf = self._tree.active_leaf()
        number = NONE if leaf is None else self.of[leaf]
        while number != NONE:
            found[number] = 1
            number = self.batches[number].parent
        return found

    def list_members(self, number: int) -> list[int]:
        """Return the nodes of a segment in source order."""
        mine = [here for here in self._tree.order if self.of[here] == number]
        aside = self._tree.aside
        line = [here for here in mine if not aside[here]] or mine[:1]
        along = [here for here in self._tree.order_with_asides(line) if self.of[here] == number]
        return along if len(along) == len(mine) else mine

    def listed_numbers(self) -> list[int]:
        """Return the numbers of the segments to list: the first ones and those of the current
        branch."""
        if len(self.batches) <= MOST:
            return list(range(len(self.batches)))
        now = [number for number, here in enumerate(self.current) if here][:MOST]
        room = MOST - len(now)
        others = [number for number, here in enumerate(self.current[:MOST]) if not here][:room]
        return sorted([*now, *others])


def get_segments(opened: OpenConversation) -> Segments:
    """Return the segments of a conversation."""
    found = opened.memory.get("segments", lambda: Segments(opened.conversation))
    assert isinstance(found, Segments)
    return found


def get_graph(opened: OpenConversation) -> Graph:
    """Return the tree for display."""
    found = opened.memory.get("graph", lambda: _build_graph(opened))
    assert isinstance(found, Graph)
    return found


def _build_graph(opened: OpenConversation) -> Graph:
    conversation, segments = opened.conversation, get_segments(opened)
    numbers = segments.listed_numbers()
    traces = _collect_traces(conversation, segments, set(numbers))
    firsts = [segments.batches[number].first for number in numbers]
    entries = conversation.entries_at(firsts)
    return Graph(
        stamp=opened.stamp,
        total=len(segments.batches),
        messages=len(conversation.tree),
        segments=tuple(
            _build_segment(conversation, segments, number, traces[number], make_label(entry))
            for number, entry in zip(numbers, entries, strict=True)
        ),
    )


class _Trace:
    """What is collected about the nodes of a segment."""

    def __init__(self) -> None:
        self.roles = bytearray()
        self.start, self.end = NO_TIME, NO_TIME
        self.compactions = 0

    def add_node(self, letter: str, time: int, compacts: bool) -> None:  # noqa: FBT001
        """Add one node."""
        self.roles += letter.encode()
        self.compactions += compacts
        if time != NO_TIME:
            self.start = time if self.start == NO_TIME else min(self.start, time)
            self.end = max(self.end, time)


def _collect_traces(
    conversation: Conversation, segments: Segments, wanted: set[int]
) -> dict[int, _Trace]:
    skeleton = conversation.skeleton
    gone, divided = _find_marked(conversation)
    found = {number: _Trace() for number in wanted}
    for here in conversation.tree.order:
        trace = found.get(segments.of[here])
        if trace is not None:
            letter = _LETTERS.get(skeleton.roles[here], "o")
            letter = letter.upper() if here in gone else letter
            trace.add_node(letter, skeleton.times[here], here in divided)
    return found


def _find_marked(conversation: Conversation) -> tuple[set[int], set[int]]:
    """Return the positions of deleted and aborted messages and of compactions.

    This reads only what is quick to read: of a large conversation, only compactions that links show
    are known.
    """
    linked = conversation.skeleton.linked
    gone, divided = set[int](), {at for at, kind in linked.items() if kind == "logical"}
    if conversation.record_count > FEW:
        return gone, divided
    for position, entry in enumerate(conversation.entries):
        if not isinstance(entry, Message):
            continue
        if DELETED in entry.flags or ABORTED in entry.flags:
            gone.add(position)
        mark = find_compaction(entry)
        if mark is not None and mark.kind == COMPACTED:
            divided.add(position)
    return gone, divided


def _build_segment(
    conversation: Conversation, segments: Segments, number: int, trace: _Trace, begins: str
) -> Segment:
    ids, parents = conversation.skeleton.ids, conversation.skeleton.parents
    first, parent, kind = segments.batches[number]
    return Segment(
        first=ids[first],
        last=ids[segments.last[number]],
        parent=None if parent == NONE else ids[segments.batches[parent].first],
        at=None if parents[first] == ROOT else ids[parents[first]],
        kind=kind,
        messages=segments.counts[number],
        leaf=ids[segments.leaves[number]],
        current=bool(segments.current[number]),
        label=begins,
        roles=_sample_evenly(trace.roles.decode()),
        start=to_milliseconds(trace.start),
        end=to_milliseconds(trace.end),
        compactions=trace.compactions,
    )


def _sample_evenly(roles: str) -> str:
    """Return at most this many letters, evenly sampled."""
    if len(roles) <= MOST_ROLES:
        return roles
    return "".join(roles[each * len(roles) // MOST_ROLES] for each in range(MOST_ROLES))


MOST_BRANCHES = 500


def list_branches(opened: OpenConversation, names: Mapping[str, str]) -> tuple[BranchInfo, ...]:
    """Return the branches with how each begins; named branches are always included."""
    found = opened.memory.get("branches", lambda: _list_branches(opened))
    assert isinstance(found, tuple)
    details: tuple[BranchInfo, ...] = found
    if not names:
        return details
    return tuple(_with_name(each, names.get(each.leaf)) for each in details)


def _with_name(branch: BranchInfo, name: str | None) -> BranchInfo:
    return branch if name is None else replace(branch, name=name)


def _list_branches(opened: OpenConversation) -> tuple[BranchInfo, ...]:
    conversation = opened.conversation
    branches = conversation.branches()[:MOST_BRANCHES]
    starts = [find_branch_start(conversation, branch) for branch in branches]
    entries = conversation.entries_at(starts)
    return tuple(
        _to_branch_info(conversation, branch, make_label(entry))
        for branch, entry in zip(branches, entries, strict=True)
    )


def _to_branch_info(conversation: Conversation, branch: Branch, begins: str) -> BranchInfo:
    skeleton = conversation.skeleton
    return BranchInfo(
        leaf=branch.leaf,
        fork=branch.fork,
        kind=branch.kind,
        messages=branch.messages,
        label=begins,
        last=to_milliseconds(skeleton.times[skeleton.by_id[branch.leaf]]),
    )


def find_branch_start(conversation: Conversation, branch: Branch) -> int:
    """Return the first message that belongs only to this branch."""
    skeleton = conversation.skeleton
    above = ROOT if branch.fork is None else conversation.find_position(branch.fork)
    here = conversation.find_position(branch.leaf)
    while skeleton.parents[here] not in (above, ROOT):
        here = skeleton.parents[here]
    return here
