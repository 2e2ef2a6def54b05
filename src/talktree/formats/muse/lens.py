"""Muse records and entries, in both directions.

A message's content is one text, kept unchanged: the inline metadata between `--boundary-...` lines
and the footnote marks are part of it. A request spans a question and its answer, so `request_id` is
not an API reply and stays in `extra`, as do classification and metrics, which `measures.py` reads
there.

Database exports put ids and times into wrappers: `{"$oid": ...}`, `{"$numberLong": ...}`,
`{"$date": ...}` (Extended JSON, both generations) and `ObjectId('...')` printed into a string. Ids
and times are read through their wrappers, and a new value gets the wrapper of the old one. `unwrap`
removes wrappers at any depth.
"""

from __future__ import annotations

import re
from typing import Any

from msgspec.structs import replace

from talktree.formats.format import Record, make_opaque
from talktree.formats.lens import Object, merge_json, take_text, with_rest
from talktree.formats.muse.detect import ANALYTICS, APPLICATION, detect_kind, find_history_key
from talktree.model.entries import Entry, Head, Opaque, Snapshot
from talktree.model.message import Author, Message
from talktree.model.parts import Part, Text
from talktree.text.json.value import Json
from talktree.text.times import (
    MILLI,
    SECOND,
    SECONDS_END,
    SECONDS_START,
    from_iso,
    from_number,
    to_iso,
    to_millis,
)

ID_WRAPPERS = ("$oid", "$uuid")
NUMBER_WRAPPERS = ("$numberLong", "$numberInt", "$numberDouble")
DATE = "$date"
MOST_INT = 2**31 - 1
_PRINTED = re.compile(r"(\w+\()(['\"])(.+)\2\)", re.DOTALL)
_NUMBER = re.compile(r"-?[0-9]{1,18}(?:\.[0-9]{1,18})?(?:[eE][-+]?[0-9]{1,2})?")


def _wrapper_name(value: Json) -> str:
    """Return the name of the wrapper if the value is one."""
    if isinstance(value, dict) and len(value) == 1:
        return next(iter(value))
    return ""


def read_text(value: Json) -> str | None:
    """Return the id inside, or None if the value is not text."""
    if isinstance(value, str):
        printed = _PRINTED.fullmatch(value) if value.startswith("ObjectId(") else None
        return printed.group(3) if printed else value
    name = _wrapper_name(value)
    inner = value[name] if name in ID_WRAPPERS and isinstance(value, dict) else None
    return inner if isinstance(inner, str) else None


def write_text_like(text: str, old: Json) -> Json:
    """Return a new id in the wrapper of the old one."""
    if isinstance(old, str) and old != read_text(old):
        found = _PRINTED.fullmatch(old)
        assert found is not None
        return f"{found.group(1)}{found.group(2)}{text}{found.group(2)})"
    name = _wrapper_name(old)
    return {name: text} if name in ID_WRAPPERS else text


def read_time(value: Json) -> int | None:
    """Return the time inside, or None if the value is not a time."""
    if _wrapper_name(value) == DATE and isinstance(value, dict):
        value = value[DATE]
    if isinstance(value, str):
        return from_iso(value)
    number = _read_number(value)
    return None if number is None else from_number(number)


def _read_number(value: Json) -> int | float | None:
    name = _wrapper_name(value)
    if name in NUMBER_WRAPPERS and isinstance(value, dict):
        digits = value[name]
        if not isinstance(digits, str) or not _NUMBER.fullmatch(digits):
            return None
        return float(digits) if name == "$numberDouble" or not digits.isdigit() else int(digits)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return value
    return None


def write_time_like(time: int, old: Json) -> Json:
    """Return a new time in the wrapper of the old one; plain milliseconds if it does not fit."""
    dressed: Json
    if _wrapper_name(old) == DATE and isinstance(old, dict):
        dressed = {DATE: _write_inner_like(time, old[DATE])}
    else:
        dressed = _write_inner_like(time, old)
    return dressed if read_time(dressed) == time else to_millis(time)


def _write_inner_like(time: int, old: Json) -> Json:
    if isinstance(old, str):
        return to_iso(time)
    before = _read_number(old)
    if before is None:
        return to_millis(time)
    number = _write_number_like(time, before)
    match _wrapper_name(old):
        case "":
            return number
        case "$numberDouble":
            return {"$numberDouble": repr(float(number))}
        case "$numberInt" if number <= MOST_INT:
            return {"$numberInt": str(number)}
        case _:
            return {"$numberLong": str(number)}


