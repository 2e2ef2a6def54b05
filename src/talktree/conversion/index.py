"""What a document carries: which of its records stand for which records of the source."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from talktree.conversion.carry import Carry, File, checksum, from_json
from talktree.conversion.carry import Origin as SourceNote
from talktree.formats.base import Record
from talktree.formats.engine import Origin
from talktree.model.conversation import Conversation
from talktree.model.document import Document
from talktree.model.entries import Entry
from talktree.model.message import Message

LOOKED_AT = 20
"""So many records tell whether a document carries anything."""
At = tuple[int, int]
"""A file of the source and a place in it."""


class Place(NamedTuple):
    """Where in the document a record of the source is kept."""

    conversation: int
    position: int
    rider: int = -1
    """Which of the records that ride along it is; -1 for the one the entry itself stands for."""


class Loaded(NamedTuple):
    """A record of the document with what it carries."""

    entry: Entry
    carry: Carry | None

    @property
    def touched(self) -> bool:
        """Whether somebody changed it since it was written."""
        return self.carry is not None and checksum(self.entry) != self.carry.sum


class Index:
    """The records of one source, found in a document."""

    def __init__(self, format: str) -> None:
        self.format = format
        self.name: str | None = None
        self.folder = False
        self.files: dict[str, object] = {}
        """Files without records."""
        self.sheets: dict[int, File] = {}
        self.places: dict[At, Place] = {}
        self.touched: set[At] = set()
        self.fresh: list[tuple[int, int]] = []
        """Conversations and positions of messages that carry nothing: they were added."""
        self.doubled: list[At] = []
        """Records that were changed in two ways."""

    def add(self, number: int, position: int, loaded: Loaded) -> None:
        """Take what one record carries."""
        carry = loaded.carry
        assert carry is not None
        if carry.origin is not None:
            self._note(carry.origin)
        own = [] if carry.kept is None else [(-1, carry.kept)]
        for rider, kept in (*own, *enumerate(carry.riders)):
            if rider >= 0:
                # A branch that is written in full counts more than one that only rides along.
                self.places.setdefault(kept.place, Place(number, position, rider))
                continue
            self._place(kept.place, Place(number, position), touched=loaded.touched)

    def take(self, other: Index) -> None:
        """Join with what another conversation of the same source carries."""
        self.name = self.name or other.name
        self.folder = self.folder or other.folder
        self.files.update(other.files)
        self.sheets.update(other.sheets)
        self.fresh += other.fresh
        self.doubled += other.doubled
        for at, place in other.places.items():
            if place.rider >= 0:
                self.places.setdefault(at, place)
            else:
                self._place(at, place, touched=at in other.touched)

    def _place(self, at: At, place: Place, *, touched: bool) -> None:
        there = self.places.get(at)
        if there is None or there.rider >= 0 or (touched and at not in self.touched):
            self.places[at] = place
        elif touched:
            self.doubled.append(at)
        if touched:
            self.touched.add(at)

    def _note(self, note: SourceNote) -> None:
        self.name = self.name or note.name
        self.folder = self.folder or note.folder
        self.sheets.update({file.number: file for file in note.sheets})
        self.files.update(note.files)


def loaded(origin: Origin, record: Record) -> Loaded:
    """A record with what it carries taken out of it."""
    carried, value = origin.format.take_carry(record.value)
    carry = from_json(carried)
    if carry is None:
        return Loaded(origin.format.get(record), None)
    record.value = value
    return Loaded(origin.format.get(record), carry)


def records(
    origin: Origin, conversation: Conversation, positions: Sequence[int]
) -> Iterator[Loaded]:
    """Records of a conversation with what they carry."""
    return (loaded(origin, record) for record in _records(origin, conversation, positions))


def _records(
    origin: Origin, conversation: Conversation, positions: Sequence[int]
) -> Iterator[Record]:
    numbers = [conversation.members[position] for position in positions]
    return origin.records(numbers, map(conversation.names, positions))


def carries(document: Document) -> bool:
    """Whether the first messages of a document carry anything."""
    origin = document.origin
    assert isinstance(origin, Origin)
    take_carry = origin.format.take_carry
    for conversation in document.conversations:
        first = range(min(len(conversation), LOOKED_AT))
        for record in _records(origin, conversation, first):
            if from_json(take_carry(record.value)[0]) is not None:
                return True
    return False


def indexed(document: Document) -> list[Index]:
    """The sources a document stands for, each with its records."""
    origin = document.origin
    assert isinstance(origin, Origin)
    found: list[Index] = []
    for number, conversation in enumerate(document.conversations):
        mine: dict[str, Index] = {}
        fresh: list[int] = []
        for position, each in enumerate(records(origin, conversation, range(len(conversation)))):
            if each.carry is not None:
                index = mine.setdefault(each.carry.format, Index(each.carry.format))
                index.add(number, position, each)
            elif isinstance(each.entry, Message):
                fresh.append(position)
        if mine:
            next(iter(mine.values())).fresh += [(number, position) for position in fresh]
        for index in mine.values():
            _join(index, found)
    return found


def _join(index: Index, found: list[Index]) -> None:
    """Add an index to those that are there; conversations of one source belong together."""
    for other in found:
        same_name = index.name is None or other.name in (None, index.name)
        if other.format == index.format and same_name:
            other.take(index)
            return
    found.append(index)
