"""Digests of what a message shows: its role and its visible text.

Two messages with the same digest look the same to a reader. Ids, times and everything else that is
compared record by record do not count, and neither do the contents of attachments, which may be
written to other files.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator

from msgspec import Struct, field

from talktree.model.conversation import Conversation
from talktree.model.message import Message
from talktree.model.parts import (
    Artifact,
    Event,
    Part,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    UnknownPart,
)
from talktree.text.json.encode import encode_new
from talktree.text.json.value import Json

PLACEHOLDER = "(No messages; Talktree keeps the records of the source here.)"
"""What a message says that is made only to embed what has no other place."""


def digest_message(message: Message) -> int:
    """Return a number of 64 bits for the role and the visible text.

    Python's own hash of strings is keyed anew for each process, so a digest says nothing to any
    other process than copies of this one. It takes a sixth of the time of a checksum of the bytes.
    """
    pieces: list[str | bytes] = [message.role]
    for part in message.parts:
        if type(part) is Text:
            # Nearly always it is nothing but that.
            if part.text:
                pieces.append(part.text)
        else:
            pieces += _list_visible_pieces(part)
    return hash(tuple(pieces))


def _list_visible_pieces(part: Part) -> Iterator[str | bytes]:
    """What a part shows; nothing if it shows nothing."""
    match part:
        case Text(text=text) | Thinking(text=text):
            if text:
                yield text
        case ToolCall(name=name, input=value):
            yield name
            yield _encode_json(value)
        case ToolResult(output=output):
            yield "result"
            for each in output:
                yield from _list_visible_pieces(each)
        case Artifact(title=title, content=content):
            yield title or ""
            yield content or ""
        case Event(kind=kind, text=text):
            yield kind
            yield text or ""
        case UnknownPart(kind=kind, value=value):
            yield kind
            yield _encode_json(value)


def _encode_json(value: Json) -> bytes:
    return b"" if value is None else encode_new(value)


class DigestLog(Struct):
    """The digests of some messages of a conversation, each with its position."""

    positions: array[int] = field(default_factory=lambda: array("q"))
    digests: array[int] = field(default_factory=lambda: array("q"))

    def add(self, position: int, message: Message) -> None:
        """Note down a message."""
        self.positions.append(position)
        self.digests.append(digest_message(message))

    def pack(self) -> tuple[bytes, bytes]:
        """Return the log as bytes, for another process."""
        return self.positions.tobytes(), self.digests.tobytes()

    def extend(self, packed: tuple[bytes, bytes]) -> None:
        """Add what another process noted down."""
        self.positions.frombytes(packed[0])
        self.digests.frombytes(packed[1])

    @property
    def key(self) -> bytes:
        """The same for logs with the same digests, in whichever order."""
        return array("q", sorted(self.digests)).tobytes()


def digest_conversation(conversation: Conversation) -> DigestLog:
    """Return the digests of all messages that a conversation shows."""
    positions = find_visible_positions(conversation)
    log = DigestLog()
    entries = conversation.entries_at(positions)
    for position, entry in zip(positions, entries, strict=True):
        if isinstance(entry, Message):
            log.add(position, entry)
    return log


def find_visible_positions(conversation: Conversation) -> list[int]:
    """Where a conversation shows messages; copies of records before them are not shown."""
    skeleton = conversation.skeleton
    return [
        position
        for position, trait in enumerate(skeleton.traits)
        if trait and position not in skeleton.copies
    ]


def is_placeholder(message: Message) -> bool:
    """Whether a message says nothing but that it is one."""
    parts = message.parts
    return len(parts) == 1 and getattr(parts[0], "text", None) == PLACEHOLDER
