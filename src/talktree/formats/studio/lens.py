"""Comments and entries, in both directions.

A comment is a JSON object whose `children` are replaced by `[]`; all three encodings of the format
(JSON, text, XML) decode to the same objects and share this lens. Two members are redundant and so
are not part of the model: `contentHash` follows from the text, `parentId` from the nesting. Both
are rewritten only when the text or the nesting changed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from talktree.formats.format import FormatCapabilities, Lens, Record, make_opaque
from talktree.formats.lens import Object, merge_json, take_flag, take_text
from talktree.formats.studio.artifact_types import detect_type
from talktree.formats.studio.hashing import UTF16_32, compute_digest, detect_algorithm, hash_text
from talktree.model.entries import Entry, Head, Opaque, Snapshot
from talktree.model.message import DELETED, NO_FLAGS, Author, Message
from talktree.model.parts import Artifact, Attachment, Part, Text, UnknownPart
from talktree.text.json.value import Json
from talktree.text.times import from_iso, from_number, to_millis

NO_ROLE = "unknown"
"""The role of a comment without a type; `message`, which the app assumes, would be invented."""
ATTACHMENT, ARTIFACT = "attachment", "artifact"
"""Kinds of the unknown parts that represent list items that are not objects."""


# reading


def get(record: Record) -> Entry:
    """Return the entry of a comment."""
    value = record.value
    if not isinstance(value, dict) or not record.usable:
        return make_opaque(record, "unreadable" if not record.usable else "not-a-comment")
    left = dict(value)
    own = take_text(left, "id")
    user = take_text(left, "userId")
    role = take_text(left, "type")
    for repeated in ("parentId", "contentHash"):
        take_text(left, repeated)
    if left.get("children") in (None, []):
        left.pop("children", None)
    return Message(
        id=record.id or own or "",
        parent=record.parent,
        role=NO_ROLE if role is None else role,
        parts=_take_parts(left),
        time_ns=_take_time(left),
        authors=() if user is None else (Author(user),),
        flags=frozenset({DELETED}) if take_flag(left, "deleted") else NO_FLAGS,
        extra=left,
    )


def _take_time(left: Object) -> int | None:
    stamp = left.get("timestamp")
    match stamp:
        case None:
            time = None
        case str():
            time = from_iso(stamp)
        case int() | float() if not isinstance(stamp, bool):
            time = from_number(stamp)
        case _:
            time = None
    if time is not None or stamp is None:
        left.pop("timestamp", None)
    return time


def _take_parts(left: Object) -> tuple[Part, ...]:
    content = take_text(left, "content")
    parts: list[Part] = [] if content is None else [Text(content)]
    parts += map(_read_attachment, _take_list(left, "attachments"))
    parts += map(_read_artifact, _take_list(left, "artifacts"))
    return tuple(parts)


def _take_list(left: Object, key: str) -> list[Json]:
    """Remove and return a member that is a list; anything that is neither a list nor null stays."""
    items = left.get(key)
    if items is None or isinstance(items, list):
        left.pop(key, None)
    return items if isinstance(items, list) else []


def _read_attachment(item: Json) -> Part:
    if not isinstance(item, dict):
        return UnknownPart(ATTACHMENT, item)
    left = dict(item)
    return Attachment(
        name=take_text(left, "name"),
        media_type=take_text(left, "type"),
        url=take_text(left, "url"),
        extra=left,
    )


def _read_artifact(item: Json) -> Part:
    if not isinstance(item, dict):
        return UnknownPart(ARTIFACT, item)
    left = dict(item)
    return Artifact(
        id=take_text(left, "id"),
        media_type=take_text(left, "type"),
        title=take_text(left, "title"),
        content=take_text(left, "content"),
        extra=left,
    )


# writing


def write_entry(entry: Entry) -> Json:
    """Return a new comment for an entry."""
    match entry:
        case Message():
            return _write_comment(entry)
        case Opaque():
            kept: Json = entry.value
            return kept
        case Head() | Snapshot():
            # There is no place for these; reading gives a message, so writing is refused.
            return dict(entry.extra)


def _write_comment(message: Message) -> Object:
    extra = message.extra
    value: Object = {}
    if message.id:
        value["id"] = message.id
    if message.authors:
        value["userId"] = message.authors[0].name
    role = message.role if message.role != NO_ROLE else extra.get("type", NO_ROLE)
    if role is not None:
        value["type"] = role
    if message.time_ns is not None:
        value["timestamp"] = to_millis(message.time_ns)
    said = [part.text for part in message.parts if isinstance(part, Text)]
    if said:
        text = value["content"] = said[0] if len(said) == 1 else "\n\n".join(said)
        value["contentHash"] = hash_text(text)
    value["attachments"] = []
    if len(said) < len(message.parts):
        value |= _write_lists(message.parts)
    if DELETED in message.flags:
        value["deleted"] = True
    return _with_odd(value, extra)


def _write_lists(parts: Sequence[Part]) -> Object:
    """Return the lists of attachments and artifacts."""
    value: Object = {
        "attachments": [
            _write_attachment(part) for part in parts if _is_kind(part, Attachment, ATTACHMENT)
        ]
    }
    artifacts = [_write_artifact(part) for part in parts if _is_kind(part, Artifact, ARTIFACT)]
    if artifacts:
        value["artifacts"] = artifacts
    return value


def _with_odd(value: Object, extra: Mapping[str, Any]) -> Object:
    """Return a comment with the members that have no name in the model."""
    if not extra:
        value["children"] = []
        return value
    # An empty list gives way to an odd value that was in its place.
    odd = {key: item for key, item in extra.items() if value.get(key, []) == []}
    if "contentHash" in extra:
        odd["contentHash"] = extra["contentHash"]
    return {**value, "children": [], **odd}


def _is_kind(part: Part, type: type[Part], kind: str) -> bool:
    return isinstance(part, type) or (isinstance(part, UnknownPart) and part.kind == kind)


def _write_attachment(part: Part) -> Json:
    if not isinstance(part, Attachment):
        return _keep_part(part)
    value: Object = {"file": part.extra["file"]} if "file" in part.extra else {}
    value |= _read_object({"name": part.name, "type": part.media_type})
    # The specification itself writes null for content that is not available.
    return _with_extra({**value, "url": part.url}, part.extra)


def _write_artifact(part: Part) -> Json:
    if not isinstance(part, Artifact):
        return _keep_part(part)
    value = {
        "id": part.id,
        "type": part.media_type,
        "title": part.title,
        "content": part.content,
    }
    return _with_extra(_read_object(value), part.extra)


def _keep_part(part: Part) -> Json:
    kept: Json = part.value if isinstance(part, UnknownPart) else None
    return kept


def _read_object(value: Mapping[str, Json]) -> Object:
    return {key: item for key, item in value.items() if item is not None}


def _with_extra(value: Object, extra: Mapping[str, Any]) -> Object:
    return value | {key: item for key, item in extra.items() if value.get(key) is None}


# putting back


def put(entry: Entry, base: Record | None) -> Json:
    """Return the comment of an entry, in the form of its old record if there is one."""
    if base is None:
        return _with_parent_id(write_entry(entry), entry)
    value = merge_json(base.value, write_entry(get(base)), write_entry(entry))
    old = base.value
    if isinstance(entry, Message) and isinstance(old, dict) and isinstance(value, dict):
        value = dict(value)
        _follow_text(value, old)
        _follow_parent(value, old, base.parent, entry.parent)
    return value


def _with_parent_id(value: Json, entry: Entry) -> Json:
    """Return a new comment that names the one it answers, as the specification requires."""
    parent = entry.parent if isinstance(entry, Message) else None
    if not isinstance(value, dict) or parent is None or parent.startswith("@"):
        return value
    return {"id": None, "parentId": parent, **value}


def _follow_text(value: Object, old: Object) -> None:
    """Give a changed text a hash by the algorithm of the old one; none if there was none."""
    said, text, hash = old.get("content"), value.get("content"), old.get("contentHash")
    if said == text or not isinstance(said, str) or not isinstance(text, str):
        return
    if isinstance(hash, str):
        value["contentHash"] = compute_digest(text, detect_algorithm(hash, said) or UTF16_32)
    elif "contentHash" in old:
        value["contentHash"] = hash
    else:
        value.pop("contentHash", None)


def _follow_parent(value: Object, old: Object, before: str | None, after: str | None) -> None:
    """Update a parentId that named the comment's container after a move."""
    named = old.get("parentId")
    if (
        "parentId" not in old
        or before == after
        or not _is_name_of(named, before)
        or _is_name_of(named, after)
    ):
        return
    # `@3` is an alias of a comment without an id, so there is no id to name.
    value["parentId"] = None if after is None or after.startswith("@") else after


