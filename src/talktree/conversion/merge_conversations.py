"""The conversations to be merged, each as its skeleton and a checksum of every entry.

Messages are matched by two checksums: one of the content, and one of everything else.

Copies of a message differ by design: a resumed session has another name, an export leaves out
attachments or whole members, a format keeps milliseconds only. The content and its time do not
differ.
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

from talktree.conversion.embed_read import index_embedded_sources, load_record, load_records
from talktree.conversion.losses import LossReport
from talktree.conversion.migrate import reread_with_edits
from talktree.conversion.restore_edits import find_restoration, restore_document
from talktree.errors import DamagedRecord, WouldLose
from talktree.formats.engine import DocumentOrigin
from talktree.formats.format import CARRY, Record
from talktree.formats.migration import WAS
from talktree.model.conversation import BATCH_SIZE, Conversation
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
    UnknownPart,
)
from talktree.model.skeleton import NO_TIME, ROOT, Skeleton
from talktree.text.json.value import Json, Token
from talktree.text.times import MILLI

SIZE = 16
BY_DESIGN = frozenset({"sessionId", "session_id", "forkedFrom", "slug", CARRY, WAS})
"""Members that differ between copies by design, and embedded source data."""
NAMES = frozenset({"uuid", "parentUuid", "id", "parent"})
"""Members of unknown records that only hold their id and parent."""
_encode = msgspec.json.Encoder(
    enc_hook=lambda value: {"token": value.text} if isinstance(value, Token) else repr(value),
    order="deterministic",
).encode


class Digest(NamedTuple):
    """An entry in short."""

    said: bytes
    """The same for every copy of it."""
    whole: bytes
    """The same for copies that differ only by design."""
    weight: int
    """The amount of content, so that the most complete copy is kept."""


def digest_entry(entry: Entry) -> Digest:
    """Return an entry in short."""
    bare = _without_names(entry)
    text = _encode_value(bare)
    whole = blake2b(text, digest_size=SIZE).digest()
    if isinstance(entry, Message):
        known = entry.role != "unknown"
        return Digest(_content_digest(entry), whole, len(text) + (known << 40))
    return Digest(whole, whole, len(text))


def _encode_value(value: object) -> bytes:
    try:
        return _encode(value)
    except (UnicodeEncodeError, OverflowError, RecursionError):
        # Every field counts, and the `repr` of a message shows only some.
        details = asdict(value) if isinstance(value, Struct) else value
        return repr(details).encode("utf-8", "surrogatepass")


def _without_names(entry: Entry) -> Entry:
    """Return an entry without its names and without what differs between copies by design."""
    match entry:
        case Message():
            return replace(
                entry,
                id="",
                parent=None,
                follows=None,
                session=None,
                time_ns=_to_millis(entry.time_ns),
                extra=_drop_members(entry.extra),
            )
        case Head():
            return replace(entry, extra=_drop_members(entry.extra))
        case Snapshot():
            return replace(entry, id="", extra=_drop_members(entry.extra))
        case Opaque(value=dict()):
            named = {key: item for key, item in entry.value.items() if key not in NAMES}
            return replace(entry, id="", size=0, value=_drop_members(named))
        case Opaque():
            return replace(entry, id="")


def _drop_members(members: Mapping[str, Any]) -> dict[str, Any]:
    return {name: item for name, item in members.items() if name not in BY_DESIGN}


def _to_millis(time: int | None) -> int | None:
    return None if time is None else time // MILLI


def _content_digest(message: Message) -> bytes:
    found = blake2b(digest_size=SIZE)
    found.update(str(_to_millis(message.time_ns)).encode())
    for kind, words in iter_words(message.parts):
        text = (
            words
            if isinstance(words, str)
            else _encode_value(words).decode("utf-8", "surrogatepass")
        )
        raw = text.encode("utf-8", "surrogatepass")
        found.update(f"\0{kind}{len(raw)}:".encode())
        found.update(raw)
    return found.digest()


def iter_words(parts: tuple[Part, ...]) -> Iterator[tuple[str, Any]]:
    """Yield the content that every copy has; an export may leave out the rest."""
    for part in parts:
        match part:
            case Text() | Thinking():
                yield type(part).__name__, part.text
            case ToolCall():
                yield "call", [part.name, part.input]
            case ToolResult():
                yield from (("result", words) for _, words in iter_words(part.output))
            case Event():
                yield "event", [part.kind, part.text]
            case UnknownPart():
                yield "unknown", part.value
            case Attachment() | Artifact():
                pass


PLACES = "x-talktree-places"
"""The member of a merged line with every place where the entry was found."""
NOTHING = -1
"""The weight of something that is not an entry."""
Place = list[Json]
"""Source, file, the number of the record in it, and the id it has there or null."""


class MergeConversation:
    """One conversation of one source."""

    def __init__(
        self, conversation: Conversation, document: Document, number: int, *, part: bool
    ) -> None:
        origin = document.origin
        assert isinstance(origin, DocumentOrigin)
        self.conversation = conversation
        self.origin = origin
        self.name = document.name
        self.document = number
        """The index of its document."""
        self.part_of = (document.format, document.name, conversation.id) if part else None
        """The conversation it is a part of, if both were written as one."""
        self.skeleton: Skeleton = conversation.tree.skeleton
        self._sums = bytearray()
        self._weights = array("q")
        self.missing: dict[int, str] = {}
        """Positions whose parent is not here, with its name."""
        self._places: dict[int, list[Place]] = {}
        """Where entries of a merged file were found before."""
        names = map(conversation.names, range(conversation.record_count))
        for position, record in enumerate(origin.records(conversation.members, names)):
            self._index_record(position, record)

    def _index_record(self, position: int, record: Record) -> None:
        entry, carry, _ = load_record(self.origin, record)
        if carry is not None and carry.kept is None and not isinstance(entry, Message):
            self._sums += bytes(2 * SIZE)
            self._weights.append(NOTHING)
            return
        said, whole, weight = digest_entry(entry)
        self._sums += said + whole
        self._weights.append(weight)
        found = parse_places(record)
        if found:
            self._places[position] = found
        skeleton = self.skeleton
        if (
            isinstance(entry, Message)
            and skeleton.parents[position] == ROOT
            and position not in skeleton.linked
            and entry.parent
        ):
            self.missing[position] = entry.parent

    def digest(self, position: int) -> Digest | None:
        """Return an entry in short, or None for one that only holds embedded data."""
        weight, start = self._weights[position], 2 * SIZE * position
        if weight == NOTHING:
            return None
        sums = bytes(self._sums[start : start + 2 * SIZE])
        return Digest(sums[:SIZE], sums[SIZE:], weight)

    def ids(self, position: int) -> tuple[str, ...]:
        """Return the unique ids of a message in its files; the first is its name."""
        found = self.find_places(position)
        return tuple(dict.fromkeys(place[3] for place in found if isinstance(place[3], str)))

    @cached_property
    def _replies(self) -> list[str | None]:
        return self.skeleton.groups()

    def reply(self, position: int) -> str | None:
        """Return the API reply that a message is a part of."""
        return self._replies[position]

    def find_places(self, position: int) -> list[Place]:
        """Return where an entry is, or was before it was merged."""
        known = self._places.get(position)
        if known is not None:
            return known
        number = self.conversation.members[position]
        which, index = self.origin.sheet_of(number)
        own = None if position in self.skeleton.native else self.skeleton.ids[position] or None
        return [[self.name, self.origin.sheets[which].path, index, own]]

    def entries_at(self, positions: Sequence[int]) -> Iterator[Entry]:
        """Yield entries in the given order, without their embedded data."""
        for start in range(0, len(positions), BATCH_SIZE):
            asked = positions[start : start + BATCH_SIZE]
            ordered = sorted(set(asked))
            found = load_records(self.origin, self.conversation, ordered)
            entries = dict(zip(ordered, (each.entry for each in found), strict=True))
            yield from (entries[position] for position in asked)

    @cached_property
    def rank(self) -> tuple[int, int, bytes]:
        """The sort key of conversations: newest message, number of messages, content."""
        times = [time for time in self.skeleton.times if time != NO_TIME]
        said = blake2b(self._sums, digest_size=SIZE)
        for name in self.skeleton.ids:
            said.update(name.encode("utf-8", "surrogatepass") + b"\0")
        return max(times, default=NO_TIME), len(self.skeleton), said.digest()


def parse_places(record: Record) -> list[Place]:
    """Return the places that a line of a merged file names."""
    found = record.value.get(PLACES) if isinstance(record.value, dict) else None
    if not isinstance(found, list):
        return []
    return [each for each in found if isinstance(each, list) and len(each) == 4]


def collect_conversations(documents: Sequence[Document]) -> list[MergeConversation]:
    """Return all conversations, in an order that does not depend on the input order."""
    found = [
        MergeConversation(conversation, document, number, part=part)
        for number, (document, part) in enumerate(_iter_sources(documents))
        for conversation in document.conversations
        if conversation.record_count
    ]
    return sorted(found, key=lambda talk: (*talk.rank, talk.name, talk.conversation.id))


def _iter_sources(documents: Sequence[Document]) -> Iterator[tuple[Document, bool]]:
    """Yield the documents; conversations that embed their source count as parts of it."""
    for document in map(reread_with_edits, documents):
        taken: set[int] = set()
        for index in index_embedded_sources(document):
            try:
                back = find_restoration(document, index)
                found = None if back is None else restore_document(back, LossReport())
            except (DamagedRecord, WouldLose):
                continue
            if found is None:
                continue
            yield found, True
            taken.update(index.conversations)
        rest = [each for number, each in enumerate(document.conversations) if number not in taken]
        if rest or not taken:
            yield document.with_these(rest), False
