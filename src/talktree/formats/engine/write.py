"""Document to files: unchanged records are copied, changed entries are put back into theirs.

It also applies edits to a document, if its format can hold the result.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from talktree.errors import UsageError, WouldLose
from talktree.files import encode_as_stored
from talktree.formats import get_format
from talktree.formats.engine.order import order_records
from talktree.formats.engine.origin import DocumentOrigin
from talktree.formats.engine.write_files import write_apart
from talktree.formats.engine.write_item import make_item
from talktree.formats.format import Format
from talktree.formats.record_file import Item
from talktree.model.conversation import Conversation
from talktree.model.document import Document
from talktree.model.message import DELETED, Message
from talktree.model.operations import (
    AddArtifact,
    ChangeRole,
    DeleteMessage,
    Operation,
    ReplyTo,
    apply_operation,
)
from talktree.model.skeleton import ROOT

Homes = Mapping[int, str]
"""The files that new entries of a conversation are written to."""


def write_document(document: Document) -> Mapping[str, Iterable[bytes]]:
    """Return the files of a document, read and written as lazily as possible."""
    origin = document.origin
    assert isinstance(origin, DocumentOrigin)
    as_read = {conversation.id: conversation for conversation in origin.conversations}
    for conversation in document.conversations:
        before = as_read.get(conversation.id)
        if conversation is not before:
            document = document.with_conversation(origin.format.on_edit(conversation, before))
    if origin.format.file_per_record:
        return write_apart(document, origin)
    homes = [_choose_files(conversation, origin) for conversation in document.conversations]
    dirty = _find_dirty_files(document, origin, homes)
    items = _collect_items(document, origin, homes, dirty) if dirty else {}
    files: dict[str, Iterable[bytes]] = {}
    for path, content in origin.source.files.items():
        if path not in dirty:
            files[path] = content.blocks()
        else:
            sheet = origin.by_path[path]
            files[path] = encode_as_stored(sheet.content, sheet.rewrite(items[path]))
    for path in items:
        if path not in origin.by_path:
            files[path] = origin.format.blank_sheet(path).rewrite(items[path])
    return files


def find_changed_files(document: Document) -> set[str]:
    """Return files that `write_document` does not copy, in formats with records in a file."""
    origin = document.origin
    assert isinstance(origin, DocumentOrigin)
    return _find_dirty_files(
        document, origin, [_choose_files(each, origin) for each in document.conversations]
    )


def find_answered_files(document: Document) -> set[str]:
    """Return the files with messages that changed or that new messages follow."""
    origin = document.origin
    assert isinstance(origin, DocumentOrigin)
    found: set[str] = set()
    for each in document.conversations:
        parents, members = each.skeleton.parents, each.members
        for position, number in enumerate(members if each.changed else ()):
            above = parents[position] if number in each.changed else ROOT
            if above != ROOT and members[above] >= 0:
                found.add(origin.path_of(members[above]))
    return found


def _find_dirty_files(
    document: Document, origin: DocumentOrigin, homes: Iterable[Homes]
) -> set[str]:
    """Return the files in which a record was changed, added or removed."""
    kept = bytearray(origin.count)
    dirty: set[str] = set()
    for conversation, new in zip(document.conversations, homes, strict=True):
        for number in conversation.members:
            if number >= 0:
                kept[number] = 1
        dirty.update(new.values())
        dirty.update(origin.path_of(number) for number in conversation.changed if number >= 0)
    if not all(kept):
        gone = (number for number, still in enumerate(kept) if not still)
        dirty.update(origin.path_of(number) for number in gone)
    return dirty


def _collect_items(
    document: Document, origin: DocumentOrigin, homes: Iterable[Homes], dirty: set[str]
) -> dict[str, list[Item]]:
    """Return the records in order for each file that must be rewritten."""
    items: dict[str, list[Item]] = {path: [] for path in dirty}
    for conversation, new in zip(document.conversations, homes, strict=True):
        for number, depth in order_records(conversation, origin):
            path = origin.path_of(number) if number >= 0 else new[number]
            if path in items:
                items[path].append(make_item(conversation, number, depth, origin))
    return items


def _choose_files(conversation: Conversation, origin: DocumentOrigin) -> Homes:
    """Return the file of each new entry; the format may use the file of the entry before it."""
    homes: dict[int, str] = {}
    if all(number >= 0 for number in conversation.changed):
        return homes
    last: int | None = None
    for number in conversation.members:
        if number < 0:
            before = None if last is None else homes.get(last) or origin.path_of(last)
            entry = conversation.changed[number]
            homes[number] = conversation.main_file
            # What was one file stays one file.
            if origin.source.folder:
                homes[number] = origin.format.choose_file(
                    entry, conversation.main_file, before=before
                )
        last = number
    return homes


def apply_edit(document: Document, conversation: str, operation: Operation) -> Document:
    """Return the document with an edit made; only writing shows whether it can be written."""
    format = get_format(document.format)
    can = format.can
    if isinstance(operation, DeleteMessage) and DELETED not in can.flags:
        raise WouldLose(
            f"{document.format} has no mark for deleted messages",
            hint="take the message out instead, or write it to a format that has one",
        )
    if isinstance(operation, AddArtifact) and "artifact" not in can.parts:
        raise WouldLose(
            f"{document.format} has no place for artifacts",
            hint="put the content into the message, or write it to a format that has one",
        )
    if isinstance(operation, ReplyTo | ChangeRole):
        refuse_role(format, operation.role)
    changed = apply_and_fill(document.find(conversation), operation)
    if not can.branches:
        _refuse_beginnings(changed)
    return document.with_conversation(changed)


def refuse_role(format: Format, role: str) -> None:
    """Raise if a format does not have a role."""
    known = format.can.roles
    if not role or (known is not None and role not in known):
        raise UsageError(
            f"{format.info.slug} has no role {role[:40]!r}",
            hint=f"it has {', '.join(known)}" if known else "a role is a word",
        )


def refuse_unwritable(before: Conversation, document: Document) -> None:
    """Raise what writing a document would raise for the changes to a conversation.

    The conversation is compared with the one that has the same id.
    """
    origin, after = document.origin, document.find(before.id)
    assert isinstance(origin, DocumentOrigin)
    depths = dict(order_records(after, origin))
    for number, entry in after.changed.items():
        if before.changed.get(number) is not entry and number in depths:
            make_item(after, number, depths[number], origin)


def apply_and_fill(before: Conversation, operation: Operation) -> Conversation:
    """Return the conversation after an operation, with new messages filled in by its format."""
    format, after = get_format(before.format), apply_operation(before, operation)
    changed = dict(after.changed)
    for number, entry in after.changed.items():
        if number < 0 and number not in before.changed and isinstance(entry, Message):
            changed[number] = format.fill(entry, after)
    return after if changed == after.changed else after.with_entries(after.members, changed)


def _refuse_beginnings(conversation: Conversation) -> None:
    """Raise if a message has no parent in a format without branches.

    Writing would make it follow the message before it, as conversions need: not what was requested.
    """
    skeleton = conversation.skeleton
    first = next((place for place, trait in enumerate(skeleton.traits) if trait), 0)
    for position, number in enumerate(conversation.members):
        if position <= first or number not in conversation.changed:
            continue
        if skeleton.traits[position] and skeleton.parents[position] == ROOT:
            raise WouldLose(
                f"{conversation.format} holds one line of messages, and so one beginning",
                hint="write it to a format that has branches",
            )
