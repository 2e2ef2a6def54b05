"""The skeleton of a conversation: ids, parents, times and traits of all records, in flat arrays.

This is all that is held in memory of a large file; contents are read on demand. Missing and
duplicate ids get aliases (`@3`, `m#2`) here, so that every node has a unique name; the file is
unchanged.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from sys import intern as _intern

from talktree.model.findings import Finding, make_finding
from talktree.model.habits import ANY, WriterHabits
from talktree.model.inferred_links import (
    INFERRED_KINDS,
    KEPT,
    NO_PARENT,
    RETURN,
    SEQUENCE,
    TURN,
    LinkNodes,
    fold_copies,
    follow_order,
    is_mostly_unlinked,
    join_turns,
    link_compactions,
    link_main_line,
)
from talktree.model.outline import CALLS, LineOutline, Listing, Outline
from talktree.text.times import from_iso

NO_TIME = -(1 << 63)
FURTHEST = (1 << 63) - 1
ROOT = NO_PARENT
LISTED = int(Listing.LISTED)
INFERRED = "inferred"
"""Marks a link that is not in the file and was inferred to repair it in memory."""


def _to_nanoseconds(stamp: str | int | None) -> int:
    time = from_iso(stamp) if isinstance(stamp, str) else stamp
    if time is None:
        return NO_TIME
    # A year after 2262 does not fit; for the order it is enough to be last.
    return time if -FURTHEST <= time <= FURTHEST else FURTHEST if time > 0 else -FURTHEST


class Skeleton:
    """The outlines of all records, added with `add`; `finish` resolves links that point forward."""

    def __init__(self, habits: WriterHabits = ANY) -> None:
        self.habits = habits
        self.ids: list[str] = []
        self.native: dict[int, str | None] = {}
        """Positions whose id is an alias, with the id in the file."""
        self.parents = array("q")
        self.times = array("q")
        """Nanoseconds, or `NO_TIME`."""
        self.traits = bytearray()
        self.sidechain = bytearray()
        self.roles: list[str] = []
        self.group_numbers = array("i")
        """The turn that each record is a piece of: one API reply, or one API request; 0 for
        none."""
        self.reply_numbers = array("i")
        """The API reply that each record is a piece of; 0 for none."""
        self.listings = bytearray()
        """What each record means to the program's own reader (`Listing`)."""
        self._turns: dict[str, int] = {}
        """The turn of each API reply."""
        self._requests: dict[str, int] = {}
        """The turn of each API request."""
        self._replies: dict[str, int] = {}
        self.by_id: dict[str, int] = {}
        self.findings: list[Finding] = []
        self.linked: dict[int, str] = {}
        """Positions whose place in the tree is not by parent link: `logical`, `spawned`, `cut`, the
        kinds of `inferred_links`, and in a repaired one `inferred`."""
        self.named: dict[int, int] = {}
        """Positions with an inferred link, with the position of the parent they name or -1."""
        self.written: dict[int, str] = {}
        """Positions with a stated link, with the id of the parent in the file."""
        self.copies: dict[int, int] = {}
        """Positions of copies, with those of the originals; copies are not nodes."""
        self.moved_copies: dict[int, int] = {}
        """Copies after newer messages, with the message that is continued there."""
        self.kept: dict[int, str] = {}
        """Positions of compactions, with the id of the first message that they keep."""
        self.breaks: set[int] = set()
        """Positions where a file begins, except the first."""
        self.spawned: dict[int, str] = {}
        """Where sidechains start, with the id of the tool call that started them."""
        self.joined = False
        """Whether links that only contents show have been searched for."""
        self._doubles: dict[str, int] = {}
        """Ids that occur more than once, with the number of their next alias."""
        self.dangling: dict[int, str] = {}
        """Positions whose parent is missing, with the id they name."""
        self.looped: dict[int, str] = {}
        """Positions whose parents formed a loop, with the id they name."""
        self.cut: dict[int, int] = {}
        """The same positions, with those of the parents that they name."""
        self.astray: dict[int, str] = {}
        """Positions that follow, without being its child, a missing record or a descendant of
        themselves."""
        self.unrepaired: Skeleton | None = None
        """The skeleton before its broken links were inferred, if that was done."""
        self.points_forward = False
        """Whether any parent comes after its child."""
        self._forward: list[tuple[int, str, str]] = []

    def __len__(self) -> int:
        return len(self.ids)

    def add(
        self,
        trait: int,
        id: str | None = None,
        parent: str | None = None,
        time: str | int | None = None,
        role: str = "",
        sidechain: int = 0,
        group: str | None = None,
        follows: str | None = None,
        link: str = "logical",
        call: str | None = None,
        listing: int = LISTED,
        request: str | None = None,
    ) -> None:
        """Add one record; `link` says how it follows, `call` is the tool call that started it."""
        position = len(self.ids)
        by_id = self.by_id
        above = parent if parent is not None else follows
        # Looked up before its own id is known: a duplicate may be a child of the first one.
        found = ROOT if above is None else by_id.get(above, ROOT)
        if trait and id and id not in by_id:
            by_id[id] = position
            self.ids.append(id)
        else:
            self.ids.append(self._make_alias(trait, id, position) if trait else "")
        self.traits.append(trait)
        self.times.append(_to_nanoseconds(time))
        self.sidechain.append(sidechain)
        self.roles.append(role)
        self._add_group(group, request)
        self.listings.append(listing)
        self.parents.append(found)
        if above is None:
            return
        if parent is None:
            self.linked[position] = link
            if call is not None:
                self.spawned[position] = call
        if found == ROOT:
            self._forward.append((position, above, id or ""))

    def _add_group(self, reply: str | None, request: str | None) -> None:
        """Note which reply and which turn the next record is a piece of."""
        if reply is None and request is None:
            self.group_numbers.append(0)
            self.reply_numbers.append(0)
            return
        turns, requests = self._turns, self._requests
        number = 0 if reply is None else turns.get(reply, 0)
        if not number and reply is not None and reply.startswith(CALLS):
            # Calls that are copied into a changed conversation name their turn as a request.
            number = requests.get(reply, 0)
        if not number:
            number = (
                requests.get(request or "")
                or turns.get(request or "")
                or len(turns) + len(requests) + 1
            )
        if request is not None:
            requests.setdefault(request, number)
        known = 0
        if reply is not None:
            turns.setdefault(reply, number)
            if not reply.startswith(CALLS):
                known = self._replies.setdefault(reply, len(self._replies) + 1)
        self.group_numbers.append(number)
        self.reply_numbers.append(known)

    def groups(self) -> list[str | None]:
        """The turn of each record, where it has one."""
        names: dict[int, str] = {}
        for name, number in self._turns.items():
            names.setdefault(number, name)
        for name, number in self._requests.items():
            names.setdefault(number, name)
        return [names.get(number) for number in self.group_numbers]

    def replies(self) -> list[str | None]:
        """The API reply of each record, where it has one."""
        names: list[str | None] = [None, *self._replies]
        return [names[number] for number in self.reply_numbers]

    def extend(self, lines: Iterable[LineOutline]) -> None:
        """Add many records: the same as `add`, unrolled for the common case of valid links."""
        by_id, parents, traits = self.by_id, self.parents, self.traits
        ids, times, sides, roles = self.ids, self.times, self.sidechain, self.roles
        listings, add_group = self.listings, self._add_group
        position = len(ids)
        for line in lines:
            id, parent, trait, stamp = line.id, line.parent, line.trait, line.stamp
            reply = line.reply
            group = (line.group if reply is None else reply.id) or None
            above = by_id.get(parent, -2) if parent is not None else ROOT
            if not trait or not id or id in by_id or above == -2 or line.follows is not None:
                if line.kept is not None:
                    self.kept[position] = line.kept
                if line.written is not None:
                    self.written[position] = line.written
                self.add(
                    trait,
                    id,
                    parent,
                    stamp,
                    line.role,
                    line.sidechain,
                    group,
                    line.follows,
                    line.link,
                    line.call,
                    line.listing,
                    line.request or None,
                )
                position += 1
                continue
            by_id[id] = position
            ids.append(id)
            parents.append(above)
            traits.append(trait)
            times.append(NO_TIME if stamp is None else _to_nanoseconds(stamp))
            sides.append(line.sidechain)
            roles.append(_intern(line.role))
            add_group(group, line.request or None)
            listings.append(line.listing)
            position += 1

    def add_outline(self, outline: Outline) -> None:
        """Add one record by its outline."""
        self.add(*outline)

    def _make_alias(self, trait: int, id: str | None, position: int) -> str:
        self.native[position] = id
        if not id:
            alias = _find_free_alias(f"@{position + 1}", self.by_id)
        else:
            number = self._doubles.get(id, 2)
            while f"{id}#{number}" in self.by_id:
                number += 1
            self._doubles[id] = number + 1
            alias = f"{id}#{number}"
            # Replies that follow mean the nearest occurrence before them.
            self.by_id[id] = position
        self.by_id[alias] = position
        return alias

    def finish(self) -> None:
        """Resolve forward links, note those with a missing target, and cut cycles."""
        follows = set(self.linked)
        for position, parent, own in self._forward:
            if self.parents[position] != ROOT or not self.traits[position]:
                # It is inside another record, or is not a node.
                continue
            found = self.by_id.get(parent, ROOT)
            if position in self.linked and found in (ROOT, position):
                self._unlink(position, parent)
            elif parent == own or found == position:
                self._cut_link(position, position, parent, "a message that is its own parent")
            elif found == ROOT:
                self.dangling[position] = parent
                what = f"its parent {parent[:60]} is not here"
                self.findings.append(
                    make_finding("dangling-parent", what, entry=self.ids[position])
                )
            else:
                self.parents[position] = found
                self.points_forward = True
        # A link to a copy leads to the original, which may be below: that is a cycle as well.
        on_copies = self._fold_copies() if self.copies else set()
        if self._forward:
            self._cut_cycles()
        self._forward = []
        self._infer_links(follows, on_copies)

    def _infer_links(self, follows: set[int], on_copies: set[int]) -> None:
        """Close the gaps that recorders leave; `named` keeps the links of the file."""
        nodes = LinkNodes(
            self.parents,
            self.traits,
            self.sidechain,
            self.group_numbers,
            self.times,
            self.points_forward and any(up > at for at, up in enumerate(self.parents)),
        )
        if self.kept:
            found = ((at, self.by_id.get(name, ROOT)) for at, name in self.kept.items())
            kept = {at: first for at, first in found if self.linked.get(at) == "logical"}
            self._note_links(link_compactions(nodes, kept, on_copies), KEPT)
        broken = {*self.dangling, *self.looped}
        if self.habits.sequential and is_mostly_unlinked(nodes, follows, broken):
            self._note_links(follow_order(nodes, follows | broken, self.breaks), SEQUENCE)
        self._note_links(link_main_line(nodes), RETURN)
        if self._turns or self._requests:
            named = (*self._turns.items(), *self._requests.items())
            loose = {at for name, at in named if name.startswith(CALLS)}
            self._note_links(join_turns(nodes, loose), TURN)

    def _note_links(self, made: dict[int, int], kind: str) -> None:
        for position, named in made.items():
            if position in self.linked and position not in self.named:
                # It only follows its stated link, and only follows its current link.
                continue
            self.named.setdefault(position, named)
            self.linked[position] = kind

    def _fold_copies(self) -> set[int]:
        """Remove copies from the tree; their children become children of the originals.

        Returns the children of copies.
        """
        found, self.moved_copies = fold_copies(self.parents, self.copies)
        for position, original in self.copies.items():
            self.traits[position] = 0
            self.linked.pop(position, None)
            self.by_id.pop(self.ids[position], None)
            if self.by_id.get(self.own_id(position)) == position:
                self.by_id[self.own_id(position)] = original
        return found

    def _cut_link(self, position: int, above: int, parent: str, why: str) -> None:
        self.parents[position] = ROOT
        self.cut[position] = above
        self.linked[position] = "cut"
        self.looped[position] = parent
        self.findings.append(make_finding("cycle", why, entry=self.ids[position]))

    def _unlink(self, position: int, origin: str) -> None:
        """Make it a root: it has no parent, and the message it follows is unreachable."""
        self.parents[position] = ROOT
        self.linked.pop(position, None)
        self.astray[position] = origin
        what = self.explain_unreachable(position)
        if what is not None:
            self.findings.append(make_finding("lost-origin", what, entry=self.ids[position]))

    def explain_unreachable(self, position: int) -> str | None:
        """Return why the message that another one follows is unreachable; None if it was kept.

        Messages that survive a compaction are placed below it, and are older than it.
        """
        origin = self.astray[position]
        below = self.by_id.get(origin, position)
        if below == position:
            return f"what it follows, {origin[:60]}, is not here"
        if NO_TIME < self.times[below] <= self.times[position]:
            return None
        return f"what it follows, {origin[:60]}, hangs below it"

    def _cut_cycles(self) -> None:
        parents = self.parents
        state = bytearray(len(parents))  # 1: on the current walk, 2: known to end
        for start in range(len(parents)):
            way: list[int] = []
            here = start
            while here != ROOT and not state[here]:
                state[here] = 1
                way.append(here)
                here = parents[here]
            if here != ROOT and state[here] == 1:
                self._cut_loop(way[way.index(here) :])
            for each in way:
                state[each] = 2

    def _cut_loop(self, loop: list[int]) -> None:
        # A message that only follows is not a child, so programs do not see this as a loop.
        follows = [each for each in loop if each in self.linked]
        if follows:
            first = min(follows)
            self._unlink(first, self.own_id(self.parents[first]))
            return
        # The edge that points forward in the file is the one that cannot be true.
        first = min(loop)
        above = self.parents[first]
        self._cut_link(first, above, self.own_id(above), "its parents lead back to itself")

    def is_restart(self, position: int) -> bool:
        """Whether a message only follows another, as after a compaction, and is not its reply."""
        return self.linked.get(position, SEQUENCE) not in INFERRED_KINDS

    def find_named_parent(self, position: int) -> int:
        """Return the position of the parent that a message names; -1 if it is missing or none is
        named."""
        return self.named.get(position, self.parents[position])

    def own_id(self, position: int) -> str:
        """Return the id of an entry in its file; empty if it has none."""
        native = self.native.get(position, self.ids[position])
        return native or ""


def _find_free_alias(alias: str, taken: dict[str, int]) -> str:
    while alias in taken:
        alias += "'"
    return alias
