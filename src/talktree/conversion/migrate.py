"""Migration: files of older versions of a format as the current version has them, and back.

A migrated file keeps what it was in a member of its own, so `back` gives the old bytes again, with
whatever was edited since. Under another format's conversion that member is a member like any other.

An edited document as its own files would be read again, so that each record has its bytes.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from talktree.conversion.losses import Ledger, Loss
from talktree.conversion.migrate_back import kept_by, returned, way_back
from talktree.conversion.migrate_files import heads_of, renewed
from talktree.conversion.migrate_records import own_about
from talktree.conversion.options import Made, Options
from talktree.errors import Damaged, UsageError, WouldLose
from talktree.files import Source, parked
from talktree.formats import by_slug
from talktree.formats.engine import Origin, read, write
from talktree.formats.format import About, Record
from talktree.formats.migration import Reason, Renewal
from talktree.model.conversation import Conversation
from talktree.model.document import Document


def as_written(document: Document) -> Document:
    """The same document without edits that only memory knows."""
    origin = document.origin
    assert isinstance(origin, Origin)
    if not any(conversation.changed for conversation in document.conversations):
        return document
    files = {path: parked(pieces) for path, pieces in write(document).items()}
    source = Source(origin.source.name, files, folder=origin.source.folder)
    return read(source, origin.format)


NO_ID = "no id"


def needs_migration(document: Document) -> list[Reason]:
    """Everything in a document that is not as the current version of its format has it."""
    renewal = by_slug(document.format).renewal()
    return list(_reasons(_as_read(document, renewal), renewal))


def migrated(document: Document, options: Options, ledger: Ledger | None = None) -> Made:
    """A document in the current version of its format."""
    ledger = ledger or Ledger()
    renewal = by_slug(document.format).renewal()
    document = _as_read(document, renewal)
    origin = document.origin
    assert isinstance(origin, Origin)
    if not renewal.exists or not any(each.record_count for each in document.conversations):
        source = origin.source
        return Made(write(document), folder=source.folder, ledger=ledger, main=source.main)
    kept = kept_by(origin.source, renewal)
    if kept is not None:
        # Migrated before: from what it was then, with all edits since, there is but one way.
        try:
            document = way_back(kept, renewal).source_document(ledger)
            document = _as_read(document, renewal)
        except (Damaged, WouldLose, UsageError) as error:
            ledger.add([Loss("edit", document.name, str(error), "carried")])
    return renewed(document, renewal, options, ledger)


def unmigrated(document: Document, ledger: Ledger | None = None) -> Made:
    """A migrated document as it was before, with the edits that were made since."""
    renewal = by_slug(document.format).renewal()
    document = as_written(document)
    origin = document.origin
    assert isinstance(origin, Origin)
    kept = kept_by(origin.source, renewal)
    if kept is None:
        raise UsageError(
            f"{document.shown}: nothing is kept of an older version",
            hint="only what `talktree migrate` wrote without --clean leads back",
        )
    return returned(kept, renewal, ledger or Ledger())


def _as_read(document: Document, renewal: Renewal) -> Document:
    """The document as its files are read, by what knows their version."""
    document = as_written(document)
    origin = document.origin
    assert isinstance(origin, Origin)
    reader = renewal.reader(origin.source)
    return document if reader is origin.format else read(origin.source, reader)


# reasons


def _reasons(document: Document, renewal: Renewal) -> Iterator[Reason]:
    origin = document.origin
    assert isinstance(origin, Origin)
    for sheet in origin.sheets:
        if len(sheet):
            yield from (Reason(what, "", sheet.path) for what in renewal.of_sheet(sheet))
    folder = renewal.is_folder(origin.source, origin.sheets)
    for conversation in document.conversations:
        yield from _of_conversation(conversation, origin, renewal, folder=folder)


def _of_conversation(
    conversation: Conversation, origin: Origin, renewal: Renewal, *, folder: bool
) -> Iterator[Reason]:
    bones = conversation.skeleton
    heads = heads_of(conversation)
    if not any(bones.traits) and not heads:
        return
    about = own_about(conversation, heads, renewal)
    positions = range(conversation.record_count)
    records = origin.records(conversation.members, map(conversation.names, positions))
    for position, record in zip(positions, records, strict=True):
        old = _of_record(record, renewal, about)
        if position in bones.native and renewal.all_named:
            old.append("its id stands twice" if bones.native[position] else NO_ID)
        yield from (Reason(what, record.id, record.path) for what in dict.fromkeys(old))
    if renewal.opening(about, headed=bool(heads), folder=folder):
        yield Reason(renewal.headless, "", conversation.main_file)


def _of_record(record: Record, renewal: Renewal, about: About) -> list[str]:
    if not record.usable:
        return []
    record = replace(record, value=renewal.take(record.value)[1])
    return list(renewal.of_record(record, renewal.format.get(record), about))
