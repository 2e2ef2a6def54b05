"""Writing if each record is a file of its own: files are added, deleted and renamed.

The format names the files (`Format.assign_file_names`); unchanged records are copied, also under a
new name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from talktree.errors import UsageError
from talktree.files import encode_as_stored
from talktree.formats.engine.order import order_records
from talktree.formats.engine.origin import DocumentOrigin
from talktree.formats.engine.write_item import make_item
from talktree.model.conversation import Conversation
from talktree.model.document import Document

Places = Sequence[tuple[int, int]]
"""Numbers of the records of one file, with their depth."""


def write_apart(document: Document, origin: DocumentOrigin) -> Mapping[str, Iterable[bytes]]:
    """Return the files of a document in which each record is a file."""
    read_from = {sheet.path for sheet in origin.sheets if len(sheet)}
    files: dict[str, Iterable[bytes]] = {
        path: content.blocks()
        for path, content in origin.source.files.items()
        if path not in read_from
    }
    for conversation in document.conversations:
        for name, pieces in _split_into_files(conversation, origin):
            if name in files:
                raise UsageError(
                    f"{name} is there already", hint="repair or remove that file first"
                )
            files[name] = pieces
    if not origin.source.folder and len(files) != 1:
        raise UsageError(
            f"{origin.source.name} is one message; none can be added to it or taken out",
            hint="put it into a folder as its first message and open the folder",
        )
    return files


def _split_into_files(
    conversation: Conversation, origin: DocumentOrigin
) -> Iterable[tuple[str, Iterable[bytes]]]:
    slots: dict[str | int, list[tuple[int, int]]] = {}
    for number, depth in order_records(conversation, origin):
        slot = origin.path_of(number) if number >= 0 else number
        slots.setdefault(slot, []).append((number, depth))
    order = [slot if isinstance(slot, str) else conversation.changed[slot] for slot in slots]
    names = origin.format.assign_file_names(order, main_file=conversation.main_file)
    for name, (slot, places) in zip(names, slots.items(), strict=True):
        yield name, _iterate_pieces(conversation, origin, slot, name, places)


def _iterate_pieces(
    conversation: Conversation, origin: DocumentOrigin, slot: str | int, name: str, places: Places
) -> Iterable[bytes]:
    sheet = origin.by_path[slot] if isinstance(slot, str) else origin.format.blank_sheet(name)
    numbers = [number for number, _ in places]
    changed = any(number in conversation.changed for number in numbers)
    if isinstance(slot, str) and len(numbers) == len(sheet) and not changed:
        return origin.source.files[slot].blocks()
    pieces = sheet.rewrite([make_item(conversation, *place, origin) for place in places])
    return encode_as_stored(sheet.content, pieces)