def _is_name_of(named: Json, container: str | None) -> bool:
    """Whether a parentId means this container, whose name may be an alias (`m#2`)."""
    if container is None:
        return named is None
    return isinstance(named, str) and (container == named or container.startswith(f"{named}#"))


def complete(entry: Entry) -> Entry:
    """Return an entry with what the specification requires of a comment, if it is certain."""
    if not isinstance(entry, Message):
        return entry
    parts = tuple(_complete_part(part) for part in entry.parts)
    if not any(isinstance(part, Text) for part in parts):
        parts = (Text(""), *parts)
    authors = entry.authors or (Author(entry.role),)
    return replace(entry, parts=parts, authors=authors)


def _complete_part(part: Part) -> Part:
    match part:
        case Attachment():
            return replace(part, extra={"file": {}, **part.extra})
        case Artifact():
            shown = {"status": "visible", "command": "create"}
            type = part.media_type or detect_type(part.title or "", part.content or "")
            return replace(part, media_type=type, extra={**shown, **part.extra})
        case _:
            return part


CAN = FormatCapabilities(
    branches=True,
    parts=frozenset({"text", "attachment", "artifact"}),
    fields=frozenset({"time_ns", "authors"}),
    flags=frozenset({"deleted"}),
    time="ms",
    extra="json",
    texts="one",
)
"""What a comment can hold, in any of the three encodings."""
LENS = Lens(get, put, complete)
