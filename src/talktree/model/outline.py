"""The outline of a record: what the tree needs to know of it, without contents."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from typing import NamedTuple

from msgspec import Struct

from talktree.model.entries import Entry, Head, Opaque, Snapshot
from talktree.model.message import META, SIDECHAIN, Message, Usage
from talktree.model.parts import Event, ToolCall, ToolResult

CALLS = "\0calls "
"""Prefix of groups that are not API replies."""


class Trait(IntEnum):
    """What a record means for the shape of the tree."""

    NONE = 0
    """Not a node: a title, a snapshot, an unreadable line."""
    SAID = 1
    """A spoken message; two of these below one node are a real fork."""
    REPLY = 2
    """A piece of an API reply; pieces of the same reply belong together."""
    RESULT = 3
    """A tool's result; it belongs to the call, wherever it was recorded."""
    NOTE = 4
    """Bookkeeping that is part of the chain: progress, hooks, retries."""


class Listing(IntEnum):
    """What a record means to the program's own reader, which walks back from a leaf."""

    PASSED = 0
    """The reader skips it on the way to the message above it."""
    LISTED = 1
    """A message; the conversation may continue from it."""
    HIDDEN = 2
    """A message that is not listed; the conversation continues from it only without a choice."""
    ABSENT = 3
    """The reader does not know such records."""
    CURRENT = 4
    """The conversation continues from it, whatever the tree says."""
    RETURNED = 5
    """The reader returns it, wherever it is in the tree."""
    ACTIVE = 6
    """The source says that the conversation is at this message, whatever follows it."""
    NEWEST = 7
    """The newest message at the time of that statement."""


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
    link: str = "logical"
    call: str | None = None
    listing: int = int(Listing.ABSENT)


class ReplyOutline(Struct, gc=False, rename=lambda name: f"\ue000{name}"):
    """The API reply that a line is a piece of."""

    id: str | None = None
    usage: Usage | None = None
    model: str | None = None


class LineOutline(Struct, gc=False, rename=lambda name: f"\ue000{name}"):
    """The same for a line that is skimmed: a typed decoder fills it directly from the text.

    The odd names keep members of a line from filling a field by chance; a subclass redeclares the
    fields that its lines have, with the names they have there.
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
    """How it follows."""
    call: str | None = None
    """The tool call that started it."""
    reply: ReplyOutline | None = None
    """Group, usage and model in one, where a line has them in one place."""
    kept: str | None = None
    """The first message that a compaction keeps, if the line is a compaction."""
    listing: int = int(Listing.LISTED)
    written: str | None = None
    """The parent in the file, if another link is stated."""
    request: str | None = None
    """The API request it answers; pieces of one turn may name the same one."""


def outline_entry(entry: Entry) -> Outline:
    """Return the outline of an entry."""
    match entry:
        case Message():
            trait, flags = _find_trait(entry), entry.flags
            return Outline(
                trait,
                entry.id,
                entry.parent,
                entry.time_ns,
                entry.role,
                SIDECHAIN in flags,
                entry.api_message or _find_call_group(entry),
                entry.follows,
                listing=find_listing(trait, meta=META in flags, side=SIDECHAIN in flags),
            )
        case Head() | Snapshot() | Opaque():
            return Outline(Trait.NONE)


def _find_trait(message: Message) -> Trait:
    parts = message.parts
    if parts and all(isinstance(part, ToolResult) for part in parts):
        return Trait.RESULT
    if message.role == "assistant":
        return Trait.REPLY
    if META in message.flags or (parts and all(isinstance(part, Event) for part in parts)):
        return Trait.NOTE
    return Trait.SAID


def find_listing(trait: int, *, meta: bool, side: bool) -> int:
    """Return what a message means to a program's own reader, as far as its trait and flags show
    it."""
    if meta or (side and trait != Trait.NOTE):
        return int(Listing.HIDDEN)
    return int(Listing.PASSED if trait == Trait.NOTE else Listing.LISTED)


def _find_call_group(message: Message) -> str | None:
    if message.role != "assistant" or message.parent is None:
        return None
    if not any(isinstance(part, ToolCall) for part in message.parts):
        return None
    return make_call_group(message.parent)


def make_call_group(parent: str) -> str:
    """Return the group of calls that name no reply but share a parent."""
    return f"{CALLS}{parent}"


def outline_line(entry: Entry) -> LineOutline:
    """Return the outline of an entry as a line would have it, tokens included."""
    found = outline_entry(entry)
    details = LineOutline(*found[:8], listing=found.listing)
    if isinstance(entry, Message):
        details.usage, details.model = entry.usage, entry.model
    return details


def sum_tokens(lines: Iterable[LineOutline]) -> dict[str, tuple[Usage, str | None]]:
    """Yield the tokens of each API reply once, with its model.

    Pieces of one reply repeat its usage, and only the last ones have the final output count.
    """
    found: dict[str, tuple[Usage, str | None]] = {}
    for number, line in enumerate(lines):
        reply = line.reply or ReplyOutline(line.group, line.usage, line.model)
        if reply.usage is None:
            continue
        named = reply.id and not reply.id.startswith(CALLS)
        key = reply.id if reply.id and named else f"@{number}"
        known = found.get(key)
        if known is None or reply.usage.output > known[0].output:
            found[key] = (reply.usage, reply.model)
    return found
