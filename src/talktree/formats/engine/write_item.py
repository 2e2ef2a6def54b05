"""A record to be written: the entry put back into its record, with aliases resolved to ids."""

from __future__ import annotations

from msgspec.structs import replace

from talktree.errors import UsageError, WouldLose
from talktree.formats.engine.origin import DocumentOrigin
from talktree.formats.format import Format, Record
from talktree.formats.record_file import Item
from talktree.model.conversation import Conversation
from talktree.model.entries import Entry, Snapshot
from talktree.model.message import Message
from talktree.text.json.value import Json, is_equal


def make_item(conversation: Conversation, number: int, depth: int, origin: DocumentOrigin) -> Item:
    """Return the item to write for a record: only its index if it was not changed."""
    entry = conversation.changed.get(number)
    index = origin.sheet_of(number)[1] if number >= 0 else None
    if entry is None:
        return Item(index, depth=depth, group=conversation.id)
    links = origin.links(conversation)
    entry = _with_native_links(conversation, entry, strict=links in (None, "own"))
    base = None if index is None else origin.record_as_read(number)
    value = _put_verified(origin.format, entry, base)
    return Item(index, value, changed=True, depth=depth, group=conversation.id)


def _put_verified(format: Format, entry: Entry, base: Record | None) -> Json:
    """Return the native value of an entry; refused if reading it would give another entry."""
    entry = format.complete(entry) if base is None else entry
    value = format.put(entry, base)
    parent = entry.parent if isinstance(entry, Message) else None
    path = "" if base is None else base.path
    seen = format.get(Record(value, id=entry.id, parent=parent, path=path))
    if not is_equal(seen, entry):
        name = entry.id or "an entry"
        raise WouldLose(
            f"{format.info.slug} cannot hold {_describe_difference(entry, seen)} of {name}",
            hint="nothing was written; write it to a format that can",
        )
    return value


def _describe_difference(wanted: Entry, seen: Entry) -> str:
    if type(wanted) is not type(seen):
        return "the kind"
    names = [
        name.removesuffix("_ns")
        for name in wanted.__struct_fields__
        if not is_equal(getattr(wanted, name), getattr(seen, name))
    ]
    return "the " + ", ".join(names)


def resolve_aliases(conversation: Conversation, entry: Entry) -> Entry:
    """Return an entry as its record would name others: aliases become the ids in the file."""
    return _with_native_links(conversation, entry, strict=False)


def _with_native_links(conversation: Conversation, entry: Entry, *, strict: bool) -> Entry:
    """Return the entry with aliases turned back into the ids in the file."""
    match entry:
        case Message(parent=str(parent)):
            return replace(entry, parent=_resolve_alias(conversation, parent, strict=strict))
        case Snapshot(message=str(message)):
            return replace(entry, message=_resolve_alias(conversation, message, strict=False))
        case _:
            return entry


def _resolve_alias(conversation: Conversation, name: str, *, strict: bool) -> str:
    skeleton = conversation.skeleton
    position = skeleton.by_id.get(name)
    if position is None or position not in skeleton.native or skeleton.ids[position] != name:
        return name
    native = skeleton.native[position]
    if native is None and strict:
        raise UsageError(
            f"{name} has no id of its own, so nothing can be attached to it",
            hint="give it an id first",
        )
    return native or name
