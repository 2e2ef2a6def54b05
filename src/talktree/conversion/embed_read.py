"""Finding embedded source data in a document, and the source it belongs to.

A conversation belongs to at most one source: the one that most of its records embed. Every other
record counts as it is shown. Two copies of a converted file are two sources.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from talktree.conversion.digests import DigestLog, find_visible_positions, is_placeholder
from talktree.conversion.embed import EmbeddedData, EmbeddedFile, checksum, from_json, is_intact
from talktree.conversion.embed import EmbeddedOrigin as SourceNote
from talktree.files import Content
from talktree.formats.engine import DocumentOrigin
from talktree.formats.format import CARRY, Record
from talktree.model.conversation import Conversation
from talktree.model.document import Document
from talktree.model.entries import Entry
from talktree.model.message import Message

At = tuple[int, int]
"""A file of the source and a place in it."""
SourceKey = tuple[str, str]
"""The format and the identity of a source."""
CARRY_NAME = CARRY.encode()


class EmbeddedPlace(NamedTuple):
    """Where in the document a record of the source is embedded."""

    conversation: int
    position: int
    unattached: int = -1
    """Its index among the unattached records; -1 if the entry itself represents it."""


class LoadedRecord(NamedTuple):
    """A record of the document with its embedded data."""

    entry: Entry
    carry: EmbeddedData | None
    intact: bool = True
    """Whether its embedded data is as it was written."""

    @property
    def is_edited(self) -> bool:
        """Whether it was changed since it was written."""
        return self.carry is not None and checksum(self.entry) != self.carry.sum


class EmbeddedIndex:
    """The records of one source, found in a document."""

    def __init__(self, format: str, src: str = "") -> None:
        self.format = format
        self.src = src
        self.name: str | None = None
        self.folder = False
        self.files: dict[str, object] = {}
        """Files without records."""
        self.via: list[str] = []
        """Formats that its records embed data of in turn."""
        self.sheets: dict[int, EmbeddedFile] = {}
        self.damaged_sheets: set[int] = set()
        """Files whose names and ends are known only from a changed record."""
        self.places: dict[At, EmbeddedPlace] = {}
        self.touched: set[At] = set()
        self.doubtful: set[At] = set()
        """Records whose embedded data was changed; it may still match what is shown."""
        self.silent: set[At] = set()
        """Records that the document shows as something other than a message."""
        self.fresh: list[tuple[int, int]] = []
        """Conversations and positions of messages that do not represent a record of the source."""
        self.others: list[tuple[int, int]] = []
        """The same for entries that are not messages."""
        self.parts: set[int] = set()
        """The conversations of the source's conversion that were found."""
        self.conversations: list[int] = []
        """The conversations of the document that belong to the source."""
        self.digests: dict[int, DigestLog] = {}
        """What each of them shows."""

    def can_restore_to(self, format: str) -> bool:
        """Whether restoring it, and what it embeds in turn, gives files of a format."""
        return format == self.format or format in self.via

    def add(self, number: int, position: int, loaded: LoadedRecord) -> bool:
        """Add a record's embedded data; False if it represents no record of the source."""
        carry = loaded.carry
        assert carry is not None
        if carry.kept is not None:
            there = self.places.get(carry.kept.place)
            if there is not None and there.unattached < 0:
                return False
            self.places[carry.kept.place] = EmbeddedPlace(number, position)
            if loaded.is_edited:
                self.touched.add(carry.kept.place)
            if not isinstance(loaded.entry, Message):
                self.silent.add(carry.kept.place)
            if not loaded.intact:
                self.doubtful.add(carry.kept.place)
        if carry.origin is not None:
            self._add_note(carry.origin, intact=loaded.intact)
        for unattached, kept in enumerate(carry.unattached):
            # A branch that is written in full takes precedence over one that is only embedded.
            self.places.setdefault(kept.place, EmbeddedPlace(number, position, unattached))
        self.parts.add(carry.part)
        # A message that represents no record was made for the target, unless its data was damaged.
        return carry.kept is not None or loaded.intact or not isinstance(loaded.entry, Message)

    def merge(self, other: EmbeddedIndex) -> None:
        """Merge with the index of another conversation of the same source."""
        self.name = self.name or other.name
        self.folder = self.folder or other.folder
        self.files.update(other.files)
        self._add_sheets(other.sheets, other.damaged_sheets)
        self.via += [each for each in other.via if each not in self.via]
        self.fresh += other.fresh
        self.others += other.others
        self.doubtful |= other.doubtful
        self.parts |= other.parts
        self.conversations += other.conversations
        self.digests |= other.digests
        for at, place in other.places.items():
            if place.unattached >= 0:
                self.places.setdefault(at, place)
            else:
                self._merge_place(at, place, touched=at in other.touched, silent=at in other.silent)

    def discard_records(self, places: Collection[At]) -> None:
        """Use records as they are shown, because their embedded data contradicts that."""
        for at in places:
            self._mark_as_shown(self.places.pop(at), silent=at in self.silent)
        self.touched -= set(places)
        self.silent -= set(places)
        self.fresh.sort()
        self.others.sort()

    def _mark_as_shown(self, place: EmbeddedPlace, *, silent: bool) -> None:
        """Use a record as the document shows it in its place."""
        (self.others if silent else self.fresh).append((place.conversation, place.position))

    def _merge_place(self, at: At, place: EmbeddedPlace, *, touched: bool, silent: bool) -> None:
        """Merge a place that separate branches may share; an edited one takes precedence."""
        there = self.places.get(at)
        if there is None or there.unattached >= 0 or (touched and at not in self.touched):
            self.places[at] = place
            self.silent.discard(at)
            self.silent.update([at] if silent else [])
        elif touched:
            self._mark_as_shown(place, silent=silent)
        if touched:
            self.touched.add(at)

    def _add_note(self, note: SourceNote, *, intact: bool) -> None:
        self.name = self.name or note.name
        self.folder = self.folder or note.folder
        self.via += [each for each in note.via if each not in self.via]
        sheets = {file.number: file for file in note.sheets}
        self._add_sheets(sheets, () if intact else sheets)
        self.files.update(note.files)

    def _add_sheets(self, sheets: Mapping[int, EmbeddedFile], damaged: Collection[int]) -> None:
        """Add what is known of files; an unchanged record takes precedence."""
        for number, file in sheets.items():
            if number not in damaged:
                self.damaged_sheets.discard(number)
            elif number in self.sheets:
                continue
            else:
                self.damaged_sheets.add(number)
            self.sheets[number] = file


