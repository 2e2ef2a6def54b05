"""What makes two messages the same message: checksums of what was said, and of all the rest.

Copies of a message differ by design: a resumed session has another name, an export leaves out
attachments or whole members, a format keeps milliseconds only. What was said and when does not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from hashlib import blake2b
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct
from msgspec.structs import asdict, replace

from talktree.formats.format import CARRY
from talktree.formats.migration import WAS
from talktree.model.entries import Entry, Head, Opaque, Snapshot
from talktree.model.message import Message
from talktree.model.parts import (
    Artifact,
    Attachment,
    Event,
    Part,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    Unknown,
)
from talktree.text.json.value import Token
from talktree.text.times import MILLI

SIZE = 16
BY_DESIGN = frozenset({"sessionId", "session_id", "forkedFrom", "slug", CARRY, WAS})
"""Members that tell a copy from its original, and what files carry for other formats."""
NAMES = frozenset({"uuid", "parentUuid", "id", "parent"})
"""Members of records nobody understands that only name them and what they hang on."""
_encode = msgspec.json.Encoder(
    enc_hook=lambda value: {"token": value.text} if isinstance(value, Token) else repr(value),
    order="deterministic",
).encode


class Digest(NamedTuple):
    """An entry in short."""

    said: bytes
    """The same for every copy of it."""
    whole: bytes
    """The same for copies that differ in nothing but what differs by design."""
    weight: int
    """How much there is to it, so that the fullest copy can be kept."""


def digest(entry: Entry) -> Digest:
    """An entry in short."""
    bare = _bare(entry)
    text = _bytes(bare)
    whole = blake2b(text, digest_size=SIZE).digest()
    if isinstance(entry, Message):
        known = entry.role != "unknown"
        return Digest(_said(entry), whole, len(text) + (known << 40))
    return Digest(whole, whole, len(text))


def _bytes(value: object) -> bytes:
    try:
        return _encode(value)
    except (UnicodeEncodeError, OverflowError, RecursionError):
        # Every field counts, and the `repr` of a message shows only some.
        told = asdict(value) if isinstance(value, Struct) else value
        return repr(told).encode("utf-8", "surrogatepass")


def _bare(entry: Entry) -> Entry:
    """An entry without its names and without what differs between copies by design."""
    match entry:
        case Message():
            return replace(
                entry,
                id="",
                parent=None,
                follows=None,
                session=None,
                time_ns=_millis(entry.time_ns),
                extra=_without(entry.extra),
            )
        case Head():
            return replace(entry, extra=_without(entry.extra))
        case Snapshot():
            return replace(entry, id="", extra=_without(entry.extra))
        case Opaque(value=dict()):
            named = {key: item for key, item in entry.value.items() if key not in NAMES}
            return replace(entry, id="", size=0, value=_without(named))
        case Opaque():
            return replace(entry, id="")


def _without(members: Mapping[str, Any]) -> dict[str, Any]:
    return {name: item for name, item in members.items() if name not in BY_DESIGN}


def _millis(time: int | None) -> int | None:
    return None if time is None else time // MILLI


def _said(message: Message) -> bytes:
    found = blake2b(digest_size=SIZE)
    found.update(str(_millis(message.time_ns)).encode())
    for kind, words in words_of(message.parts):
        text = words if isinstance(words, str) else _bytes(words).decode("utf-8", "surrogatepass")
        raw = text.encode("utf-8", "surrogatepass")
        found.update(f"\0{kind}{len(raw)}:".encode())
        found.update(raw)
    return found.digest()


def words_of(parts: tuple[Part, ...]) -> Iterator[tuple[str, Any]]:
    """What was said and done; what goes with it, an export may have left out."""
    for part in parts:
        match part:
            case Text() | Thinking():
                yield type(part).__name__, part.text
            case ToolCall():
                yield "call", [part.name, part.input]
            case ToolResult():
                yield from (("result", words) for _, words in words_of(part.output))
            case Event():
                yield "event", [part.kind, part.text]
            case Unknown():
                yield "unknown", part.value
            case Attachment() | Artifact():
                pass
