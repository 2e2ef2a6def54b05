"""Comments that lack what the specification requires, in any of the three encodings.

Files of the app's first weeks have no `type`; its exports leave out members, and its importers
never checked hashes. Ids of every form that the app ever made are valid: the specification's own
examples have them, and other files may link to them.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b

from talktree.formats.format import ConversationInfo, Record
from talktree.formats.json_file import JsonSheet
from talktree.formats.lens import Object
from talktree.formats.migration import Renewal
from talktree.formats.record_file import Sheet
from talktree.formats.studio.adopt import STATUSES
from talktree.formats.studio.hashing import detect_algorithm
from talktree.formats.studio.ids import RANDOM_BYTES, new_id
from talktree.formats.studio.schema import ARTIFACT, ATTACHMENT, REQUIRED, Kind
from talktree.model.entries import Entry
from talktree.model.message import Message
from talktree.text.json.value import Json
from talktree.text.times import SECONDS_END, SECONDS_START, to_millis


class CommentRenewal(Renewal):
    """Detects and migrates older comments."""

    def describe_old_record(
        self, record: Record, entry: Entry, about: ConversationInfo
    ) -> Iterator[str]:
        value = record.value
        if isinstance(entry, Message) and isinstance(value, dict):
            yield from _describe_missing(value, REQUIRED)
            yield from _describe_odd_hash(value)
            yield from _describe_odd_time(value)
            yield from _describe_odd_parent(value, record.parent)
            yield from _describe_odd_items(value, "attachments", ATTACHMENT)
            yield from _describe_odd_items(value, "artifacts", ARTIFACT)

    def make_id(self, alias: str, about: ConversationInfo, *, moment: int) -> str:
        seed = f"{about.id}\0{alias}".encode("utf-8", "surrogatepass")
        return new_id(to_millis(moment), blake2b(seed, digest_size=RANDOM_BYTES).digest())


class StudioRenewal(CommentRenewal):
    """The same for JSON."""

    def describe_old_sheet(self, sheet: Sheet) -> Iterator[str]:
        if isinstance(sheet, JsonSheet) and sheet.pieces and not sheet.listed:
            yield "the comments stand in no list"


def _describe_missing(value: Object, required: dict[str, Kind]) -> Iterator[str]:
    for name, kind in required.items():
        item = value.get(name)
        if item is None:
            yield f"no {name}"
        elif not isinstance(item, kind) or isinstance(item, bool):
            yield f"{name} of another type"


def _describe_odd_hash(value: Object) -> Iterator[str]:
    text, hash = value.get("content"), value.get("contentHash")
    if isinstance(text, str) and isinstance(hash, str) and detect_algorithm(hash, text) is None:
        yield "contentHash of another text"


def _describe_odd_time(value: Object) -> Iterator[str]:
    stamp = value.get("timestamp")
    if isinstance(stamp, int | float) and SECONDS_START <= stamp < SECONDS_END:
        yield "timestamp in seconds"


def _describe_odd_parent(value: Object, container: str | None) -> Iterator[str]:
    """Yield a problem if a reply does not name its container, or a comment at the top names any."""
    if value.get("parentId") != container:
        yield "no parentId" if value.get("parentId") is None else "parentId of another comment"


def _describe_odd_items(value: Object, name: str, required: dict[str, Kind]) -> Iterator[str]:
    items = value.get(name)
    if items is None and name == "artifacts":
        return
    for item in items if isinstance(items, list) else ():
        for what in _describe_missing(item, required) if isinstance(item, dict) else ["no object"]:
            yield f"in {name}: {what}"
        if isinstance(item, dict) and _is_odd_status(name, item.get("status")):
            yield f"in {name}: status of another kind"


def _is_odd_status(name: str, status: Json) -> bool:
    return name == "artifacts" and isinstance(status, str) and status not in STATUSES


RENEWAL = StudioRenewal
