"""New files: the root object, and in it one message on each line, written as they come.

The time of the last update is written after the messages, so that it can be raised to the newest of
them without keeping any in memory. After an edit it is raised in the same way.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from talktree.formats.muse.detect import find_history_key
from talktree.formats.record_file import Item
from talktree.model.conversation import Conversation
from talktree.model.entries import Entry, Head
from talktree.model.message import Message
from talktree.text.json.encode import Style, encode_json, encode_string
from talktree.text.json.value import Json

_LINE = Style(item=", ", colon=": ")
UPDATED = "last_updated_timestamp"


def write_json(items: Iterator[Item]) -> Iterator[bytes]:
    """Yield the JSON text of one conversation: its head, then its messages."""
    head = next(items).value
    assert isinstance(head, dict)
    newest = _Newest()
    between = b"{\n  "
    for name, item in head.items():
        yield between + encode_string(name).encode() + b": "
        between = b",\n  "
        if name == find_history_key(head):
            yield from _write_list(newest.watch_items(items))
        elif name == UPDATED:
            yield encode_json(newest.max_time(item))
        else:
            yield encode_json(item, _LINE)
    yield b"\n}\n"


def _write_list(items: Iterator[Item]) -> Iterator[bytes]:
    between, end = b"[\n    ", b"[]"
    for item in items:
        yield between + encode_json(item.value, _LINE)
        between, end = b",\n    ", b"\n  ]"
    yield end


class _Newest:
    """Finds the newest time of the messages that pass through."""

    def __init__(self) -> None:
        self._time: int | float | None = None

    def watch_items(self, items: Iterator[Item]) -> Iterator[Item]:
        """Yield the items unchanged."""
        for item in items:
            time = item.value.get("timestamp") if isinstance(item.value, dict) else None
            if isinstance(time, int | float) and (self._time is None or time > self._time):
                self._time = time
            yield item

    def max_time(self, time: Json) -> Json:
        """Return a time, or the newest one if it is later."""
        if self._time is not None and isinstance(time, int | float) and time < self._time:
            return self._time
        return time


def raise_updated(conversation: Conversation) -> Conversation:
    """Return the conversation with `updated` raised to its newest message, if times changed.

    A conversation that has no such time gets none, and other edits leave it unchanged.
    """
    if not any(_has_new_time(conversation, *each) for each in conversation.changed.items()):
        return conversation
    skeleton = conversation.skeleton
    newest = max(time for time, trait in zip(skeleton.times, skeleton.traits, strict=True) if trait)
    for position, number in enumerate(conversation.members):
        if skeleton.traits[position]:
            continue
        head = conversation.entry(position)
        if isinstance(head, Head) and head.updated_ns is not None and head.updated_ns < newest:
            changed = {**conversation.changed, number: replace(head, updated_ns=newest)}
            return conversation.with_entries(conversation.members, changed)
    return conversation


def _has_new_time(conversation: Conversation, number: int, entry: Entry) -> bool:
    """Whether a changed entry is a new message or a message with a new time."""
    if not isinstance(entry, Message):
        return False
    if number < 0:
        return True
    before = conversation.store.entry(number, entry.id, entry.parent)
    return not isinstance(before, Message) or before.time_ns != entry.time_ns
