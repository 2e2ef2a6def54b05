"""The conversations to be merged, each as its skeleton and a checksum of every entry.

What makes two messages the same message: checksums of what was said, and of all the rest.

Copies of a message differ by design: a resumed session has another name, an export leaves out
attachments or whole members, a format keeps milliseconds only. What was said and when does not.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from hashlib import blake2b
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct
from msgspec.structs import asdict, replace

from talktree.conversion.embed_read import indexed, loaded, records
from talktree.conversion.losses import Ledger
from talktree.conversion.migrate import as_written
from talktree.conversion.restore_edits import restoration, restored
from talktree.errors import Damaged, WouldLose
from talktree.formats.engine import Origin
from talktree.formats.format import CARRY, Record
from talktree.formats.migration import WAS
from talktree.model.conversation import STRETCH, Conversation
from talktree.model.document import Document
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
from talktree.model.skeleton import NO_TIME, ROOT, Skeleton
from talktree.text.json.value import Json, Token
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


PLACES = "x-talktree-places"
"""The member of a merged line that names every place the entry was found in."""
NOTHING = -1
"""The weight of what is no entry."""
Place = list[Json]
"""Source, file, the number of the record in it, and the id it has there or null."""


class Talk:
    """One conversation of one source."""

    def __init__(
        self, conversation: Conversation, document: Document, number: int, *, part: bool
    ) -> None:
        origin = document.origin
        assert isinstance(origin, Origin)
        self.conversation = conversation
        self.origin = origin
        self.name = document.name
        self.document = number
        """Which of the documents it is in."""
        self.part_of = (document.format, document.name, conversation.id) if part else None
        """The conversation it is a part of, if it was written as one."""
        self.bones: Skeleton = conversation.tree.bones
        self._sums = bytearray()
        self._weights = array("q")
        self.missing: dict[int, str] = {}
        """Positions whose parent is not here, with its name."""
        self._places: dict[int, list[Place]] = {}
        """Where entries of a merged file were found before."""
        names = map(conversation.names, range(conversation.record_count))
        for position, record in enumerate(origin.records(conversation.members, names)):
            self._look_at(position, record)

    def _look_at(self, position: int, record: Record) -> None:
        entry, carry, _ = loaded(self.origin, record)
        if carry is not None and carry.kept is None and not isinstance(entry, Message):
            self._sums += bytes(2 * SIZE)
            self._weights.append(NOTHING)
            return
        said, whole, weight = digest(entry)
        self._sums += said + whole
        self._weights.append(weight)
        found = places_in(record)
        if found:
            self._places[position] = found
        bones = self.bones
        if (
            isinstance(entry, Message)
            and bones.parents[position] == ROOT
            and position not in bones.linked
            and entry.parent
        ):
            self.missing[position] = entry.parent

    def digest(self, position: int) -> Digest | None:
        """An entry in short; None for one that only carries something."""
        weight, start = self._weights[position], 2 * SIZE * position
        if weight == NOTHING:
            return None
        sums = bytes(self._sums[start : start + 2 * SIZE])
        return Digest(sums[:SIZE], sums[SIZE:], weight)

    def ids(self, position: int) -> tuple[str, ...]:
        """The ids a message has in its files, if they are its own alone; the first is its name."""
        found = self.places(position)
        return tuple(dict.fromkeys(place[3] for place in found if isinstance(place[3], str)))

    @cached_property
    def _replies(self) -> list[str | None]:
        return self.bones.groups()

    def reply(self, position: int) -> str | None:
        """The API reply a message is a piece of."""
        return self._replies[position]

    def places(self, position: int) -> list[Place]:
        """Where an entry stands, or stood before it was merged."""
        known = self._places.get(position)
        if known is not None:
            return known
        number = self.conversation.members[position]
        which, index = self.origin.sheet_of(number)
        own = None if position in self.bones.native else self.bones.ids[position] or None
        return [[self.name, self.origin.sheets[which].path, index, own]]

    def entries_at(self, positions: Sequence[int]) -> Iterator[Entry]:
        """Entries in the order asked for, without what they carry."""
        for start in range(0, len(positions), STRETCH):
            asked = positions[start : start + STRETCH]
            ordered = sorted(set(asked))
            found = records(self.origin, self.conversation, ordered)
            entries = dict(zip(ordered, (each.entry for each in found), strict=True))
            yield from (entries[position] for position in asked)

    @cached_property
    def rank(self) -> tuple[int, int, bytes]:
        """What talks are put in order by: the newest message, their number, what is said."""
        times = [time for time in self.bones.times if time != NO_TIME]
        said = blake2b(self._sums, digest_size=SIZE)
        for name in self.bones.ids:
            said.update(name.encode("utf-8", "surrogatepass") + b"\0")
        return max(times, default=NO_TIME), len(self.bones), said.digest()


def places_in(record: Record) -> list[Place]:
    """The places that a line of a merged file names."""
    found = record.value.get(PLACES) if isinstance(record.value, dict) else None
    if not isinstance(found, list):
        return []
    return [each for each in found if isinstance(each, list) and len(each) == 4]


def talks_of(documents: Sequence[Document]) -> list[Talk]:
    """All conversations, in an order that does not depend on the one they were named in."""
    found = [
        Talk(conversation, document, number, part=part)
        for number, (document, part) in enumerate(_sources(documents))
        for conversation in document.conversations
        if conversation.record_count
    ]
    return sorted(found, key=lambda talk: (*talk.rank, talk.name, talk.conversation.id))


def _sources(documents: Sequence[Document]) -> Iterator[tuple[Document, bool]]:
    """The documents; conversations that embed what they were made from count as parts of that."""
    for document in map(as_written, documents):
        taken: set[int] = set()
        for index in indexed(document):
            try:
                back = restoration(document, index)
                found = None if back is None else restored(back, Ledger())
            except (Damaged, WouldLose):
                continue
            if found is None:
                continue
            yield found, True
            taken.update(index.conversations)
        rest = [each for number, each in enumerate(document.conversations) if number not in taken]
        if rest or not taken:
            yield document.with_these(rest), False
