"""A conversation as rules see it: each record with its entry, and facts about all of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, NamedTuple

from msgspec import Struct

from talktree.formats.engine.origin import Origin
from talktree.formats.engine.write_item import native_entry
from talktree.formats.facts import Facts
from talktree.formats.format import Format, Record
from talktree.formats.record_file import Sheet
from talktree.model.conversation import Conversation
from talktree.model.document import Document
from talktree.model.entries import Entry
from talktree.text.json.value import Json

__all__ = ["Facts", "Seen", "Setting", "Talk"]


Elsewhere = Callable[[Collection[str]], Mapping[str, str]]
"""From the ids of messages to the names of the conversations or files that have them."""


def _nowhere(ids: Collection[str]) -> Mapping[str, str]:
    return {}


class Seen(Struct):
    """One record as rules see it."""

    record: Record
    entry: Entry
    position: int
    talk: Talk
    gated: Any = None
    """What the gate before a rule found, where it has one."""

    @property
    def value(self) -> Json:
        """Its native value."""
        return self.record.value

    def put(self, entry: Entry) -> Json:
        """The native value it has once its entry is another."""
        talk = self.talk
        return talk.format.put(native_entry(talk.conversation, entry), self.record)


class Talk:
    """A conversation that is being checked."""

    def __init__(self, conversation: Conversation, origin: Origin) -> None:
        self.conversation = conversation
        self.origin = origin
        self.format: Format = origin.format
        self.bones = conversation.skeleton
        self.facts = Facts()
        self.elsewhere: Elsewhere = _nowhere
        """Where else messages are that it names and does not have."""
        self.notes: dict[str, Any] = {}
        """What rules remember from one record to the next, by a name of their own."""

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


class Setting(NamedTuple):
    """A document as rules for whole sources see it."""

    document: Document
    origin: Origin
    talks: Sequence[Talk]
