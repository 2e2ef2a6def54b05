"""The longer strings an entry holds, in an order that is the same each time."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from talktree.convert.template import SHORTEST
from talktree.model.entries import Entry, Head, Opaque, Snapshot
from talktree.model.message import Message
from talktree.model.parts import ToolCall

LEFT_OUT = frozenset({"flags", "usage", "time", "updated", "role"})
"""Fields with no string worth a hole, or without an order."""
FIELDS = {
    type: tuple(name for name in type.__struct_fields__ if name not in LEFT_OUT)
    for type in (Message, Head, Snapshot, Opaque)
}


def strings_of(entry: Entry) -> list[str]:
    """Every string that is worth a hole, each once."""
    found: dict[str, None] = {}
    pending: list[Any] = []
    for name in reversed(FIELDS[type(entry)]):
        value = getattr(entry, name)
        if value:
            pending.append(value)
    while pending:
        value = pending.pop()
        kind = type(value)
        if kind is str:
            if len(value) >= SHORTEST:
                found[value] = None
        elif kind is tuple or kind is list:
            pending.extend(reversed(value))
        elif kind is dict:
            pending.extend(reversed(value.values()))
        elif kind is ToolCall:
            pending += (value.extra, value.id, value.input)
        elif isinstance(value, Struct):
            pending.extend(getattr(value, name) for name in reversed(value.__struct_fields__))
    return list(found)
