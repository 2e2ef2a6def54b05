"""Digests of the visible part of a message: its role and its text.

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
"""The text of a message that only embeds records without another place."""


def digest_message(message: Message) -> int:
    """Return a 64-bit number for the role and the visible text.

    Python's hash of strings is keyed anew for each process, so a digest is only meaningful in
    copies of this process. It takes a sixth of the time of a checksum of the bytes.
    """
    pieces: list[str | bytes] = [message.role]
    for part in message.parts:
        if type(part) is Text:
            # Nearly always it is only text.
            if part.text:
                pieces.append(part.text)
        else:
            pieces += _list_visible_pieces(part)
    return hash(tuple(pieces))


def _list_visible_pieces(part: Part) -> Iterator[str | bytes]:
    """Yield the visible content of a part, if it has any."""
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
        """Add a message."""
        self.positions.append(position)
        self.digests.append(digest_message(message))

    def pack(self) -> tuple[bytes, bytes]:
        """Return the log as bytes, for another process."""
        return self.positions.tobytes(), self.digests.tobytes()

    def extend(self, packed: tuple[bytes, bytes]) -> None:
        """Add the log of another process."""
        self.positions.frombytes(packed[0])
        self.digests.frombytes(packed[1])

    @property
    def key(self) -> bytes:
        """A key that is the same for logs with the same digests, in any order."""
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
    """Return the positions of shown messages; copies of earlier records are not shown."""
    skeleton = conversation.skeleton
    return [
        position
        for position, trait in enumerate(skeleton.traits)
        if trait and position not in skeleton.copies
    ]


def is_placeholder(message: Message) -> bool:
    """Whether a message is only a placeholder."""
    parts = message.parts
    return len(parts) == 1 and getattr(parts[0], "text", None) == PLACEHOLDER
