"""The way back: files as they were before they were migrated, with later edits in them."""

from __future__ import annotations

from msgspec.structs import replace

from talktree.conversion import part_map as seaming
from talktree.conversion.embed_read import At, Index, carries, indexed
from talktree.conversion.losses import Ledger
from talktree.conversion.map_entries import Crossing
from talktree.conversion.migrate_files import crossing_of, twin_of, without_records
from talktree.conversion.options import Made
from talktree.conversion.restore import Restoration
from talktree.conversion.restore_edits import Edits, transplanted
from talktree.errors import UsageError
from talktree.files import Source
from talktree.formats.engine import Origin, read, write
from talktree.formats.migration import Renewal
from talktree.model.conversation import Conversation
from talktree.model.document import Document
from talktree.model.entries import Entry, Head
from talktree.model.message import Message
from talktree.text.json.value import equal


def kept_by(source: Source, renewal: Renewal) -> Document | None:
    """A migrated source, read so that what it keeps is seen; None if it keeps nothing."""
    document = read(source, twin_of(renewal.format, renewal))
    return document if carries(document) else None


def returned(document: Document, renewal: Renewal, ledger: Ledger) -> Made:
    """The files as they were; the document is one that `kept_by` gave."""
    back = way_back(document, renewal)
    beside = {path: content.blocks() for path, content in back.beside.items()}
    files = write(back.source_document(ledger)) if back.edited else back.files
    return Made({**beside, **files}, folder=back.folder, ledger=ledger)


def way_back(document: Document, renewal: Renewal) -> Return:
    """The source that a migrated document keeps."""
    slug = renewal.format.info.slug
    found = [index for index in indexed(document) if index.format == slug]
    if len(found) != 1:
        raise UsageError(
            f"{document.shown}: it keeps {len(found)} older sources, not one",
            hint="take each back alone",
        )
    return Return(document, found[0], renewal)


class Return(Restoration):
    """One source, as a migrated document keeps it."""

    def __init__(self, document: Document, index: Index, renewal: Renewal) -> None:
        super().__init__(document, index)
        self.renewal = renewal
        origin = document.origin
        assert isinstance(origin, Origin)
        self.beside = without_records(origin) if self.folder and origin.source.folder else {}
        """Files of the folder that are no part of a conversation."""

    def _read_source(self, source: Source) -> Document:
        whole = Source(source.name, {**self.beside, **source.files}, folder=self.folder)
        return read(whole, self.renewal.reader(whole))

    def source_document(self, ledger: Ledger) -> Document:
        """The source as it was before it was migrated, with the edits made since."""
        return _Changes(self, ledger).applied() if self.edited else self.base


class _Changes(Edits):
    """Edits made since the migration, applied to the source as it was before."""

    def __init__(self, back: Return, ledger: Ledger) -> None:
        super().__init__(back, ledger)
        self._renewal = back.renewal

    def _crossing(self, conversation: Conversation) -> Crossing:
        if conversation.id not in self._crossings:
            self._crossings[conversation.id] = crossing_of(
                conversation, self._origin, self._renewal, carry=False
            )
        return self._crossings[conversation.id]

    def _touch(self, at: At) -> None:
        place = self._index.places[at]
        found = self._load(place.conversation, place.position)
        there = self._place(at)
        if there is None:
            self._lose(found.entry.id, "its place in the older file was not found")
            return
        here, position = there
        old, now = here.entry(position), found.entry
        record = self._origin.record(here.members[position], *here.names(position))
        held = self._crossing(here).held_record(position, record)
        new = old
        if isinstance(old, Message) and isinstance(now, Message):
            assert isinstance(held.seen, Message)
            assert found.carry is not None
            # It is the same format, so whatever it holds now had a place before.
            seams = seaming.read(found.carry.seams, len(now.parts))
            new = transplanted(old, (held.seen, held.seams), (now, seams), extra=True)
            new = self._moved(here, new, held.seen, now, place.conversation)
        elif isinstance(old, Head) and isinstance(now, Head):
            new = _retold(old, held.seen, now)
        if not equal(new, old):
            self._changed.setdefault(here.id, {})[here.members[position]] = new


def _retold(old: Head, was: Entry, now: Head) -> Head:
    """A head with the title it was given since; its times follow its messages."""
    title = now.title
    return old if getattr(was, "title", None) == title else replace(old, title=title)