def _write_number_like(time: int, old: int | float) -> int | float:
    """Return seconds or milliseconds, whole or not, as the old number was."""
    if not SECONDS_START <= old < SECONDS_END:
        return float(time // MILLI) if isinstance(old, float) else time // MILLI
    if isinstance(old, float):
        return time / SECOND
    return time // SECOND if time % SECOND == 0 else time // MILLI


ROLES = frozenset({"user", "assistant", "system"})
HEAD_IDS = ("conversation_id", "id", "_id")
"""Members that may hold a conversation's id, best first."""
FIRST = ("_id", "schema_version")
"""Members that the specification has before the id."""
BARE = "value"
"""The kind of records that are not objects."""
TIMES = ("timestamp", "last_updated_timestamp")


def get(record: Record) -> Entry:
    """Return the entry of a record."""
    value = record.value
    if not record.usable:
        return make_opaque(record)
    if not isinstance(value, dict):
        return make_opaque(record, BARE)
    match detect_kind(value):
        case "head":
            return _read_head(record, value)
        case "message":
            return _read_message(record, value)
        case "context":
            return make_opaque(record, "context")
        case None:
            return make_opaque(record, "unknown")


def _read_head(record: Record, value: Object) -> Head:
    left = dict(value)
    own = _take_id(left, _find_id_key(value))
    history = find_history_key(value)
    if left.get(history) in (None, []):
        left.pop(history, None)
    return Head(
        id=record.id or own or "",
        kind=APPLICATION if history == APPLICATION else "head",
        title=take_text(left, "title"),
        updated_ns=_take_time(left, "last_updated_timestamp"),
        extra=left,
    )


def _find_id_key(value: Json) -> str:
    found = (key for key in HEAD_IDS if isinstance(value, dict) and read_text(value.get(key)))
    return next(found, HEAD_IDS[0])


def _read_message(record: Record, value: Object) -> Message:
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
    found = read_text(left.get(key))
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
    time = read_time(left.get(key))
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


def write_entry(entry: Entry, *, id_key: str = HEAD_IDS[0]) -> Json:
    """Return a new record for an entry."""
    match entry:
        case Message():
            return _write_message(entry)
        case Head():
            return _write_head(entry, id_key)
        case Opaque():
            kept: Json = entry.value
            return kept
        case Snapshot():
            return dict(entry.extra)


def _write_message(message: Message) -> Object:
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


def _write_head(head: Head, id_key: str) -> Object:
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
    """Return the value of an entry, in the form of its old record if there is one."""
    if base is None:
        return write_entry(entry)
    old = base.value
    id_key = "id" if isinstance(entry, Message) else _find_id_key(old)
    before = write_entry(get(base), id_key=id_key)
    after = write_entry(entry, id_key=id_key)
    if isinstance(old, dict) and isinstance(before, dict) and isinstance(after, dict):
        _wrap_like_old(after, before, old, id_key)
    return merge_json(old, before, after)


def _wrap_like_old(after: Object, before: Object, old: Object, id_key: str) -> None:
    """Put changed ids and times into the wrappers of the old record."""
    for key in (id_key, *TIMES):
        new = after.get(key)
        if key not in before or key not in old or new == before[key]:
            continue
        if key == id_key and isinstance(new, str):
            after[key] = write_text_like(new, old[key])
        elif isinstance(new, int):
            after[key] = write_time_like(new * MILLI, old[key])


def complete(entry: Entry) -> Entry:
    """Return a message with an empty content if it has no words, since every message has one."""
    if isinstance(entry, Message) and not entry.parts and "content" not in entry.extra:
        return replace(entry, parts=(Text(""),))
    return entry


NAMES = frozenset({*ID_WRAPPERS, *NUMBER_WRAPPERS, DATE})


def is_wrapper(value: Json) -> bool:
    """Whether a value is a wrapper whose content can be read."""
    if not isinstance(value, dict) or len(value) != 1 or next(iter(value)) not in NAMES:
        return False
    return _read_inner(value) is not None


def has_wrapper(value: Json) -> bool:
    """Whether a value contains a wrapper."""
    pending = [value]
    while pending:
        here = pending.pop()
        if is_wrapper(here):
            return True
        if isinstance(here, dict):
            pending += here.values()
        elif isinstance(here, list):
            pending += here
    return False


def unwrap(value: Json) -> Json:
    """Return a value with all wrappers in it removed; what cannot be read stays as it is."""
    while has_wrapper(value):
        # A wrapper may become readable once the wrappers inside it are removed.
        value = _unwrap_nested(value)
    return value


def _unwrap_nested(value: Json) -> Json:
    top: list[Any] = [value]
    pending: list[tuple[Any, Any]] = [(top, 0)]
    while pending:
        holder, place = pending.pop()
        item = holder[place]
        if is_wrapper(item):
            holder[place] = _read_inner(item)
        elif isinstance(item, dict):
            fresh = holder[place] = dict(item)
            pending += [(fresh, name) for name in fresh]
        elif isinstance(item, list):
            row = holder[place] = list(item)
            pending += [(row, at) for at in range(len(row))]
    plain: Json = top[0]
    return plain


def _read_inner(value: dict[str, Json]) -> Json:
    """Return the content of a wrapper; None if it cannot be read."""
    ((name, inner),) = value.items()
    if name in ID_WRAPPERS:
        return read_text(value)
    if name == DATE:
        time = read_time(value)
        return None if time is None else to_millis(time)
    try:
        return float(inner) if name == "$numberDouble" else int(inner)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return None
