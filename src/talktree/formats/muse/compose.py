"""New files: the root object, and in it one message a line, written as they come.

The time of the last update stands behind the messages, so that it can be raised to the newest of
them without holding any.
"""

from __future__ import annotations

from collections.abc import Iterator

from talktree.formats.muse.detect import history_key
from talktree.formats.record_file import Item
from talktree.text.json.value import Json
from talktree.text.json_style import Style
from talktree.text.json_write import encode, encode_string

_LINE = Style(item=", ", colon=": ")
UPDATED = "last_updated_timestamp"


def composed(items: Iterator[Item]) -> Iterator[bytes]:
    """The JSON text of one conversation: its head, then its messages."""
    head = next(items).value
    assert isinstance(head, dict)
    newest = _Newest()
    between = b"{\n  "
    for name, item in head.items():
        yield between + encode_string(name).encode() + b": "
        between = b",\n  "
        if name == history_key(head):
            yield from _listed(newest.seen(items))
        elif name == UPDATED:
            yield encode(newest.at_least(item))
        else:
            yield encode(item, _LINE)
    yield b"\n}\n"


def _listed(items: Iterator[Item]) -> Iterator[bytes]:
    between, end = b"[\n    ", b"[]"
    for item in items:
        yield between + encode(item.value, _LINE)
        between, end = b",\n    ", b"\n  ]"
    yield end


class _Newest:
    """The newest time among messages that go by."""

    def __init__(self) -> None:
        self._time: int | float | None = None

    def seen(self, items: Iterator[Item]) -> Iterator[Item]:
        """The items, unchanged."""
        for item in items:
            time = item.value.get("timestamp") if isinstance(item.value, dict) else None
            if isinstance(time, int | float) and (self._time is None or time > self._time):
                self._time = time
            yield item

    def at_least(self, time: Json) -> Json:
        """A time, or the newest one if it is earlier than that."""
        if self._time is not None and isinstance(time, int | float) and time < self._time:
            return self._time
        return time
