"""Leaving out the files that a converted conversation embeds.

A converted conversation embeds the files that were next to it, some in base 64, which cannot be
redacted. An export is for other people, so they are left out.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence

from talktree.conversion.convert import convert_conversations
from talktree.conversion.embed import EmbeddedData, from_json
from talktree.conversion.embed_read import mentions_embedded_data
from talktree.conversion.options import Options
from talktree.export.shared_files import SharedFiles, origin_of
from talktree.files import Source, park_pieces
from talktree.formats.engine import DocumentOrigin, read_document
from talktree.model.conversation import Conversation
from talktree.model.document import Document
from talktree.model.entries import Opaque


def without_embedded_files(document: Document) -> SharedFiles:
    """Return the document without embedded source data that contains files or base 64."""
    found = [
        each for conversation in _find_candidates(document) for each in _iter_embedded(conversation)
    ]
    carries = [carry for _, carry in found]
    if not any(map(_has_embedded_bytes, carries)):
        return SharedFiles(document)
    names = dict.fromkeys(path for each in carries if each.origin for path in each.origin.files)
    for conversation in document.conversations:
        document = document.with_conversation(_without_carriers(conversation))
    made = convert_conversations(document, document.format, Options(carry=False))
    files = {path: park_pieces(pieces) for path, pieces in made.files.items()}
    source = Source(document.name, files, folder=made.folder, shown=document.shown)
    return SharedFiles(read_document(source, origin_of(document).format), tuple(names))


def _find_candidates(document: Document) -> Sequence[Conversation]:
    sheets = origin_of(document).sheets
    return (
        document.conversations
        if any(mentions_embedded_data(each.content) for each in sheets)
        else ()
    )


def _iter_embedded(conversation: Conversation) -> Iterator[tuple[int, EmbeddedData]]:
    """Yield the source data embedded in records of a conversation, with their positions."""
    origin = conversation.store
    assert isinstance(origin, DocumentOrigin)
    names = map(conversation.names, range(conversation.record_count))
    for position, record in enumerate(origin.records(conversation.members, names)):
        carry = from_json(origin.format.take_carry(record.value)[0])
        if carry is not None:
            yield position, carry


def _without_carriers(conversation: Conversation) -> Conversation:
    """Return the conversation without records that contain only embedded source data."""
    gone = {
        position
        for position, _ in _iter_embedded(conversation)
        if isinstance(conversation.entry(position), Opaque)
    }
    members = (
        number for position, number in enumerate(conversation.members) if position not in gone
    )
    return conversation.with_entries(array("q", members), {}) if gone else conversation


def _has_embedded_bytes(carry: EmbeddedData) -> bool:
    """Whether embedded data contains what cannot be redacted, or should not be exported."""
    note = carry.origin
    templates: list[object] = []
    if note is not None:
        # Data that the source itself embeds is text in text.
        if note.files or note.via:
            return True
        templates += [end for each in note.sheets for end in (each.lead, each.trail)]
    for kept in (*carry.unattached, *([carry.kept] if carry.kept is not None else [])):
        templates += (kept.open, kept.end)
    return any(isinstance(each, dict) for each in templates)
