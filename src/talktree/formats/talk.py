"""A conversation as rules see it: each record with its entry, and facts about all of them."""

from __future__ import annotations

from array import array
from collections import Counter

from msgspec import Struct

from talktree.formats.base import Format, Record
from talktree.formats.engine.item import native_entry
from talktree.formats.engine.origin import Origin
from talktree.formats.sheets import Sheet
from talktree.model.conversation import Conversation
from talktree.model.entries import Entry
from talktree.model.message import Message
from talktree.model.parts import ToolCall, ToolResult
from talktree.text.json_value import Json


class Seen(Struct):
    """One record as rules see it."""

    record: Record
    entry: Entry
    position: int
    talk: Talk

    @property
    def value(self) -> Json:
        """Its native value."""
        return self.record.value

    def put(self, entry: Entry) -> Json:
        """The native value it has once its entry is another."""
        talk = self.talk
        return talk.format.put(native_entry(talk.conversation, entry), self.record)


class Facts:
    """What is gathered of a conversation while its records go by."""

    def __init__(self) -> None:
        self.open_calls: dict[str, int] = {}
        """Tool calls without a result, with their position."""
        self.doubled_calls: list[tuple[str, int]] = []
        """Calls whose id an earlier call has."""
        self.doubled_results: list[tuple[str, int]] = []
        """Results for calls that have one already."""
        self.early_results: dict[str, int] = {}
        """Results whose call has not been seen."""
        self.late_calls: list[tuple[str, int, int]] = []
        """Calls whose result stands before them, with both positions."""
        self.sessions = array("i")
        """For each record the number of its session; 0 for none."""
        self.session_names: dict[str, int] = {}
        self.versions: dict[str, int] = {}
        """Versions of the program that wrote it, with the first position of each."""
        self.bytes = Counter[str]()
        """How many bytes records of each role take; '' for what is no message."""
        self._answered: dict[int, int] = {}
        """Hashes of the ids of calls that have a result, with the position of the result."""

    def take(self, entry: Entry, size: int, position: int) -> None:
        """Note what a record says."""
        if not isinstance(entry, Message):
            self.bytes[""] += size
            self.sessions.append(0)
            return
        self.bytes[entry.role] += size
        session = entry.session
        names = self.session_names
        self.sessions.append(0 if session is None else names.setdefault(session, len(names) + 1))
        context = entry.context
        if context is not None and context.version is not None:
            self.versions.setdefault(context.version, position)
        for part in entry.parts:
            kind = type(part)
            if kind is ToolCall:
                if part.id is not None:  # type: ignore[union-attr]
                    self._called(part.id, position)  # type: ignore[union-attr]
            elif kind is ToolResult and part.call is not None:  # type: ignore[union-attr]
                self._given(part.call, position)  # type: ignore[union-attr]

    def _called(self, id: str, position: int) -> None:
        if id in self.early_results:
            self.late_calls.append((id, position, self.early_results.pop(id)))
            self._answered[hash(id)] = position
        elif id in self.open_calls or hash(id) in self._answered:
            self.doubled_calls.append((id, position))
        else:
            self.open_calls[id] = position

    def _given(self, id: str, position: int) -> None:
        key = hash(id)
        if self.open_calls.pop(id, None) is not None:
            self._answered[key] = position
        elif key in self._answered:
            self.doubled_results.append((id, position))
        else:
            self.early_results.setdefault(id, position)


class Talk:
    """A conversation that is being checked."""

    def __init__(self, conversation: Conversation, origin: Origin) -> None:
        self.conversation = conversation
        self.origin = origin
        self.format: Format = origin.format
        self.bones = conversation.skeleton
        self.facts = Facts()

    @property
    def id(self) -> str:
        """The conversation's id."""
        return self.conversation.id

    def seen(self, position: int) -> Seen:
        """One record, read again."""
        number = self.conversation.members[position]
        record = self.origin.record(number, *self.conversation.names(position))
        return Seen(record, self.format.get(record), position, self)

    def sheet(self, position: int) -> tuple[Sheet, int]:
        """The sheet a record is in, and where."""
        which, index = self.origin.sheet_of(self.conversation.members[position])
        return self.origin.sheets[which], index

    def path(self, position: int) -> str:
        """The file a record is in."""
        return self.sheet(position)[0].path

    def line(self, position: int) -> int | None:
        """The line a record starts on."""
        sheet, index = self.sheet(position)
        return sheet.line_of(index)

    def name(self, position: int) -> str | None:
        """The id of an entry, or its alias."""
        return self.bones.ids[position] or None