def load_record(origin: DocumentOrigin, record: Record) -> LoadedRecord:
    """Return a record with its embedded data taken out."""
    carried, value = origin.format.take_carry(record.value)
    carry = from_json(carried)
    if carry is None:
        return LoadedRecord(origin.format.get(record), None)
    record.value = value
    return LoadedRecord(origin.format.get(record), carry, is_intact(carry))


def load_records(
    origin: DocumentOrigin, conversation: Conversation, positions: Sequence[int]
) -> Iterator[LoadedRecord]:
    """Yield records of a conversation with their embedded data."""
    return (
        load_record(origin, record) for record in _read_records(origin, conversation, positions)
    )


def _read_records(
    origin: DocumentOrigin, conversation: Conversation, positions: Sequence[int]
) -> Iterator[Record]:
    numbers = [conversation.members[position] for position in positions]
    return origin.records(numbers, map(conversation.names, positions))


def has_embedded_data(document: Document) -> bool:
    """Whether a record of a document embeds data of another format."""
    origin = document.origin
    assert isinstance(origin, DocumentOrigin)
    take_carry = origin.format.take_carry
    return any(
        from_json(take_carry(record.value)[0]) is not None
        for conversation in _find_candidates(document)
        for record in _read_records(origin, conversation, range(conversation.record_count))
    )


def _find_candidates(document: Document) -> Iterator[Conversation]:
    """Yield the conversations whose files contain the name of the member.

    Searching for it is much faster than decoding records, and few files have it.
    """
    origin = document.origin
    assert isinstance(origin, DocumentOrigin)
    known: dict[int, bool] = {}
    for conversation in document.conversations:
        sheets = {origin.sheet_of(number)[0] for number in conversation.members if number >= 0}
        for which in sheets - known.keys():
            known[which] = mentions_embedded_data(origin.sheets[which].content)
        if any(known[which] for which in sheets):
            yield conversation


def mentions_embedded_data(content: Content) -> bool:
    """Whether a file contains the name of the member, in any case: it may embed a source."""
    end = b""
    for block in content.blocks():
        if CARRY_NAME in (end + block).lower():
            return True
        end = block[-len(CARRY_NAME) :]
    return False


def index_embedded_sources(document: Document) -> list[EmbeddedIndex]:
    """Return the sources that a document embeds data of, each with its records."""
    found: list[EmbeddedIndex] = []
    wanted = {each.id: each for each in _find_candidates(document)}
    for number, conversation in enumerate(document.conversations):
        if conversation is wanted.get(conversation.id):
            index = _index_conversation(document, number)
            if index is not None:
                _add_index(index, found)
    return found


def _index_conversation(document: Document, number: int) -> EmbeddedIndex | None:
    """Return the source that most records of a conversation embed, or None."""
    origin, conversation = document.origin, document.conversations[number]
    assert isinstance(origin, DocumentOrigin)
    claims: dict[SourceKey, _Claim] = {}
    rest: list[tuple[int, bool]] = []
    digests, shown = DigestLog(), set(find_visible_positions(conversation))
    for position, each in enumerate(
        load_records(origin, conversation, range(conversation.record_count))
    ):
        entry = each.entry
        spoken = isinstance(entry, Message)
        if isinstance(entry, Message) and position in shown and not is_placeholder(entry):
            # The restored conversation is compared with these; here the messages are available.
            digests.add(position, entry)
        if each.carry is not None:
            key = each.carry.format, each.carry.src
            claim = claims.setdefault(key, _Claim(EmbeddedIndex(*key), []))
            if claim.source.add(number, position, each):
                claim.records.append((position, spoken))
                continue
        rest.append((position, spoken))
    if not claims:
        return None
    index, own = max(claims.values(), key=lambda claim: len(claim.source.places))
    rest += [
        each for claim in claims.values() if claim.records is not own for each in claim.records
    ]
    index.conversations.append(number)
    index.digests[number] = digests
    for position, spoken in sorted(rest):
        (index.fresh if spoken else index.others).append((number, position))
    return index


class _Claim(NamedTuple):
    """What the records of one conversation embed of one source."""

    source: EmbeddedIndex
    records: list[tuple[int, bool]]
    """Their positions, and whether they are messages."""


def _add_index(index: EmbeddedIndex, found: list[EmbeddedIndex]) -> None:
    """Add an index to those found; conversations of one source are merged."""
    for other in found:
        same = (other.format, other.src) == (index.format, index.src)
        if same and not other.parts & index.parts:
            other.merge(index)
            return
    found.append(index)
