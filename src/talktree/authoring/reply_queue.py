"""Replies that wait to become part of a document, so that adding many takes linear time.

A conversation is a value: each edit makes a new one, which takes time in proportion to its length.
How a format writes a new message depends only on the first entries and on the message before it. So
a reply after the last one is made in an excerpt of the conversation with just these, and all
waiting replies are added together when the document is read.
"""

from __future__ import annotations

from array import array

from talktree.formats.engine.write import apply_and_fill, refuse_unwritable
from talktree.formats.message_defaults import LOOKED_AT
from talktree.model.conversation import Conversation
from talktree.model.document import Document
from talktree.model.entries import Entry
from talktree.model.message import Message
from talktree.model.operations import ReplyTo

ENOUGH = 2 * LOOKED_AT
"""Number of records of a conversation before replies wait."""


class ReplyQueue:
    """A document, and replies after its last message that are not part of it yet."""

    def __init__(self, document: Document, id: str) -> None:
        self._document = document
        self.id = id
        """The key of the conversation."""
        self.last: Message | None = None
        """The last reply in the queue."""
        self._waiting: list[Message] = []
        self._start: Conversation | None = None
        self._end: Conversation | None = None

    def __len__(self) -> int:
        """Return the number of messages, including waiting ones."""
        return len(self._document.find(self.id)) + len(self._waiting)

    def can_follow(self, tip: str | None) -> bool:
        """Whether a reply to a message can wait."""
        if self.last is not None:
            return tip == self.last.id
        found = self._document.find(self.id)
        if tip is None or found.record_count < ENOUGH or tip not in found:
            return False
        self._start = _excerpt(found)
        self.last = found[tip]
        return True

    def end(self) -> Conversation:
        """Return the excerpt of the conversation that ends with the last reply."""
        if self._end is None:
            assert self._start is not None
            assert self.last is not None
            self._end = _append_to_excerpt(self._start, self.last)
        return self._end

    def add(self, reply: ReplyTo) -> Message:
        """Queue a reply, unless the format cannot hold it; return its message."""
        before = self.end()
        after = apply_and_fill(before, reply)
        refuse_unwritable(before, self._document.with_conversation(after))
        self.last = after[reply.id]
        self._waiting.append(self.last)
        self._end = None
        return self.last

    def flush(self) -> Document:
        """Return the document with all waiting replies."""
        if self._waiting:
            found = self._document.find(self.id)
            first = min(-1, min(found.changed, default=0) - 1)
            numbers = range(first, first - len(self._waiting), -1)
            changed: dict[int, Entry] = {**found.changed, **zip_entries(numbers, self._waiting)}
            members = array("q", [*found.members, *numbers])
            grown = found.with_entries(members, changed)
            self._document = self._document.with_conversation(grown)
            self._waiting = []
        self.last = self._start = self._end = None
        return self._document


def zip_entries(numbers: range, messages: list[Message]) -> dict[int, Entry]:
    """Return the messages with their numbers."""
    return dict(zip(numbers, messages, strict=True))


def _excerpt(conversation: Conversation) -> Conversation:
    """Return the first entries of a conversation."""
    members = array("q", list(conversation.members[:LOOKED_AT]))
    kept = set(members)
    changed = {number: each for number, each in conversation.changed.items() if number in kept}
    return conversation.with_entries(members, changed)


def _append_to_excerpt(start: Conversation, last: Message) -> Conversation:
    """Return an excerpt with the message that the next one follows."""
    if last.id in start:
        return start
    number = min(-1, min(start.changed, default=0) - 1)
    members = array("q", [*start.members, number])
    return start.with_entries(members, {**start.changed, number: last})
