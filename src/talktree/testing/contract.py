"""The laws of a format. Each function checks one law on one case and raises AssertionError.

Authors of a format call these with their own samples; random cases come from `strategies`. Nothing
here knows a particular format.
"""

from __future__ import annotations

from collections.abc import Mapping

from talktree.errors import TalktreeError, UsageError
from talktree.files import Source
from talktree.formats.detect import rank_formats
from talktree.formats.engine import DocumentOrigin, read_document, write_document
from talktree.formats.format import Format, Record
from talktree.formats.nested_file import PieceSheet
from talktree.formats.record_file import Item, Sheet
from talktree.model import edit
from talktree.model.conversation import Conversation
from talktree.model.document import Document
from talktree.model.entries import Entry
from talktree.model.message import Message
from talktree.model.parts import Text
from talktree.text.json.value import is_same
from talktree.text.positions import Positions

Files = Mapping[str, bytes]


def make_source(files: Files, *, folder: bool, name: str = "folder") -> Source:
    """Return a source made from bytes in memory."""
    if folder:
        return Source.of_files(files, name=name)
    ((name, data),) = files.items()
    return Source.of_bytes(data, name=name)


def write_files(document: Document) -> dict[str, bytes]:
    """Return the files of a document as they are written to disk."""
    return {path: b"".join(pieces) for path, pieces in write_document(document).items()}


def check_unchanged_document_writes_identical_bytes(format: Format, source: Source) -> None:
    """Check that join after split is the identity, by copying and by writing records."""
    document = read_document(source, format)
    assert write_files(document) == source.as_bytes()
    origin = document.origin
    assert isinstance(origin, DocumentOrigin)
    for sheet in origin.sheets:
        joined = b"".join(sheet.rewrite(_make_same_items(sheet)))
        assert joined == sheet.content.read(), (
            f"{sheet.path}: joining its records gives other bytes"
        )


def _make_same_items(sheet: Sheet) -> list[Item]:
    depths = [piece.depth for piece in sheet.pieces] if isinstance(sheet, PieceSheet) else []
    return [Item(index, depth=depths[index] if depths else 0) for index in range(len(sheet))]


def check_record_positions(format: Format, source: Source) -> None:
    """Check that each byte of each record is where the record file says, by offset and by line."""
    origin = read_document(source, format).origin
    assert isinstance(origin, DocumentOrigin)
    for sheet in origin.sheets:
        whole = sheet.content.read()
        places = Positions(whole)
        for index in range(len(sheet)):
            raw = sheet.record(index).raw
            offsets = [sheet.offset_of(index, at) for at in range(len(raw))]
            assert bytes(whole[each] for each in offsets) == raw, f"{sheet.path}: record {index}"
            for at in (0, len(raw) // 2):
                there = places.line_and_column(sheet.offset_of(index, at))
                assert sheet.position_of(index, at) == there, f"{sheet.path}: record {index}"


def check_put_get(format: Format, source: Source) -> None:
    """Check put(get(r), r) = r for every record that could be read."""
    for record in _list_records(read_document(source, format)):
        if record.usable:
            again = format.put(format.get(record), record)
            assert is_same(again, record.value), f"{again!r} is not {record.value!r}"


def check_get_put(format: Format, entry: Entry, base: Record) -> None:
    """Check get(put(e, r)) = e."""
    value = format.put(entry, base)
    seen = format.get(Record(value, id=base.id, parent=base.parent, path=base.path))
    assert seen == entry, f"{seen!r} is not {entry!r}"


def check_new_entry_reads_back(format: Format, entry: Entry) -> None:
    """Check get(put(e, nothing)) = e, once e has what the format requires."""
    whole = format.complete(entry)
    assert format.complete(whole) == whole, "completing twice differs from completing once"
    parent = whole.parent if isinstance(whole, Message) else None
    seen = format.get(Record(format.put(whole, None), id=whole.id, parent=parent))
    assert seen == whole, f"{seen!r} is not {whole!r}"


def check_edit_changes_one_record(format: Format, source: Source, *, text: str) -> None:
    """Check that an edited message changes its record, reads back, and leaves all else."""
    document = read_document(source, format)
    for conversation in document.conversations:
        said = [each for each in conversation.messages() if _has_words(each)]
        for message in said[:20]:
            changed = edit.set_text(conversation, message.id, text)
            files = write_files(document.with_conversation(changed))
            again = read_document(
                make_source(files, folder=source.folder, name=source.name), format
            )
            twin = again.find(conversation.id)
            assert _list_texts(twin) == _list_texts(changed)
            _check_one_record_differs(document, again)


def _has_words(message: Message) -> bool:
    return any(isinstance(part, Text) for part in message.parts)


def _list_texts(conversation: Conversation) -> list[tuple[str, str]]:
    return [(each.id, each.text) for each in conversation.messages()]


def _check_one_record_differs(before: Document, after: Document) -> None:
    old, new = list(_list_records(before)), list(_list_records(after))
    assert len(old) == len(new)
    differing = [one for one, two in zip(old, new, strict=True) if one.raw != two.raw]
    assert len(differing) <= 1, f"{len(differing)} records changed instead of one"


def check_appended_entry(format: Format, source: Source, entry: Message) -> None:
    """Check that a new message in an existing source is there when the source is read again.

    A file that is one message cannot hold another: then there must be a clear error instead.
    """
    document = read_document(source, format)
    conversation = document.conversations[0]
    whole = format.complete(entry)
    assert isinstance(whole, Message)
    longer = document.with_conversation(edit.append(conversation, whole))
    try:
        files = write_files(longer)
    except UsageError:
        if format.file_per_record and not source.folder:
            return
        raise
    twin = make_source(files, folder=source.folder, name=source.name)
    again = read_document(twin, format).find(conversation.id)
    assert len(list(again.messages())) == len(list(conversation.messages())) + 1
    named = format.can.ids != "none"
    found = (_is_alike(each, whole, named=named) for each in again.messages())
    assert any(found), f"{whole!r} was not read back"


def _is_alike(one: Message, two: Message, *, named: bool) -> bool:
    """Whether two messages are equal; ids count if the format has a place for them."""
    return (one.role, one.parts, one.time_ns) == (two.role, two.parts, two.time_ns) and (
        one.id == two.id or not named
    )


def check_detection(format: Format, source: Source) -> None:
    """Check that the surest guess is this format, with a reason."""
    found = rank_formats(source)
    assert found, "not recognised at all"
    assert found[0].format.info.slug == format.info.slug, f"taken for {found[0].format.info.slug}"
    assert found[0].reason


def check_any_bytes(format: Format, source: Source) -> None:
    """Check that reading any bytes gives a document that writes the same bytes, or an error."""
    try:
        document = read_document(source, format)
    except TalktreeError:
        return
    for conversation in document.conversations:
        for _ in conversation.entries:
            pass
        conversation.branches()
        conversation.path()
    assert isinstance(document.findings, list)
    assert write_files(document) == source.as_bytes()


def _list_records(document: Document) -> list[Record]:
    origin = document.origin
    assert isinstance(origin, DocumentOrigin)
    return [
        origin.record(number, *conversation.names(position))
        for conversation in document.conversations
        for position, number in enumerate(conversation.members)
    ]
