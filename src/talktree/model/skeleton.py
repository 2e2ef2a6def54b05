"""The bones of a conversation: ids, parents, times and traits of every record, in flat arrays.

This is all that is held in memory of a large file; contents are read when asked for. Ids that are
missing or doubled get aliases (`@3`, `m#2`) here, so that every node has a name of its own; the
file itself keeps what it has.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from enum import IntEnum
from sys import intern as _intern
from typing import NamedTuple

from msgspec import Struct

from talktree.model.entries import Entry, Head, Opaque, Snapshot
from talktree.model.findings import Finding, finding
from talktree.model.message import META, SIDECHAIN, Message, Usage
from talktree.model.parts import Event, ToolResult
from talktree.text.times import from_iso


class Trait(IntEnum):
    """What a record means for the shape of the tree."""

    NONE = 0
    """Not a node at all: a title, a snapshot, an unreadable line."""
    SAID = 1
    """Someone said something; two of these below one node are a real fork."""
    REPLY = 2
    """A piece of an API reply; pieces of the same reply belong together."""
    RESULT = 3
    """A tool's result; it goes with the call, wherever it was recorded."""
    NOTE = 4
    """Bookkeeping that takes part in the chain: progress, hooks, retries."""


class Outline(NamedTuple):
    """What the skeleton needs to know of a record."""

    trait: Trait
    id: str | None = None
    parent: str | None = None
    time: int | None = None
    role: str = ""
    sidechain: bool = False
    group: str | None = None
    """The API reply it belongs to."""
    follows: str | None = None
    usage: Usage | None = None
    model: str | None = None


class Reply(Struct, gc=False, rename=lambda name: f"\ue000{name}"):
    """The API reply a line is a piece of."""

    id: str | None = None
    usage: Usage | None = None
    model: str | None = None


class LineOutline(Struct, gc=False, rename=lambda name: f"\ue000{name}"):
    """The same for a line that is skimmed: a typed decoder fills it straight from the text.

    The odd names keep members of a line from filling a field by chance; a subclass declares the
    fields its lines have once more, under the names they have there.
    """

    trait: int = 0
    id: str | None = None
    parent: str | None = None
    stamp: str | int | None = None
    role: str = ""
    sidechain: bool = False
    group: str | None = None
    follows: str | None = None
    usage: Usage | None = None
    model: str | None = None
    link: str = "logical"
    """In which way it follows."""
    call: str | None = None
    """The tool call that began it."""
    reply: Reply | None = None
    """Group, usage and model in one, where a line has them in one place."""


NO_TIME = -(1 << 63)
FURTHEST = (1 << 63) - 1
ROOT = -1


