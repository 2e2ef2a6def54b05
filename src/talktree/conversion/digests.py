"""Digests of what a message shows: its role and its visible text.

Two messages with the same digest look the same to a reader. Ids, times and everything else that is
compared record by record do not count, and neither do the contents of attachments, which may be
written to other files.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from hashlib import blake2b

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
    Unknown,
)
from talktree.text.json_value import Json
from talktree.text.json_write import encode_new

SEPARATOR = b"\0"


def digest_message(message: Message) -> int:
    """Return a number of 64 bits that stands for the role and the visible text."""
    state = blake2b(message.role.encode("utf-8", "surrogatepass"), digest_size=8)
    for part in message.parts:
        for piece in _pieces(part):
            state.update(SEPARATOR)
            state.update(piece)
    return int.from_bytes(state.digest(), "little")


def _pieces(part: Part) -> Iterator[bytes]:
    """What a part shows; nothing if it shows nothing."""
    match part:
        case Text(text=text) | Thinking(text=text):
            if text:
                yield _encode(text)
        case ToolCall(name=name, input=value):
            yield _encode(name)
            yield _encode_json(value)
        case ToolResult(output=output):
            yield b"result"
            for each in output:
                yield from _pieces(each)
        case Artifact(title=title, content=content):
            yield _encode(title or "")
            yield _encode(content or "")
        case Event(kind=kind, text=text):
            yield _encode(kind)
            yield _encode(text or "")
        case Unknown(kind=kind, value=value):
            yield _encode(kind)
            yield _encode_json(value)


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _encode_json(value: Json) -> bytes:
    return b"" if value is None else encode_new(value)


class DigestLog(Struct):
    """The digests of some messages of a conversation, each with its position."""

    positions: array[int] = field(default_factory=lambda: array("q"))
    digests: array[int] = field(default_factory=lambda: array("Q"))

    def add(self, position: int, message: Message) -> None:
        """Note down a message."""
        self.positions.append(position)
        self.digests.append(digest_message(message))

    def packed(self) -> tuple[bytes, bytes]:
        """Return the log as bytes, for another process."""
        return self.positions.tobytes(), self.digests.tobytes()

    def extend(self, packed: tuple[bytes, bytes]) -> None:
        """Add what another process noted down."""
        self.positions.frombytes(packed[0])
        self.digests.frombytes(packed[1])

    @property
    def key(self) -> bytes:
        """The same for logs with the same digests, in whichever order."""
        return blake2b(array("Q", sorted(self.digests)).tobytes(), digest_size=16).digest()


def digest_conversation(conversation: Conversation, *, without: str | None = None) -> DigestLog:
    """Return the digests of all messages that a conversation shows.

    Messages that consist of one text are left out if that text is `without`.
    """
    skeleton = conversation.skeleton
    positions = [
        position
        for position, trait in enumerate(skeleton.traits)
        if trait and position not in skeleton.copies
    ]
    log = DigestLog()
    entries = conversation.entries_at(positions)
    for position, entry in zip(positions, entries, strict=True):
        if isinstance(entry, Message) and not _is_text(entry, without):
            log.add(position, entry)
    return log


def _is_text(message: Message, text: str | None) -> bool:
    return text is not None and [getattr(part, "text", None) for part in message.parts] == [text]
