"""A conversation as rules see it: each record with its entry, and facts about all of them.

The facts are collected while the records are read: a few bytes for each record and no contents.
Rules that need the whole conversation use them and read single records again.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from msgspec import Struct

from talktree.formats.engine.origin import DocumentOrigin
from talktree.formats.engine.write_item import resolve_aliases
from talktree.formats.format import CARRY, Format, Record
from talktree.formats.record_file import Sheet
from talktree.model.conversation import Conversation
from talktree.model.document import Document
from talktree.model.entries import Entry, Opaque
from talktree.model.message import SIDECHAIN, Context, Message
from talktree.model.parts import Part, Text, ToolCall, ToolResult
from talktree.text.json.value import Json

__all__ = ["CheckedConversation", "FactCollector", "RuleRecord", "Setting"]


SPEAKING = frozenset({"user", "assistant"})
MOST_KINDS = 1000
"""Maximum number of kinds of records that are distinguished; conversations have fewer."""


class Site(NamedTuple):
    """One part of one message."""

    position: int
    part: int


class Sites:
    """The places of tool calls or results, and the ids that they name."""

    def __init__(self) -> None:
        self.keys = array("q")
        """Hashes of the ids; an id itself is read again when it is needed."""
        self.positions = array("q")
        self._parts = array("i")

    def add_site(self, id: str, position: int, part: int) -> None:
        """Add a place."""
        self.keys.append(hash(id))
        self.positions.append(position)
        self._parts.append(part)

    def __len__(self) -> int:
        return len(self.keys)

    def __getitem__(self, index: int) -> Site:
        return Site(self.positions[index], self._parts[index])


class FactCollector:
    """Facts about a conversation; complete once all its records were read."""

    def __init__(self) -> None:
        self.calls = Sites()
        """Tool calls that have an id."""
        self.results = Sites()
        """Tool results that name a call."""
        self.unnamed = 0
        """Number of results that name no call."""
        self.sessions = array("i")
        """For each record the number of its session; 0 for none."""
        self.session_names: dict[str, int] = {}
        self.agents = array("i")
        """For each record the number of the sub-agent that wrote it; 0 for none."""
        self.agent_names: dict[str, int] = {}
        self.versions: dict[str, int] = {}
        """Versions of the program that wrote it, with the first position of each."""
        self.bytes: dict[str, int] = {}
        """The number of bytes of the records of each role; '' for records that are not messages."""
        self.aside = 0
        """The number of these bytes that sub-agents wrote."""
        self.roles: dict[str, int] = {}
        """Roles of messages, with the first position of each."""
        self.others: dict[str, list[int]] = {}
        """Kinds of unknown records: the first position, and their number."""
        self.spoken = 0
        """Number of messages by users and models."""
        self.silent = array("q")
        """Positions of messages in which no content was found."""
        self._context: Context | None = None
        """Where the message before was written; nearly always the next one has the same context."""

    def take_records(self, records: Iterable[RuleRecord]) -> None:
        """Add facts about some records."""
        sessions, agents, sizes = self.session_names, self.agent_names, self.bytes
        session_of, agent_of = self.sessions.append, self.agents.append
        for seen in records:
            entry, size = seen.entry, len(seen.record.raw)
            if type(entry) is not Message:
                self._take_non_message(entry, size, seen.position)
                continue
            role, session, agent, parts = entry.role, entry.session, entry.agent, entry.parts
            if role in sizes:
                sizes[role] += size
            else:
                self._take_role(role, size, seen.position)
            session_of(0 if session is None else sessions.setdefault(session, len(sessions) + 1))
            agent_of(0 if agent is None else agents.setdefault(agent, len(agents) + 1))
            if entry.flags and SIDECHAIN in entry.flags:
                self.aside += size
            if entry.context is not self._context:
                self._take_context(entry.context, seen.position)
            if role in SPEAKING:
                self.spoken += 1
                if not parts:
                    self.silent.append(seen.position)
            for number, part in enumerate(parts):
                if type(part) is not Text:
                    self._take_part(part, number, seen.position)

    def _take_role(self, role: str, size: int, position: int) -> None:
        self.bytes[role] = self.bytes.get(role, 0) + size
        if len(self.roles) < MOST_KINDS:
            self.roles.setdefault(role, position)

    def _take_context(self, context: Context | None, position: int) -> None:
        self._context = context
        if context is not None and context.version is not None:
            self.versions.setdefault(context.version, position)

    def _take_part(self, part: Part, number: int, position: int) -> None:
        if isinstance(part, ToolCall):
            if part.id:
                self.calls.add_site(part.id, position, number)
        elif isinstance(part, ToolResult):
            if part.call:
                self.results.add_site(part.call, position, number)
            else:
                self.unnamed += 1

    def _take_non_message(self, entry: Entry, size: int, position: int) -> None:
        """Add facts about a record that is not a message."""
        self.bytes[""] = self.bytes.get("", 0) + size
        self.sessions.append(0)
        self.agents.append(0)
        if isinstance(entry, Opaque):
            self._take_opaque(entry, position)

    def _take_opaque(self, entry: Opaque, position: int) -> None:
        value = entry.value
        if value is None or entry.kind == CARRY or (isinstance(value, dict) and CARRY in value):
            # Undecodable bytes are reported elsewhere; embedded source data is not a record.
            return
        found = self.others.get(entry.kind)
        if found is not None:
            found[1] += 1
        elif len(self.others) < MOST_KINDS:
            self.others[entry.kind] = [position, 1]


Elsewhere = Callable[[Collection[str]], Mapping[str, str]]
"""From the ids of messages to the names of the conversations or files that have them."""


def _find_nothing(ids: Collection[str]) -> Mapping[str, str]:
    return {}


class RuleRecord(Struct):
    """One record as rules see it."""

    record: Record
    entry: Entry
    position: int
    talk: CheckedConversation
    gated: Any = None
    """What the rule's gate found, if it has one."""

    @property
    def value(self) -> Json:
        """Its native value."""
        return self.record.value

    def replace_entry(self, entry: Entry) -> Json:
        """Return the native value of the record for another entry."""
        talk = self.talk
        return talk.format.put(resolve_aliases(talk.conversation, entry), self.record)


