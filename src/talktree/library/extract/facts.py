"""What reading a source gives, whatever its format: pieces, facts, links and a heading.

Nothing here holds the source; texts in pieces are passed on and forgotten.

What records, replies and times are known by, as numbers that can be kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from zlib import crc32

from msgspec import Struct

from talktree.model.habits import WriterHabits
from talktree.model.replies import make_reply_name, reply_name

try:
    from _blake2 import blake2b  # what `hashlib` has too, without all that it loads besides
except ImportError:
    from hashlib import blake2b

NODE, MESSAGE, SIDECHAIN, COMPACT, ERROR, FOLLOWS = 1, 2, 4, 8, 16, 32
AS_LINES = WriterHabits(sequential=True, replays=True, latest=True, walk=True)
"""The habits of sources that are read line by line; links of all others are resolved already."""
TRAIT = 6
"""Bits of a link above the others hold its trait, less one."""
UUID = 36
"""Characters of a UUID."""
MODULUS = 0x5D1F_2B6A_9C3E_7A4B
"""An odd number without any pattern."""
PROMPT, SIDE_PROMPT, COMMAND, WORDS = 4, 3, 2, 1
"""How good a title is that was made of what was said."""
SAMPLED = 16
"""One id of so many is a landmark."""


class SearchPiece(NamedTuple):
    """One part of one record: what a search finds."""

    at: int
    kind: str
    """text, thinking, call, result, todo, summary or other."""
    role: str
    text: str
    time: int | None
    """Seconds since 1970."""
    tags: str
    """Words of the form `role=user`, with blanks between them."""
    files: str
    """Names of files, one a line."""


class ReplyFacts(NamedTuple):
    """What one record tells of the tokens of an API reply."""

    key: int
    """The same for every record of the same reply, in whatever file."""
    at: int
    time: int | None
    """Nanoseconds since 1970."""
    model: str | None
    input: int
    output: int
    cache_read: int
    cache_write: int
    cache_write_hour: int
    """The part of what was written to the cache that is kept for an hour."""
    sidechain: bool


class CallFacts(NamedTuple):
    """A tool call."""

    key: int
    at: int
    time: int | None
    tool: str
    reply: int | None
    """The key of the reply that made it."""


class CallOutcome(NamedTuple):
    """How a tool call ended."""

    key: int
    failed: bool
    time: int | None


class Measure(NamedTuple):
    """Something a format measures of its messages."""

    time: int | None
    name: str
    value: str | float


LOOSE = -1


class TreeRecord(NamedTuple):
    """A record that takes part in the tree."""

    id: int
    """Hash of its id; 0 if it has none."""
    parent: int
    """Hash of the id it hangs on; 0 if there is none."""
    at: int
    bits: int
    group: int = 0
    """Which API reply it is a piece of; 0 for none."""
    stamp: int = 0
    """The same only for records of the same time and role; 0 if it has no time."""
    talk: int = 0
    """Which conversation of the source it belongs to."""
    kept: int = 0
    """Hash of the id of the first message that a compaction keeps; 0 if there is none."""
    listing: int = 1
    """What it means to the program's own reader (`model/outline.py: Listing`)."""
    request: int = 0
    """Which API request it answers; 0 for none, `LOOSE` for calls that name no reply either."""


class ConversationFacts(NamedTuple):
    """What is told of one of the conversations in a source."""

    start: int
    """Where its first record is."""
    key: str | None
    """The name under which the source holds it; None if there is only one."""
    native: str | None
    """Its id."""
    title: str | None
    first: int | None
    """Nanoseconds since 1970."""
    last: int | None
    messages: int
    threads: int
    branches: int
    sidechains: int
    errors: int


