"""Reverting a migration: files as they were before, with later edits in them."""

from __future__ import annotations

from msgspec.structs import replace

from talktree.conversion import part_map
from talktree.conversion.embed_read import (
    At,
    EmbeddedIndex,
    has_embedded_data,
    index_embedded_sources,
)
from talktree.conversion.losses import LossReport
from talktree.conversion.map_entries import EntryMapper
from talktree.conversion.migrate_files import (
    find_files_without_records,
    make_mapper,
    make_twin_format,
)
from talktree.conversion.options import ConversionResult
from talktree.conversion.restore import Restoration
from talktree.conversion.restore_edits import Edits, transplant_changes
from talktree.errors import UsageError
from talktree.files import Source
from talktree.formats.engine import DocumentOrigin, read_document, write_document
from talktree.formats.migration import Renewal
from talktree.model.conversation import Conversation
from talktree.model.document import Document
from talktree.model.entries import Entry, Head
from talktree.model.message import Message
from talktree.text.json.value import is_equal


def read_embedded_source(source: Source, renewal: Renewal) -> Document | None:
    """Return a migrated source with its old form available, or None if it has none."""
    document = read_document(source, make_twin_format(renewal.format, renewal))
    return document if has_embedded_data(document) else None


def restore_source(
    document: Document, renewal: Renewal, loss_report: LossReport
) -> ConversionResult:
    """Return the old files; the document is one that `read_embedded_source` returned."""
    back = find_migration_source(document, renewal)
    beside = {path: content.blocks() for path, content in back.beside.items()}
    files = write_document(back.source_document(loss_report)) if back.is_edited else back.files
    return ConversionResult({**beside, **files}, folder=back.folder, loss_report=loss_report)


def find_migration_source(document: Document, renewal: Renewal) -> MigrationSource:
    """Return the source that a migrated document keeps."""
    slug = renewal.format.info.slug
    found = [index for index in index_embedded_sources(document) if index.format == slug]
    if len(found) != 1:
        raise UsageError(
            f"{document.shown}: it keeps {len(found)} older sources, not one",
            hint="take each back alone",
        )
    return MigrationSource(document, found[0], renewal)


class MigrationSource(Restoration):
    """One source, as a migrated document keeps it."""

    def __init__(self, document: Document, index: EmbeddedIndex, renewal: Renewal) -> None:
        super().__init__(document, index)
        self.renewal = renewal
        origin = document.origin
        assert isinstance(origin, DocumentOrigin)
        self.beside = (
            find_files_without_records(origin) if self.folder and origin.source.folder else {}
        )
        """Files of the folder that are not part of a conversation."""

    def _read_source(self, source: Source) -> Document:
        whole = Source(source.name, {**self.beside, **source.files}, folder=self.folder)
        return read_document(whole, self.renewal.make_reader(whole))

    def source_document(self, loss_report: LossReport) -> Document:
        """Return the source as it was before it was migrated, with the edits made since."""
        return _Changes(self, loss_report).apply() if self.is_edited else self.base


class _Changes(Edits):
    """Edits made since the migration, applied to the source as it was before."""

    def __init__(self, back: MigrationSource, loss_report: LossReport) -> None:
        super().__init__(back, loss_report)
        self._renewal = back.renewal

    def _make_mapper(self, conversation: Conversation) -> EntryMapper:
        if conversation.id not in self._crossings:
            self._crossings[conversation.id] = make_mapper(
                conversation, self._origin, self._renewal, carry=False
            )
        return self._crossings[conversation.id]

    def _touch(self, at: At) -> None:
        place = self._index.places[at]
        found = self._load_record(place.conversation, place.position)
        there = self._find_place(at)
        if there is None:
            self._report_loss(found.entry.id, "its place in the older file was not found")
            return
        here, position = there
        old, now = here.entry(position), found.entry
        record = self._origin.record(here.members[position], *here.names(position))
        held = self._make_mapper(here).convert_record(position, record)
        new = old
        if isinstance(old, Message) and isinstance(now, Message):
            assert isinstance(held.seen, Message)
            assert found.carry is not None
            # It is the same format, so everything in it had a place before.
            seams = part_map.parse_seams(found.carry.seams, len(now.parts))
            new = transplant_changes(old, (held.seen, held.seams), (now, seams), extra=True)
            new = self._update_parent(here, new, held.seen, now, place.conversation)
        elif isinstance(old, Head) and isinstance(now, Head):
            new = _update_head(old, held.seen, now)
        if not is_equal(new, old):
            self._changed.setdefault(here.id, {})[here.members[position]] = new


def _update_head(old: Head, was: Entry, now: Head) -> Head:
    """Return a head with its new title; its times follow its messages."""
    title = now.title
    return old if getattr(was, "title", None) == title else replace(old, title=title)
