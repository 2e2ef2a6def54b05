"""The result of reading a source, whatever its format: pieces, facts, links and a heading.

Nothing here holds the source; texts in pieces are passed on and dropped.

Records, replies and times are identified by numbers that can be stored.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from zlib import crc32

from msgspec import Struct

from talktree.model.habits import WriterHabits
from talktree.model.replies import make_reply_name, reply_name

try:
    from _blake2 import blake2b  # `hashlib` has it too, but loads much else
except ImportError:
    from hashlib import blake2b

NODE, MESSAGE, SIDECHAIN, COMPACT, ERROR, FOLLOWS = 1, 2, 4, 8, 16, 32
AS_LINES = WriterHabits(sequential=True, replays=True, latest=True, walk=True)
"""The habits of sources that are read line by line; links of all others are already resolved."""
TRAIT = 6
"""The bits of a link from this one up hold its trait, minus one."""
UUID = 36
"""Characters of a UUID."""
MODULUS = 0x5D1F_2B6A_9C3E_7A4B
"""An odd number without any pattern."""
PROMPT, SIDE_PROMPT, COMMAND, WORDS = 4, 3, 2, 1
"""The rank of a title that was made from text."""
SAMPLED = 16
"""One id in this many is a landmark."""


class SearchPiece(NamedTuple):
    """One part of one record: the unit that a search finds."""

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
    """Names of files, one per line."""


class ReplyFacts(NamedTuple):
    """The tokens of an API reply that one record reports."""

    key: int
    """The same for every record of the same reply, in any file."""
    at: int
    time: int | None
    """Nanoseconds since 1970."""
    model: str | None
    input: int
    output: int
    cache_read: int
    cache_write: int
    cache_write_hour: int
    """The part of the cache writes that is kept for an hour."""
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
    """A quantity that a format measures of its messages."""

    time: int | None
    name: str
    value: str | float


LOOSE = -1


class TreeRecord(NamedTuple):
    """A record that takes part in the tree."""

    id: int
    """Hash of its id; 0 if it has none."""
    parent: int
    """Hash of the id of its parent; 0 if there is none."""
    at: int
    bits: int
    group: int = 0
    """Which API reply it is a part of; 0 for none."""
    stamp: int = 0
    """Equal only for records of the same time and role; 0 if it has no time."""
    talk: int = 0
    """Which conversation of the source it belongs to."""
    kept: int = 0
    """Hash of the id of the first message that a compaction keeps; 0 if there is none."""
    listing: int = 1
    """What it means to the program's own reader (`model/outline.py: Listing`)."""
    request: int = 0
    """Which API request it answers; 0 for none, `LOOSE` for calls that do not name a reply."""


class ConversationFacts(NamedTuple):
    """The facts of one of the conversations in a source."""

    start: int
    """Where its first record is."""
    key: str | None
    """The name it has in the source; None if there is only one."""
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
    """The facts of a source as a whole, and the state needed to continue reading it."""

    native: str | None = None
    """The id of the conversation in its own format."""
    title: str | None = None
    rank: int = 0
    """The rank of the title; a better title replaces it."""
    project: str | None = None
    branch: str | None = None
    first: int | None = None
    """Nanoseconds since 1970."""
    last: int | None = None
    models: tuple[str, ...] = ()
    parent: str | None = None
    """The session that started it, or that it is a fork of."""
    leaf: str | None = None
    """The id of the last record that takes part in the tree."""
    open: dict[int, str] = {}
    """Tools of calls that have no result yet, by the key of the call."""
    todo: int = 0
    """The hash of the last task list."""


class ExtractedFacts(Struct):
    """All facts of a source, or of a batch of its lines."""

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
    """How many lines those were, in a file of lines."""
    roles: dict[str, int] = {}
    """How many messages there are of each role."""
    ids: dict[int, str] = {}
    """The ids of records by their places, for sources that are not lines."""
    conversations: list[ConversationFacts] = []
    """All conversations of a source that is read as a whole."""
    damage: str | None = None
    """Why only a part of the source could be read; None if all of it was."""
    habits: Sequence[WriterHabits] = (AS_LINES,)
    """How the conversations with messages are written, for their trees."""


def hash_id(text: str) -> int:
    """Return the hash of an id: 64 bits, signed, never 0."""
    if len(text) == UUID:
        # Nearly all ids are UUIDs; the remainder is as good as a hash, and faster.
        try:
            return int(text.replace("-", ""), 16) % MODULUS + 1
        except ValueError:
            pass
    raw = text.encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(raw, digest_size=8).digest(), "little", signed=True) or 1


def find_landmark(id: bytes | str) -> int | None:
    """Return the landmark that an id makes; None for most ids."""
    found = hash_id(id if isinstance(id, str) else id.decode("utf-8", "surrogateescape"))
    return None if found % SAMPLED else found


LATEST = 1 << 62
"""The latest time that is stored; its negative is the earliest."""
ROLES = {"user": 1, "assistant": 2, "system": 3}
STATES = ((), ("error",), ("sidechain",), ("error", "sidechain"))


def piece_states(failed: bool, side: bool) -> tuple[str, ...]:  # noqa: FBT001
    """Return the values of the tag `is` for a piece."""
    return STATES[failed + 2 * side]


def title_rank(role: str, side: bool) -> int:  # noqa: FBT001
    """Return the rank of a title made from a message's text."""
    if role != "user":
        return WORDS
    return SIDE_PROMPT if side else PROMPT


def to_storable_time(time: int | None) -> int | None:
    """Return a time that can be stored."""
    return time if time is not None and -LATEST < time < LATEST else None


def to_seconds(time: int | None) -> int | None:
    """Return a time in seconds."""
    return None if to_storable_time(time) is None else (time or 0) // 1_000_000_000


def reply_key(api: str | None, request: str | None) -> int:
    """Return the key of a reply, which is the same in all files."""
    return hash_id(reply_name(api, request))


def lone_key(
    own: str, session: str | None, time: int | None, model: str | None, counts: tuple[int, ...]
) -> int:
    """Return the key of a reply without an id of its own."""
    return hash_id(make_reply_name(own, session, time, model, counts))


def hash_group(group: str | None) -> int:
    """Return a number for the reply that a record is a part of; 0 for none."""
    return 0 if group is None else crc32(group.encode("utf-8", "surrogatepass")) & 0x7FFFFFFF or 1


def hash_stamp(time: int, role: str) -> int:
    """Return a number that is equal only for the same time and role; 0 without a time."""
    if time < 0:
        return 0
    code = ROLES.get(role) or 4 + crc32(role.encode("utf-8", "surrogatepass")) % 1000
    return min(time, LATEST) + code