class Heading(Struct, frozen=True, kw_only=True):
    """What is told of a source as a whole, and what must be known to go on reading it."""

    native: str | None = None
    """The id the conversation has in its own format."""
    title: str | None = None
    rank: int = 0
    """How good the title is; a better one takes its place."""
    project: str | None = None
    branch: str | None = None
    first: int | None = None
    """Nanoseconds since 1970."""
    last: int | None = None
    models: tuple[str, ...] = ()
    parent: str | None = None
    """The session it was started from or is a fork of."""
    leaf: str | None = None
    """The id of the last record that takes part in the tree."""
    open: dict[int, str] = {}
    """Tools of calls that have no result yet, by the key of the call."""
    todo: int = 0
    """The task list that was told last."""


class ExtractedFacts(Struct):
    """All that a source, or a stretch of it, tells."""

    pieces: list[SearchPiece]
    replies: list[ReplyFacts]
    calls: list[CallFacts]
    outcomes: list[CallOutcome]
    measures: list[Measure]
    links: list[TreeRecord]
    marks: list[tuple[int, int]]
    """Landmarks: where a record is, and the checksum of its id."""
    head: Heading
    taken: int
    """How many bytes were read: up to the end of the last line."""
    lines: int = 0
    """How many lines those were, where there are lines."""
    roles: dict[str, int] = {}
    """How many messages there are of each role."""
    ids: dict[int, str] = {}
    """The ids of records by their places, where no line has them."""
    conversations: list[ConversationFacts] = []
    """All conversations of a source that is read as a whole."""
    damage: str | None = None
    """Why only a part of the source could be read; None if all of it was."""
    habits: Sequence[WriterHabits] = (AS_LINES,)
    """How the conversations with messages are written, for their trees."""


def hash_id(text: str) -> int:
    """The hash that stands for an id: 64 bits, signed, never 0."""
    if len(text) == UUID:
        # Nearly all ids are UUIDs; the remainder is as good as a hash and sooner there.
        try:
            return int(text.replace("-", ""), 16) % MODULUS + 1
        except ValueError:
            pass
    raw = text.encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(raw, digest_size=8).digest(), "little", signed=True) or 1


def find_landmark(id: bytes | str) -> int | None:
    """The landmark an id makes; None for most ids."""
    found = hash_id(id if isinstance(id, str) else id.decode("utf-8", "surrogateescape"))
    return None if found % SAMPLED else found


LATEST = 1 << 62
"""No time is later, and none as much before 1970."""
ROLES = {"user": 1, "assistant": 2, "system": 3}
STATES = ((), ("error",), ("sidechain",), ("error", "sidechain"))


def piece_states(failed: bool, side: bool) -> tuple[str, ...]:  # noqa: FBT001
    """What is said of a piece by the tag `is`."""
    return STATES[failed + 2 * side]


def title_rank(role: str, side: bool) -> int:  # noqa: FBT001
    """How good a title the words of somebody make."""
    if role != "user":
        return WORDS
    return SIDE_PROMPT if side else PROMPT


def to_storable_time(time: int | None) -> int | None:
    """A time as it can be kept."""
    return time if time is not None and -LATEST < time < LATEST else None


def to_seconds(time: int | None) -> int | None:
    """A time in seconds."""
    return None if to_storable_time(time) is None else (time or 0) // 1_000_000_000


def reply_key(api: str | None, request: str | None) -> int:
    """What a reply is known by in all files."""
    return hash_id(reply_name(api, request))


def lone_key(
    own: str, session: str | None, time: int | None, model: str | None, counts: tuple[int, ...]
) -> int:
    """What a reply is known by that has no id of its own."""
    return hash_id(make_reply_name(own, session, time, model, counts))


def hash_group(group: str | None) -> int:
    """A number for the reply a record is a piece of; 0 for none."""
    return 0 if group is None else crc32(group.encode("utf-8", "surrogatepass")) & 0x7FFFFFFF or 1


def hash_stamp(time: int, role: str) -> int:
    """The same number only for the same time and role; 0 without a time."""
    if time < 0:
        return 0
    code = ROLES.get(role) or 4 + crc32(role.encode("utf-8", "surrogatepass")) % 1000
    return min(time, LATEST) + code
