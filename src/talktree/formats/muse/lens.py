"""Muse records and entries, both ways.

A message's content is one text, kept as it stands: the inline metadata between `--boundary-...`
lines and the footnote marks are part of it. A request spans a question and its answer, so
`request_id` is no API reply and stays in `extra`, as do classification and metrics, which
`measures.py` reads there.
"""

from __future__ import annotations

from msgspec.structs import replace

from talktree.formats.format import Record, opaque
from talktree.formats.lens import Object, merged, take_text, with_rest
from talktree.formats.muse.detect import ANALYTICS, APPLICATION, history_key, kind
from talktree.formats.muse.wrappers import text_like, text_of, time_like, time_of
from talktree.model.entries import Entry, Head, Opaque, Snapshot
from talktree.model.message import Author, Message
from talktree.model.parts import Part, Text
from talktree.text.json.value import Json
from talktree.text.times import MILLI, to_millis

ROLES = frozenset({"user", "assistant", "system"})
HEAD_IDS = ("conversation_id", "id", "_id")
"""Where a conversation may have its id, best first."""
FIRST = ("_id", "schema_version")
"""What the document has before the id."""
BARE = "value"
"""What a record is called that is no object."""
TIMES = ("timestamp", "last_updated_timestamp")


def get(record: Record) -> Entry:
    """What a record says."""
    value = record.value
    if not record.usable:
        return opaque(record)
    if not isinstance(value, dict):
        return opaque(record, BARE)
    match kind(value):
        case "head":
            return _head(record, value)
        case "message":
            return _message(record, value)
        case "context":
            return opaque(record, "context")
        case None:
            return opaque(record, "unknown")


def _head(record: Record, value: Object) -> Head:
    left = dict(value)
    own = _take_id(left, _id_key(value))
    history = history_key(value)
    if left.get(history) in (None, []):
        left.pop(history, None)
    return Head(
        id=record.id or own or "",
        kind=APPLICATION if history == APPLICATION else "head",
        title=take_text(left, "title"),
        updated_ns=_take_time(left, "last_updated_timestamp"),
        extra=left,
    )


def _id_key(value: Json) -> str:
    found = (key for key in HEAD_IDS if isinstance(value, dict) and text_of(value.get(key)))
    return next(found, HEAD_IDS[0])


def _message(record: Record, value: Object) -> Message:
    left = dict(value)
    own = _take_id(left, "id")
    return Message(
        id=record.id or own or "",
        parent=record.parent,
        role=_take_role(left),
        parts=_take_content(left),
        time_ns=_take_time(left, "timestamp"),
        authors=_take_author(left),
        tags=_take_tags(left),
        extra=left,
    )


def _take_id(left: Object, key: str) -> str | None:
    found = text_of(left.get(key))
    if found is not None or left.get(key) is None:
        left.pop(key, None)
    return found


def _take_role(left: Object) -> str:
    role = take_text(left, "role")
    if role is None:
        return "unknown"
    return role.lower() if role.lower() in ROLES else role


def _take_content(left: Object) -> tuple[Part, ...]:
    content = take_text(left, "content")
    return () if content is None else (Text(content),)


def _take_time(left: Object, key: str) -> int | None:
    time = time_of(left.get(key))
    if time is not None or left.get(key) is None:
        left.pop(key, None)
    return time


def _take_author(left: Object) -> tuple[Author, ...]:
    author = take_text(left, "author")
    return () if author is None else (Author(author),)


def _take_tags(left: Object) -> tuple[str, ...]:
    tags = left.get("tags")
    if tags is None:
        left.pop("tags", None)
        return ()
    if not isinstance(tags, list):
        return ()
    texts = tuple(tag for tag in tags if isinstance(tag, str))
    if len(texts) < len(tags):
        return ()
    del left["tags"]
    return texts


# writing


def native(entry: Entry, *, id_key: str = HEAD_IDS[0]) -> Json:
    """A new record for an entry."""
    match entry:
        case Message():
            return _native_message(entry)
        case Head():
            return _native_head(entry, id_key)
        case Opaque():
            kept: Json = entry.value
            return kept
        case Snapshot():
            return dict(entry.extra)


def _native_message(message: Message) -> Object:
    value: Object = {"id": message.id} if message.id else {}
    if "request_id" in message.extra:
        value["request_id"] = message.extra["request_id"]
    if message.time_ns is not None:
        value["timestamp"] = to_millis(message.time_ns)
    if message.role != "unknown":
        value["role"] = message.role
    said = [part.text for part in message.parts if isinstance(part, Text)]
    if said:
        value["content"] = "\n\n".join(said)
    if message.authors:
        value["author"] = ", ".join(author.name for author in message.authors)
    if "tags" not in message.extra:
        value["tags"] = list(message.tags)
    return with_rest(value, message.extra)


def _native_head(head: Head, id_key: str) -> Object:
    value: Object = {name: head.extra[name] for name in FIRST if name in head.extra}
    if head.id:
        value[id_key] = head.id
    if head.title is not None:
        value["title"] = head.title
    value[APPLICATION if head.kind == APPLICATION else ANALYTICS] = []
    if head.updated_ns is not None:
        value["last_updated_timestamp"] = to_millis(head.updated_ns)
    return with_rest(value, head.extra)


def put(entry: Entry, base: Record | None) -> Json:
    """The value of an entry, in the form of its old record where there is one."""
    if base is None:
        return native(entry)
    old = base.value
    id_key = "id" if isinstance(entry, Message) else _id_key(old)
    before = native(get(base), id_key=id_key)
    after = native(entry, id_key=id_key)
    if isinstance(old, dict) and isinstance(before, dict) and isinstance(after, dict):
        _dress(after, before, old, id_key)
    return merged(old, before, after)


def _dress(after: Object, before: Object, old: Object, id_key: str) -> None:
    """Give ids and times that changed the form in which the old record has them."""
    for key in (id_key, *TIMES):
        new = after.get(key)
        if key not in before or key not in old or new == before[key]:
            continue
        if key == id_key and isinstance(new, str):
            after[key] = text_like(new, old[key])
        elif isinstance(new, int):
            after[key] = time_like(new * MILLI, old[key])


def complete(entry: Entry) -> Entry:
    """A message without words gets an empty content, since every message has one."""
    if isinstance(entry, Message) and not entry.parts and "content" not in entry.extra:
        return replace(entry, parts=(Text(""),))
    return entry
