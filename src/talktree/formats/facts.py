"""What is gathered of a conversation while its records go by.

A few bytes for each record and no contents: rules that must know the whole conversation ask here
and read single records again.
"""

from __future__ import annotations

from array import array
from collections import Counter
from typing import NamedTuple

from talktree.formats.base import CARRY
from talktree.model.entries import Entry, Opaque
from talktree.model.message import SIDECHAIN, Message
from talktree.model.parts import ToolCall, ToolResult

SPEAKING = frozenset({"user", "assistant"})
MOST_KINDS = 1000
"""Kinds of records that are told apart; a file with more is no conversation."""


class Site(NamedTuple):
    """One part of one message."""

    position: int
    part: int


class Sites:
    """Where tool calls or results stand, and which ids they name."""

    def __init__(self) -> None:
        self.keys = array("q")
        """Hashes of the ids; an id itself is read again when it is needed."""
        self._positions = array("q")
        self._parts = array("i")

    def add(self, id: str, position: int, part: int) -> None:
        """Take one more."""
        self.keys.append(hash(id))
        self._positions.append(position)
        self._parts.append(part)

    def __len__(self) -> int:
        return len(self.keys)

    def __getitem__(self, index: int) -> Site:
        return Site(self._positions[index], self._parts[index])


class Facts:
    """Facts about a conversation; complete once all its records went by."""

    def __init__(self) -> None:
        self.calls = Sites()
        """Tool calls that have an id."""
        self.results = Sites()
        """Tool results that name a call."""
        self.unnamed = 0
        """How many results name none."""
        self.sessions = array("i")
        """For each record the number of its session; 0 for none."""
        self.session_names: dict[str, int] = {}
        self.agents = array("i")
        """For each record the number of the sub-agent that wrote it; 0 for none."""
        self.agent_names: dict[str, int] = {}
        self.versions: dict[str, int] = {}
        """Versions of the program that wrote it, with the first position of each."""
        self.bytes = Counter[str]()
        """How many bytes records of each role take; '' for what is no message."""
        self.aside = 0
        """How many of these bytes are those of sub-agents."""
        self.roles: dict[str, int] = {}
        """Roles of messages, with the first position of each."""
        self.others: dict[str, list[int]] = {}
        """Kinds of records nobody understands: the first position, and how many there are."""
        self.spoken = 0
        """How many messages are by people and models."""
        self.silent = array("q")
        """Positions of those in which nothing was found that is said."""

    def take(self, entry: Entry, size: int, position: int) -> None:
        """Note what a record says."""
        if type(entry) is not Message:
            self.bytes[""] += size
            self.sessions.append(0)
            self.agents.append(0)
            if type(entry) is Opaque:
                self._take_other(entry, position)
            return
        role, parts = entry.role, entry.parts
        self.bytes[role] += size
        if role not in self.roles and len(self.roles) < MOST_KINDS:
            self.roles[role] = position
        if entry.flags and SIDECHAIN in entry.flags:
            self.aside += size
        session = entry.session
        names = self.session_names
        self.sessions.append(0 if session is None else names.setdefault(session, len(names) + 1))
        agent, agents = entry.agent, self.agent_names
        self.agents.append(0 if agent is None else agents.setdefault(agent, len(agents) + 1))
        context = entry.context
        if context is not None and context.version is not None:
            self.versions.setdefault(context.version, position)
        if role in SPEAKING:
            self.spoken += 1
            if not parts:
                self.silent.append(position)
        for number, part in enumerate(parts):
            kind = type(part)
            if kind is ToolCall:
                if part.id:  # type: ignore[union-attr]
                    self.calls.add(part.id, position, number)  # type: ignore[union-attr]
            elif kind is ToolResult:
                if part.call:  # type: ignore[union-attr]
                    self.results.add(part.call, position, number)  # type: ignore[union-attr]
                else:
                    self.unnamed += 1

    def _take_other(self, entry: Opaque, position: int) -> None:
        value = entry.value
        if value is None or entry.kind == CARRY or (isinstance(value, dict) and CARRY in value):
            # Bytes nobody can decode are told elsewhere; what travels along is no record.
            return
        found = self.others.get(entry.kind)
        if found is not None:
            found[1] += 1
        elif len(self.others) < MOST_KINDS:
            self.others[entry.kind] = [position, 1]
