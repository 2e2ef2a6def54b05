"""Document to files: what was not changed is copied, what was is put back into its record."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from talktree.errors import UsageError, WouldLose
from talktree.formats.base import Format, Record
from talktree.formats.engine.origin import Origin
from talktree.formats.engine.place import placed
from talktree.formats.sheets import Item, Sheet
from talktree.model.conversation import Conversation
from talktree.model.document import Document
from talktree.model.entries import Entry, Snapshot
from talktree.model.message import Message
from talktree.text.json_value import Json


def write(document: Document) -> Mapping[str, Iterable[bytes]]:
    """The files of a document, read and written as lazily as possible."""
    origin = document.origin
    assert isinstance(origin, Origin)
    dirty = _dirty(document, origin)
    items = _items(document, origin, dirty) if dirty else {}
    sheets = {sheet.path: sheet for sheet in origin.sheets}
    files: dict[str, Iterable[bytes]] = {}
    for path, content in origin.source.files.items():
        if path not in dirty:
            files[path] = content.blocks()
        elif items[path] or not origin.format.file_per_record:
            files[path] = sheets[path].rewritten(items[path])
    for path in items:
        if path not in sheets:
            files[path] = origin.format.blank_sheet(path).rewritten(items[path])
    return origin.format.arranged(files)


def _dirty(document: Document, origin: Origin) -> set[str]:
    """The files in which a record was changed, added or taken out."""
    kept = bytearray(origin.count)
    dirty: set[str] = set()
    for conversation in document.conversations:
        for number in conversation.members:
            if number >= 0:
                kept[number] = 1
        dirty.update(_path(conversation, number, origin) for number in conversation.changed)
    if not all(kept):
        gone = (number for number, still in enumerate(kept) if not still)
        dirty.update(origin.sheets[origin.sheet_of(number)[0]].path for number in gone)
    return dirty


def _items(document: Document, origin: Origin, dirty: set[str]) -> dict[str, list[Item]]:
    """For each file that must be written anew, its records in order."""
    items: dict[str, list[Item]] = {path: [] for path in dirty}
    for conversation in document.conversations:
        for number, depth in placed(conversation, origin):
            path = _path(conversation, number, origin)
            if path in items:
                items[path].append(_item(conversation, number, depth, origin))
    return items


def _path(conversation: Conversation, number: int, origin: Origin) -> str:
    if number >= 0:
        return origin.sheets[origin.sheet_of(number)[0]].path
    position = conversation.members.index(number)
    before = [_path(conversation, each, origin) for each in conversation.members[:position][-1:]]
    return origin.format.home(
        conversation.changed[number], conversation.main_file, before=before[0] if before else None
    )


def _item(conversation: Conversation, number: int, depth: int, origin: Origin) -> Item:
    entry = conversation.changed.get(number)
    index = origin.sheet_of(number)[1] if number >= 0 else None
    if entry is None:
        return Item(index, depth=depth)
    links = _links(conversation, origin)
    entry = _with_native_links(conversation, entry, strict=links == "own")
    base = None if index is None else origin.record_as_read(number)
    return Item(index, _put(origin.format, entry, base), changed=True, depth=depth)


def _put(format: Format, entry: Entry, base: Record | None) -> Json:
    """The native value of an entry; refused if reading it would give another entry."""
    entry = format.complete(entry) if base is None else entry
    value = format.put(entry, base)
    parent = entry.parent if isinstance(entry, Message) else None
    path = "" if base is None else base.path
    seen = format.get(Record(value, id=entry.id, parent=parent, path=path))
    if seen != entry:
        raise WouldLose(
            f"{format.info.slug} cannot hold {_difference(entry, seen)} of {entry.id or 'an entry'}",
            hint="nothing was written; write it to a format that can",
        )
    return value


def _difference(wanted: Entry, seen: Entry) -> str:
    if type(wanted) is not type(seen):
        return "the kind"
    names = [
        name for name in wanted.__struct_fields__ if getattr(wanted, name) != getattr(seen, name)
    ]
    return "the " + ", ".join(names)


def _links(conversation: Conversation, origin: Origin) -> str:
    found: list[Sheet] = [sheet for sheet in origin.sheets if sheet.path == conversation.main_file]
    return found[0].links if found else "own"


def _with_native_links(conversation: Conversation, entry: Entry, *, strict: bool) -> Entry:
    """The entry with aliases turned back into the ids the file has."""
    match entry:
        case Message(parent=str(parent)):
            return replace(entry, parent=_native(conversation, parent, strict=strict))
        case Snapshot(message=str(message)):
            return replace(entry, message=_native(conversation, message, strict=False))
        case _:
            return entry


def _native(conversation: Conversation, name: str, *, strict: bool) -> str:
    bones = conversation.skeleton
    position = bones.by_id.get(name)
    if position is None or position not in bones.native or bones.ids[position] != name:
        return name
    native = bones.native[position]
    if native is None and strict:
        raise UsageError(
            f"{name} has no id of its own, so nothing can be attached to it",
            hint="give it an id first",
        )
    return native or name
