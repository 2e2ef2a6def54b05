"""Message files and entries, in both directions. The value of a record is the text of its file."""

from __future__ import annotations

from talktree.formats.chatbuilder import config
from talktree.formats.chatbuilder.body import MessageContent, make_layout, parse_content
from talktree.formats.chatbuilder.parse import parse_layout
from talktree.formats.chatbuilder.write import amend_layout, is_config
from talktree.formats.format import Record, make_opaque
from talktree.model.entries import Entry, Head, Opaque, Snapshot
from talktree.model.message import Message
from talktree.model.parts import Text
from talktree.text import utf8
from talktree.text.json.value import Json


def get(record: Record) -> Entry:
    """Return the entry of a file."""
    if is_config(record.path) or (isinstance(record.value, dict) and not record.path):
        return config.get(record)
    if not isinstance(record.value, str):
        return make_opaque(record)
    found = parse_content(parse_layout(record.value))
    return Message(
        id=record.id or found.id,
        parent=record.parent,
        role=found.role,
        parts=(Text(found.text),),
        time_ns=found.time,
        authors=found.authors,
        extra=found.extra,
    )


def put(entry: Entry, base: Record | None) -> Json:
    """Return the text of an entry's file, made from the old file if there is one."""
    match entry:
        case Message():
            return _write_message(entry, base)
        case Head():
            return config.put(entry, base)
        case Opaque():
            kept: Json = entry.value
            return kept
        case Snapshot():
            return None


def _write_message(message: Message, base: Record | None) -> str:
    if base is None or not isinstance(base.value, str):
        text = make_layout(_to_content(message, message.id)).text
    else:
        layout = parse_layout(base.value)
        own = parse_content(layout).id
        kept = message.id == (base.id or own)
        text = amend_layout(layout, _to_content(message, own if kept else message.id))
    # Characters that UTF-8 cannot hold are replaced, so that the comparison with the entry shows
    # them.
    return text if utf8.can_encode(text) else utf8.decode(text.encode("utf-8", "replace"))


def _to_content(message: Message, id: str) -> MessageContent:
    return MessageContent(
        id=id,
        role=message.role,
        time=message.time_ns,
        authors=message.authors,
        extra={
            key: item if isinstance(item, str) else f"{item}" for key, item in message.extra.items()
        },
        text="\n\n".join(part.text for part in message.parts if isinstance(part, Text)),
    )