class Skeleton:
    """Grows record by record with `add`; `finish` resolves links that point forward."""

    def __init__(self) -> None:
        self.ids: list[str] = []
        self.native: dict[int, str | None] = {}
        """Positions whose id is an alias, with the id the file has."""
        self.parents = array("q")
        self.stamps: list[str | int | None] = []
        """Times as they were found; ISO text is parsed when somebody asks."""
        self._times = array("q")
        self.traits = bytearray()
        self.sidechain = bytearray()
        self.roles: list[str] = []
        self._groups: dict[int, str] = {}
        self.by_id: dict[str, int] = {}
        self.findings: list[Finding] = []
        self.linked: dict[int, str] = {}
        """Positions whose place in the tree is not by parent link: `logical`, `spawned`, `cut`."""
        self.spawned: dict[int, str] = {}
        """Where sidechains start, with the id of the tool call that started them."""
        self._usage: dict[str, tuple[int, Usage, str | None]] = {}
        self._replies: list[Reply] = []
        self._reply_at = array("q")
        self.joined = False
        """Whether links that only contents tell have been looked for."""
        self._doubles: dict[str, int] = {}
        """Ids that stand more than once, with the number of their next alias."""
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
        usage: Usage | None = None,
        model: str | None = None,
        link: str = "logical",
        call: str | None = None,
    ) -> None:
        """Take one record; `link` says in which way it follows, `call` which tool call began it."""
        position = len(self.ids)
        by_id = self.by_id
        above = parent if parent is not None else follows
        # Looked up before its own id is known: a doubled id may hang on the one it doubles.
        found = ROOT if above is None else by_id.get(above, ROOT)
        if trait and id and id not in by_id:
            by_id[id] = position
            self.ids.append(id)
        else:
            self.ids.append(self._alias(trait, id, position) if trait else "")
        self.traits.append(trait)
        self.stamps.append(time)
        self.sidechain.append(sidechain)
        self.roles.append(role)
        if group is not None or usage is not None:
            self._replies.append(Reply(group, usage, model))
            self._reply_at.append(position)
        self.parents.append(found)
        if above is None:
            return
        if parent is None:
            self.linked[position] = link
            if call is not None:
                self.spawned[position] = call
        if found == ROOT:
            self._forward.append((position, above, id or ""))

    @property
    def times(self) -> array[int]:
        """Nanoseconds, or `NO_TIME`, for every record."""
        for stamp in self.stamps[len(self._times) :]:
            time = from_iso(stamp) if isinstance(stamp, str) else stamp
            # A year beyond 2262 has no place here; for order it is enough to be last.
            self._times.append(NO_TIME if time is None else max(-FURTHEST, min(time, FURTHEST)))
        return self._times

    @property
    def groups(self) -> dict[int, str]:
        """The API reply each position is a piece of, where there is one."""
        self._sort_replies()
        return self._groups

    @property
    def usage(self) -> dict[str, tuple[int, Usage, str | None]]:
        """What each API reply cost, once: where it stands, its tokens, its model."""
        self._sort_replies()
        return self._usage

    def _sort_replies(self) -> None:
        for position, reply in zip(self._reply_at, self._replies, strict=True):
            if reply.id is not None:
                self._groups[position] = reply.id
            if reply.usage is not None:
                # Pieces of one reply repeat its usage; the last ones know all of its output.
                key = reply.id or f"@{position}"
                known = self._usage.get(key)
                if known is None or reply.usage.output > known[1].output:
                    self._usage[key] = (position, reply.usage, reply.model)
        self._replies, self._reply_at = [], array("q")

    def extend(self, lines: Iterable[LineOutline]) -> None:
        """Take many records: the same as `add`, unrolled for the usual case of sound links."""
        by_id, parents, traits = self.by_id, self.parents, self.traits
        ids, stamps, sides, roles = self.ids, self.stamps, self.sidechain, self.roles
        replied, replied_at = self._replies.append, self._reply_at.append
        position = len(ids)
        for line in lines:
            id, parent, trait = line.id, line.parent, line.trait
            above = by_id.get(parent, -2) if parent is not None else ROOT
            if not trait or not id or id in by_id or above == -2 or line.follows is not None:
                told = line.reply or Reply(line.group, line.usage, line.model)
                self.add(
                    trait,
                    id,
                    parent,
                    line.stamp,
                    line.role,
                    line.sidechain,
                    told.id,
                    line.follows,
                    told.usage,
                    told.model,
                    line.link,
                    line.call,
                )
                position += 1
                continue
            by_id[id] = position
            ids.append(id)
            parents.append(above)
            traits.append(trait)
            stamps.append(line.stamp)
            sides.append(line.sidechain)
            roles.append(_intern(line.role))
            reply = line.reply
            if reply is not None:
                replied(reply)
                replied_at(position)
            elif line.group is not None or line.usage is not None:
                replied(Reply(line.group, line.usage, line.model))
                replied_at(position)
            position += 1

    def add_outline(self, outline: Outline) -> None:
        """Take one record, described."""
        self.add(*outline)

    def _alias(self, trait: int, id: str | None, position: int) -> str:
        self.native[position] = id
        if not id:
            alias = _free(f"@{position + 1}", self.by_id)
        else:
            number = self._doubles.get(id, 2)
            while f"{id}#{number}" in self.by_id:
                number += 1
            self._doubles[id] = number + 1
            alias = f"{id}#{number}"
            # Replies that follow mean the occurrence nearest before them.
            self.by_id[id] = position
        self.by_id[alias] = position
        return alias

    def finish(self) -> None:
        """Resolve forward links, report those that lead nowhere, cut cycles."""
        for position, parent, own in self._forward:
            found = self.by_id.get(parent, ROOT)
            if parent == own or found == position:
                self._cut(position, "a message that is its own parent")
            elif found == ROOT:
                self.linked.pop(position, None)
                self.findings.append(
                    finding(
                        "dangling-parent",
                        f"its parent {parent[:60]} is not here",
                        entry=self.ids[position],
                    )
                )
            else:
                self.parents[position] = found
        if self._forward:
            self._cut_cycles()
        self._forward = []

    def _cut(self, position: int, why: str) -> None:
        self.parents[position] = ROOT
        self.linked[position] = "cut"
        self.findings.append(finding("cycle", why, entry=self.ids[position]))

    def _cut_cycles(self) -> None:
        parents = self.parents
        state = bytearray(len(parents))  # 1: on the way being walked, 2: known to end
        for start in range(len(parents)):
            way: list[int] = []
            here = start
            while here != ROOT and not state[here]:
                state[here] = 1
                way.append(here)
                here = parents[here]
            if here != ROOT and state[here] == 1:
                loop = way[way.index(here) :]
                # The edge that points forward in the file is the one that cannot be true.
                self._cut(min(loop), "its parents lead back to itself")
            for each in way:
                state[each] = 2


def _free(alias: str, taken: dict[str, int]) -> str:
    while alias in taken:
        alias += "'"
    return alias


def outline(entry: Entry) -> Outline:
    """What the skeleton needs to know of an entry."""
    match entry:
        case Message():
            return Outline(
                _trait(entry),
                entry.id,
                entry.parent,
                entry.time,
                entry.role,
                SIDECHAIN in entry.flags,
                entry.api_message,
                entry.follows,
                entry.usage,
                entry.model,
            )
        case Head() | Snapshot() | Opaque():
            return Outline(Trait.NONE)


def _trait(message: Message) -> Trait:
    parts = message.parts
    if parts and all(isinstance(part, ToolResult) for part in parts):
        return Trait.RESULT
    if message.role == "assistant":
        return Trait.REPLY
    if META in message.flags or (parts and all(isinstance(part, Event) for part in parts)):
        return Trait.NOTE
    return Trait.SAID
