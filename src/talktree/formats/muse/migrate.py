"""Older and other forms of a history: the application's copy, wrappers, missing fields.

The specification's form is the current one: `message_history` under a root with five members, plain
ids, plain milliseconds, every core field in every message.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b

from msgspec.structs import replace

from talktree.formats.format import ConversationInfo, Record
from talktree.formats.lens import Object
from talktree.formats.migration import Renewal
from talktree.formats.muse.adopt import SCHEMA, make_history_head
from talktree.formats.muse.detect import APPLICATION, find_history_key
from talktree.formats.muse.lens import (
    HEAD_IDS,
    has_wrapper,
    is_wrapper,
    read_text,
    read_time,
    unwrap,
)
from talktree.model.entries import Entry, Head
from talktree.model.message import Message
from talktree.text.json.value import Json
from talktree.text.times import MILLI, SECONDS_END, SECONDS_START, to_millis

CORE: dict[str, type | tuple[type, ...]] = {
    "id": str,
    "request_id": str,
    "timestamp": (int, float),
    "role": str,
    "content": str,
    "author": str,
    "tags": list,
}
ROOT: dict[str, type | tuple[type, ...]] = {
    "_id": str,
    "schema_version": (int, float),
    "conversation_id": str,
    "last_updated_timestamp": (int, float),
}


class MuseRenewal(Renewal):
    """Detects and migrates older histories."""

    one_head = True

    def describe_old_record(
        self, record: Record, entry: Entry, about: ConversationInfo
    ) -> Iterator[str]:
        value = record.value
        if not isinstance(value, dict):
            return
        if isinstance(entry, Message):
            yield from _describe_missing(value, CORE)
            role = value.get("role")
            if isinstance(role, str) and role != entry.role:
                yield "role in capitals"
        elif isinstance(entry, Head):
            yield from _describe_missing(value, ROOT)
            yield from _describe_odd_root(value, entry, about)
        else:
            return
        stamp = "timestamp" if isinstance(entry, Message) else "last_updated_timestamp"
        for name, item in value.items():
            if is_wrapper(item) or has_wrapper(item):
                yield f"{name} in the wrapping of a database"
            elif name == stamp and _is_seconds(item):
                yield f"{name} in seconds"
            elif isinstance(item, str) and name in ("id", *HEAD_IDS) and read_text(item) != item:
                yield f"{name} as a database prints it"

    # migrating

    def migrate_message(self, message: Message, about: ConversationInfo, *, moment: int) -> Message:
        odd = {key: unwrap(item) for key, item in message.extra.items() if key not in CORE}
        asked = read_text(message.extra.get("request_id"))
        adopted = super().migrate_message(replace(message, extra=odd), about, moment=moment)
        named = {} if asked is None else {"request_id": asked}
        return replace(
            adopted,
            id=message.id or adopted.id,
            parts=message.parts or adopted.parts,
            authors=message.authors or adopted.authors,
            tags=message.tags,
            extra={**adopted.extra, **named},
        )

    def migrate_value(
        self, record: Record, message: Message, about: ConversationInfo, *, moment: int
    ) -> Json:
        value = super().migrate_value(record, message, about, moment=moment)
        # A role is required even if it is unknown.
        return {"role": message.role, **value} if isinstance(value, dict) else value

    def migrate_other(
        self, record: Record, entry: Entry, about: ConversationInfo, *, depth: int
    ) -> Json:
        value = record.value
        if isinstance(entry, Head) and isinstance(value, dict):
            if any(self.describe_old_record(record, entry, about)):
                return self.format.put(_migrate_head(entry, value, about), None)
            return value
        # Inside the list the record stays in its place; outside there is no place for it.
        return value if depth and isinstance(value, dict) else None

    def make_opening_entries(
        self, about: ConversationInfo, *, headed: bool, folder: bool
    ) -> Sequence[Entry]:
        return () if headed else (make_history_head(about),)

    def make_id(self, alias: str, about: ConversationInfo, *, moment: int) -> str:
        seed = f"{about.id}\0{alias}".encode("utf-8", "surrogatepass")
        return blake2b(seed, digest_size=12).hexdigest()

    def combine_conversations(self, conversations: Sequence[Iterable[bytes]]) -> Iterable[bytes]:
        if len(conversations) == 1:
            yield from conversations[0]
            return
        yield b"["
        for number, pieces in enumerate(conversations):
            yield b"\n" if not number else b",\n"
            yield from pieces
        yield b"]\n"


def _migrate_head(head: Head, value: Object, about: ConversationInfo) -> Head:
    """Return the root with its own ids and times, and all other members unchanged."""
    own = read_text(value.get("_id")) or head.id or about.session
    version = unwrap(value.get("schema_version"))
    known = isinstance(version, int | float) and not isinstance(version, bool)
    newest = max(filter(None, (head.updated_ns, about.updated)), default=0)
    gone = {*ROOT, *HEAD_IDS, find_history_key(value)}
    return Head(
        id=head.id or own,
        title=head.title,
        updated_ns=to_millis(newest) * MILLI,
        extra={
            "_id": own,
            "schema_version": version if known and _number_or_zero(version) > SCHEMA else SCHEMA,
            **{key: unwrap(item) for key, item in head.extra.items() if key not in gone},
        },
    )


def _number_or_zero(value: Json) -> int | float:
    return value if isinstance(value, int | float) else 0


def _describe_missing(value: Object, required: dict[str, type | tuple[type, ...]]) -> Iterator[str]:
    for name, kind in required.items():
        item = value.get(name)
        if item is None:
            yield f"no {name}"
        elif not is_wrapper(item) and (not isinstance(item, kind) or isinstance(item, bool)):
            yield f"{name} of another type"


def _describe_odd_root(value: Object, head: Head, about: ConversationInfo) -> Iterator[str]:
    if find_history_key(value) == APPLICATION:
        yield "history instead of message_history"
    elif not isinstance(value.get(find_history_key(value)), list):
        yield "no message_history"
    version = value.get("schema_version")
    if isinstance(version, int | float) and version < SCHEMA:
        yield f"schema_version {version}"
    diagnostic = read_time(value.get("last_updated_timestamp"))
    if (
        None not in (diagnostic, about.updated)
        and (diagnostic or 0) < to_millis(about.updated or 0) * MILLI
    ):
        yield "last_updated_timestamp before the newest message"


def _is_seconds(value: Json) -> bool:
    return isinstance(value, int | float) and SECONDS_START <= value < SECONDS_END


RENEWAL = MuseRenewal
