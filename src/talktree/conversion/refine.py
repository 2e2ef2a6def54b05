"""Messages of a converted document, refined with the source they were converted from.

What a file shows is authoritative: its conversations, their order and their links are those of the
file. If a record embeds the record of its source and was not edited since, the message is taken
from there, with all that the format in between has no place for.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from msgspec.structs import replace

from talktree.conversion.about import build_conversation_info
from talktree.conversion.embed_read import EmbeddedIndex, index_embedded_sources
from talktree.conversion.losses import Loss, LossReport
from talktree.conversion.restore import Restoration
from talktree.errors import TalktreeError
from talktree.formats.engine import DocumentOrigin
from talktree.formats.format import ConversationInfo, Format
from talktree.model.conversation import Conversation
from talktree.model.document import Document
from talktree.model.message import Message
from talktree.model.skeleton import ROOT

Where = tuple[Conversation, int]
"""A conversation of the source and a position in it."""


class Refinement:
    """The messages of one conversation that its source holds more of."""

    def __init__(
        self, conversation: Conversation, back: Restoration, found: Mapping[int, Where]
    ) -> None:
        self.back = back
        self.format: Format = back.format
        self._conversation = conversation
        self.where = found
        self.names = _find_names(conversation, found)

    def find_messages(self, positions: Iterable[int]) -> dict[int, Message]:
        """Return the messages at those positions that the source has data for."""
        asked: dict[str, list[int]] = {}
        for position in positions:
            if position in self.where:
                asked.setdefault(self.where[position][0].id, []).append(position)
        out: dict[int, Message] = {}
        for mine in asked.values():
            source = self.where[mine[0]][0]
            found = self._read_messages(source, {self.where[position][1] for position in mine})
            out |= {position: found[self.where[position][1]] for position in mine}
        return out

    def _read_messages(self, source: Conversation, places: Collection[int]) -> dict[int, Message]:
        """Return messages of the source, without what their records embed in turn."""
        origin, ordered = self.back.base.origin, sorted(places)
        assert isinstance(origin, DocumentOrigin)
        numbers = [source.members[place] for place in ordered]
        found: dict[int, Message] = {}
        records = origin.records(numbers, map(source.names, ordered))
        for place, record in zip(ordered, records, strict=True):
            record.value = self.format.take_carry(record.value)[1]
            message = self.format.get(record)
            assert isinstance(message, Message)
            found[place] = message
        return found

    def relocate_message(self, position: int, message: Message, shown: Message) -> Message:
        """Return a message of the source with the name and place it has in the conversation."""
        above = self._conversation.tree.skeleton.parents[position]
        parent = shown.parent if above == ROOT else self.find_name(above)
        return replace(message, id=self.find_name(position), parent=parent)

    def find_name(self, position: int) -> str:
        """Return the name of a message: the one in the source, if it is unique."""
        return self.names.get(position) or self._conversation.skeleton.ids[position]

    def complete_info(self, about: ConversationInfo, target: Format) -> ConversationInfo:
        """Return what is known of the conversation, with what only its source knows."""
        if not self.where:
            return about
        source = build_conversation_info(next(iter(self.where.values()))[0], target)
        return replace(
            about,
            title=about.title or source.title,
            context=about.context or source.context,
            model=about.model or source.model,
        )


def _find_names(conversation: Conversation, found: Mapping[int, Where]) -> dict[int, str]:
    """Return the names of messages in the source that are unique here."""
    names = {position: source.skeleton.ids[at] for position, (source, at) in found.items()}
    others = {id for position, id in enumerate(conversation.skeleton.ids) if position not in names}
    counts: dict[str, int] = {}
    for name in names.values():
        counts[name] = counts.get(name, 0) + 1
    return {
        position: name
        for position, name in names.items()
        if counts[name] == 1 and name not in others
    }


class EmbeddedSources:
    """What the records of a document embed of earlier sources."""

    def __init__(self, document: Document, loss_report: LossReport) -> None:
        self.refined: dict[str, Refinement] = {}
        """By the id of the conversation."""
        self.via: dict[str, Sequence[str]] = {}
        """The formats that the records of a conversation embed data of."""
        for index in index_embedded_sources(document):
            self._add_source(document, index, loss_report)

    def _add_source(
        self, document: Document, index: EmbeddedIndex, loss_report: LossReport
    ) -> None:
        ids = [document.conversations[number].id for number in index.conversations]
        try:
            back = Restoration(document, index)
            numbers, base = back.find_numbers(), back.base
        except TalktreeError as error:
            loss_report.add([Loss("embedded", id, str(error), "carried") for id in ids])
            return
        self.via |= {id: [index.format, *index.via] for id in ids}
        where = {
            number: (conversation, position)
            for conversation in base.conversations
            for position, number in enumerate(conversation.members)
            if conversation.skeleton.traits[position]
        }
        found: dict[int, dict[int, Where]] = {number: {} for number in index.conversations}
        changed = index.touched | index.doubtful
        for at, place in index.places.items():
            there = where.get(numbers.get(at, -1))
            if there is not None and place.unattached < 0 and at not in changed:
                found[place.conversation][place.position] = there
        for number, places in found.items():
            conversation = document.conversations[number]
            traits = conversation.skeleton.traits
            spoken = {position: there for position, there in places.items() if traits[position]}
            self.refined[conversation.id] = Refinement(conversation, back, spoken)
