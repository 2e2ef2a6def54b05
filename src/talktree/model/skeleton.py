"""The bones of a conversation: ids, parents, times and traits of every record, in flat arrays.

This is all that is held in memory of a large file; contents are read when asked for. Ids that are
missing or doubled get aliases (`@3`, `m#2`) here, so that every node has a name of its own; the
file itself keeps what it has.
"""

from __future__ import annotations

from array import array
from enum import IntEnum
from typing import NamedTuple

from talktree.model.entries import Entry, Head, Opaque, Snapshot
from talktree.model.findings import Finding, finding
from talktree.model.message import META, SIDECHAIN, Message
from talktree.model.parts import Event, ToolResult


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


NO_TIME = -(1 << 63)
ROOT = -1


class Skeleton:
    """Grows record by record with `add`; `finish` resolves links that point forward."""

    def __init__(self) -> None:
        self.ids: list[str] = []
        self.native: dict[int, str | None] = {}
        """Positions whose id is an alias, with the id the file has."""
        self.parents = array("q")
        self.times = array("q")
        self.traits = bytearray()
        self.sidechain = bytearray()
        self.roles: list[str] = []
        self.groups: dict[int, str] = {}
        self.by_id: dict[str, int] = {}
        self.findings: list[Finding] = []
        self.linked: dict[int, str] = {}
        """Positions whose place in the tree is not by parent link: `logical`, `spawned`, `cut`."""
        self._forward: list[tuple[int, str, str]] = []

    def __len__(self) -> int:
        return len(self.ids)

    def add(
        self,
        trait: int,
        id: str | None = None,
        parent: str | None = None,
        time: int | None = None,
        role: str = "",
        sidechain: int = 0,
        group: str | None = None,
        follows: str | None = None,
    ) -> None:
        """Take one record."""
        position = len(self.ids)
        by_id = self.by_id
        if trait and id and id not in by_id:
            by_id[id] = position
            self.ids.append(id)
        else:
            self.ids.append(self._alias(trait, id, position) if trait else "")
        self.traits.append(trait)
        self.times.append(NO_TIME if time is None else time)
        self.sidechain.append(sidechain)
        self.roles.append(role)
        if group is not None:
            self.groups[position] = group
        if parent is None:
            if follows is None:
                self.parents.append(ROOT)
                return
            parent = follows
            self.linked[position] = "logical"
        found = by_id.get(parent, ROOT)
        self.parents.append(found)
        if found in (ROOT, position):
            self.parents[position] = ROOT
            self._forward.append((position, parent, id or ""))

    def add_outline(self, outline: Outline) -> None:
        """Take one record, described."""
        self.add(*outline)

    def _alias(self, trait: int, id: str | None, position: int) -> str:
        self.native[position] = id
        if not id:
            alias = _free(f"@{position + 1}", self.by_id)
        else:
            number = 2
            while f"{id}#{number}" in self.by_id:
                number += 1
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
