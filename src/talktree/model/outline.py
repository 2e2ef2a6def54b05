"""What the shape of a conversation needs to know of a record, and nothing of its contents."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from typing import NamedTuple

from msgspec import Struct

from talktree.model.entries import Entry, Head, Opaque, Snapshot
from talktree.model.message import META, SIDECHAIN, Message, Usage
from talktree.model.parts import Event, ToolCall, ToolResult

CALLS = "\0calls "
"""What the name of a group begins with that is not an API reply."""


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

    trait: int
    id: str | None = None
    parent: str | None = None
    time: str | int | None = None
    role: str = ""
    sidechain: bool = False
    group: str | None = None
    """The API reply it belongs to."""
    follows: str | None = None


class Reply(Struct, gc=False, rename=lambda name: f"\ue000{name}"):
    """The API reply a line is a piece of."""

    id: str | None = None
    usage: Usage | None = None
    model: str | None = None


class LineOutline(Struct, gc=False, rename=lambda name: f"\ue000{name}"):
    """The same for a line that is skimmed: a typed decoder fills it straight from the text.

    The odd names keep members of a line from filling a field by chance; a subclass declares the
    fields its lines have once more, under the names they have there.
    """

    trait: int = 0
    id: str | None = None
    parent: str | None = None
    stamp: str | int | None = None
    role: str = ""
    sidechain: bool = False
    group: str | None = None
    follows: str | None = None
    usage: Usage | None = None
    model: str | None = None
    link: str = "logical"
    """In which way it follows."""
    call: str | None = None
    """The tool call that began it."""
    reply: Reply | None = None
    """Group, usage and model in one, where a line has them in one place."""
    kept: str | None = None
    """The first message that a compaction keeps, if the line is a compaction."""


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
                entry.api_message or _calls_of(entry),
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


def _calls_of(message: Message) -> str | None:
    if message.role != "assistant" or message.parent is None:
        return None
    if not any(isinstance(part, ToolCall) for part in message.parts):
        return None
    return call_group(message.parent)


def call_group(parent: str) -> str:
    """The group of calls that name no reply they are pieces of, but share a parent."""
    return f"{CALLS}{parent}"


def line_outline(entry: Entry) -> LineOutline:
    """The outline of an entry as a line would give it, tokens included."""
    told = LineOutline(*outline(entry))
    if isinstance(entry, Message):
        told.usage, told.model = entry.usage, entry.model
    return told


def tokens(lines: Iterable[LineOutline]) -> dict[str, tuple[Usage, str | None]]:
    """What each API reply cost, once, and its model.

    Pieces of one reply repeat its usage, and only the last ones know all of its output.
    """
    found: dict[str, tuple[Usage, str | None]] = {}
    for number, line in enumerate(lines):
        reply = line.reply or Reply(line.group, line.usage, line.model)
        if reply.usage is None:
            continue
        named = reply.id and not reply.id.startswith(CALLS)
        key = reply.id if reply.id and named else f"@{number}"
        known = found.get(key)
        if known is None or reply.usage.output > known[0].output:
            found[key] = (reply.usage, reply.model)
    return found
