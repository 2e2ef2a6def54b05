"""The conversations to be merged, each as its skeleton and a checksum of every entry."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from hashlib import blake2b

from talktree.convert.index import carries, indexed, loaded, records
from talktree.convert.merge_digest import Digest, digest
from talktree.convert.migrate_source import as_written
from talktree.convert.restore import Restoration
from talktree.errors import Damaged, WouldLose
from talktree.formats.base import Record
from talktree.formats.engine import Origin
from talktree.model.conversation import STRETCH, Conversation
from talktree.model.document import Document
from talktree.model.entries import Entry
from talktree.model.message import Message
from talktree.model.skeleton import NO_TIME, ROOT, Skeleton
from talktree.text.json_value import Json

PLACES = "x-talktree-places"
"""The member of a merged line that names every place the entry was found in."""
Place = list[Json]
"""Source, file, the number of the record in it, and the id it has there or null."""


class Talk:
    """One conversation of one source."""

    def __init__(self, conversation: Conversation, document: Document, *, part: bool) -> None:
        origin = document.origin
        assert isinstance(origin, Origin)
        self.conversation = conversation
        self.origin = origin
        self.name = document.name
        self.part_of = (document.format, document.name, conversation.id) if part else None
        """The conversation it is a part of, if it was written as one."""
        self.bones: Skeleton = conversation.tree.bones
        self.digests: list[Digest | None] = []
        """Of each entry; None for one that only carries something."""
        self.missing: dict[int, str] = {}
        """Positions whose parent is not here, with its name."""
        self._places: dict[int, list[Place]] = {}
        """Where entries of a merged file were found before."""
        names = map(conversation.names, range(len(conversation)))
        for position, record in enumerate(origin.records(conversation.members, names)):
            self._look_at(position, record)

    def _look_at(self, position: int, record: Record) -> None:
        entry, carry = loaded(self.origin, record)
        if carry is not None and carry.kept is None and not isinstance(entry, Message):
            self.digests.append(None)
            return
        self.digests.append(digest(entry))
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
        said = blake2b(digest_size=16)
        for each, name in zip(self.digests, self.bones.ids, strict=True):
            if each is not None:
                said.update(each.whole + name.encode("utf-8", "surrogatepass") + b"\0")
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
        Talk(conversation, document, part=part)
        for document, part in _sources(documents)
        for conversation in document.conversations
        if len(conversation)
    ]
    return sorted(found, key=lambda talk: (*talk.rank, talk.name, talk.conversation.id))


def _sources(documents: Sequence[Document]) -> Iterator[tuple[Document, bool]]:
    """The documents; one that carries what it was made from counts as that, or as a part of it."""
    for document in map(as_written, documents):
        back: list[Document] = []
        if carries(document):
            try:
                back = [Restoration(document, each).source_document() for each in indexed(document)]
            except (Damaged, WouldLose):
                back = []
        yield from ((each, True) for each in back)
        if not back:
            yield document, False
