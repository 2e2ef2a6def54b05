"""Migration of files from older versions of a format to the current version, and back.

A migrated file keeps its old form in a member of its own, so `back` restores the old bytes, with
all later edits. For a conversion to another format that member is ordinary content.

An edited document is first read again from its own files, so that each record has its bytes.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from talktree.conversion.losses import Loss, LossReport
from talktree.conversion.migrate_back import (
    find_migration_source,
    read_embedded_source,
    restore_source,
)
from talktree.conversion.migrate_files import heads_of, migrate_files
from talktree.conversion.migrate_records import build_own_info
from talktree.conversion.options import ConversionResult, Options
from talktree.errors import DamagedRecord, UsageError, WouldLose
from talktree.files import Source, park_pieces
from talktree.formats import get_format
from talktree.formats.engine import DocumentOrigin, read_document, write_document
from talktree.formats.format import ConversationInfo, Record
from talktree.formats.migration import Reason, Renewal
from talktree.model.conversation import Conversation
from talktree.model.document import Document


def reread_with_edits(document: Document) -> Document:
    """Return the same document without edits that are only in memory."""
    origin = document.origin
    assert isinstance(origin, DocumentOrigin)
    if not any(conversation.changed for conversation in document.conversations):
        return document
    files = {path: park_pieces(pieces) for path, pieces in write_document(document).items()}
    source = Source(origin.source.name, files, folder=origin.source.folder)
    return read_document(source, origin.format)


NO_ID = "no id"


def needs_migration(document: Document) -> list[Reason]:
    """Return everything in a document that differs from the current version of its format."""
    renewal = get_format(document.format).renewal()
    return list(_find_reasons(_reread_document(document, renewal), renewal))


def migrate_document(
    document: Document, options: Options, loss_report: LossReport | None = None
) -> ConversionResult:
    """Return a document in the current version of its format."""
    loss_report = loss_report or LossReport()
    renewal = get_format(document.format).renewal()
    document = _reread_document(document, renewal)
    origin = document.origin
    assert isinstance(origin, DocumentOrigin)
    if not renewal.exists or not any(each.record_count for each in document.conversations):
        source = origin.source
        return ConversionResult(
            write_document(document),
            folder=source.folder,
            loss_report=loss_report,
            main=source.main,
        )
    kept = read_embedded_source(origin.source, renewal)
    if kept is not None:
        # It was migrated before, so it is restored with all edits and migrated again.
        try:
            document = find_migration_source(kept, renewal).source_document(loss_report)
            document = _reread_document(document, renewal)
        except (DamagedRecord, WouldLose, UsageError) as error:
            loss_report.add([Loss("edit", document.name, str(error), "carried")])
    return migrate_files(document, renewal, options, loss_report)


def revert_migration(document: Document, loss_report: LossReport | None = None) -> ConversionResult:
    """Return a migrated document as it was before, with the edits made since."""
    renewal = get_format(document.format).renewal()
    document = reread_with_edits(document)
    origin = document.origin
    assert isinstance(origin, DocumentOrigin)
    kept = read_embedded_source(origin.source, renewal)
    if kept is None:
        raise UsageError(
            f"{document.shown}: nothing is kept of an older version",
            hint="only what `talktree migrate` wrote without --clean leads back",
        )
    return restore_source(kept, renewal, loss_report or LossReport())


def _reread_document(document: Document, renewal: Renewal) -> Document:
    """Read the document's files with a reader that knows their version."""
    document = reread_with_edits(document)
    origin = document.origin
    assert isinstance(origin, DocumentOrigin)
    reader = renewal.make_reader(origin.source)
    return document if reader is origin.format else read_document(origin.source, reader)


# reasons


def _find_reasons(document: Document, renewal: Renewal) -> Iterator[Reason]:
    origin = document.origin
    assert isinstance(origin, DocumentOrigin)
    for sheet in origin.sheets:
        if len(sheet):
            yield from (Reason(what, "", sheet.path) for what in renewal.describe_old_sheet(sheet))
    folder = renewal.is_folder(origin.source, origin.sheets)
    for conversation in document.conversations:
        yield from _find_conversation_reasons(conversation, origin, renewal, folder=folder)


def _find_conversation_reasons(
    conversation: Conversation, origin: DocumentOrigin, renewal: Renewal, *, folder: bool
) -> Iterator[Reason]:
    skeleton = conversation.skeleton
    heads = heads_of(conversation)
    if not any(skeleton.traits) and not heads:
        return
    about = build_own_info(conversation, heads, renewal)
    positions = range(conversation.record_count)
    records = origin.records(conversation.members, map(conversation.names, positions))
    for position, record in zip(positions, records, strict=True):
        old = _find_record_reasons(record, renewal, about)
        if position in skeleton.native and renewal.all_named:
            old.append("its id stands twice" if skeleton.native[position] else NO_ID)
        yield from (Reason(what, record.id, record.path) for what in dict.fromkeys(old))
    if renewal.make_opening_entries(about, headed=bool(heads), folder=folder):
        yield Reason(renewal.headless, "", conversation.main_file)


def _find_record_reasons(record: Record, renewal: Renewal, about: ConversationInfo) -> list[str]:
    if not record.usable:
        return []
    record = replace(record, value=renewal.extract_source(record.value)[1])
    return list(renewal.describe_old_record(record, renewal.format.get(record), about))