class CheckedConversation:
    """A conversation that is being checked."""

    def __init__(self, conversation: Conversation, origin: DocumentOrigin) -> None:
        self.conversation = conversation
        self.origin = origin
        self.format: Format = origin.format
        self.skeleton = conversation.skeleton
        self.facts = FactCollector()
        self.elsewhere: Elsewhere = _find_nothing
        """Finds messages in other files that this conversation names and does not have."""
        self.notes: dict[str, Any] = {}
        """What rules keep from one record to the next, by names of their own."""

    @property
    def id(self) -> str:
        """The conversation's id."""
        return self.conversation.id

    def read_record(self, position: int) -> RuleRecord:
        """Read one record again."""
        number = self.conversation.members[position]
        record = self.origin.record(number, *self.conversation.names(position))
        return RuleRecord(record, self.format.get(record), position, self)

    def sheet(self, position: int) -> tuple[Sheet, int]:
        """Return the record file of a record, and its index there."""
        which, index = self.origin.sheet_of(self.conversation.members[position])
        return self.origin.sheets[which], index

    def path(self, position: int) -> str:
        """Return the file of a record."""
        return self.sheet(position)[0].path

    def line(self, position: int) -> int | None:
        """Return the line on which a record starts."""
        sheet, index = self.sheet(position)
        return sheet.line_of(index)

    def name(self, position: int) -> str | None:
        """Return the id of an entry, or its alias."""
        return self.skeleton.ids[position] or None


class Setting(NamedTuple):
    """A document as rules for whole sources see it."""

    document: Document
    origin: DocumentOrigin
    talks: Sequence[CheckedConversation]
