"""The longer strings an entry holds, in an order that is the same each time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from talktree.convert.template import SHORTEST
from talktree.model.entries import Entry, Head, Opaque, Snapshot
from talktree.model.message import Message
from talktree.model.parts import Text
from talktree.text.json_value import Token

FIELDS = {
    type: tuple(name for name in type.__struct_fields__ if name != "flags")
    for type in (Message, Head, Snapshot, Opaque)
}
"""All but a set of short words, which has no order."""


def strings_of(entry: Entry) -> list[str]:
    """Every string that is worth a hole, each once."""
    found: dict[str, None] = {}
    pending: list[Any] = []
    for name in FIELDS[type(entry)]:
        value = getattr(entry, name)
        if type(value) is str:
            if len(value) >= SHORTEST:
                found[value] = None
        elif value and type(value) is not int:
            pending.append(value)
    parts = entry.parts if isinstance(entry, Message) else ()
    if len(parts) == 1 and type(parts[0]) is Text and not parts[0].extra:
        # The usual case needs no walk.
        pending.remove(parts)
        if len(parts[0].text) >= SHORTEST:
            found[parts[0].text] = None
    for text in _inside(pending):
        found[text] = None
    return list(found)


def _inside(pending: list[Any]) -> Iterator[str]:
    for each in pending:
        todo: list[Any] = [msgspec.to_builtins(each, enc_hook=_as_text)]
        while todo:
            value = todo.pop()
            if isinstance(value, str):
                if len(value) >= SHORTEST:
                    yield value
            elif isinstance(value, dict):
                todo.extend(reversed(value.values()))
            elif isinstance(value, list | tuple):
                todo.extend(reversed(value))


def _as_text(value: object) -> str:
    return value.text if isinstance(value, Token) else ""
