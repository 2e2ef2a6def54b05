"""The place of a message, from a few members of its line, by a typed partial decode.

Contents are skipped. A line that the quick decoder refuses is read by the tolerant one; a line that
is not a message has no node.
"""

from __future__ import annotations

from typing import NamedTuple

import msgspec
from msgspec import Raw, Struct

from talktree.formats.sage.detect_kinds import SNAPSHOT
from talktree.text.json.decode import decode
from talktree.text.json.value import REFUSALS
from talktree.text.times import from_iso

NOTHING = Raw()


class IndexedMessage(NamedTuple):
    """A message and the place of its line."""

    id: str
    """Its uuid; `@` and the offset of its line if it has none."""
    parent: str | None
    """The uuid it names as its parent, whether or not there is such a message."""
    number: int
    """Its place in the order of lines: the offset at which its line starts."""
    start: int
    length: int
    """The length of its line, without the newline."""
    type: str
    sidechain: bool
    note: bool
    """Whether it only records a move."""
    time: int | None


class _Line(
    Struct,
    gc=False,
    rename={
        "id": "uuid",
        "parent": "parentUuid",
        "sidechain": "isSidechain",
        "time": "timestamp",
    },
):
    id: str | None = None
    parent: str | None = None
    type: str | None = None
    sidechain: bool | None = None
    operation: Raw = NOTHING
    time: str | None = None


_quick = msgspec.json.Decoder(_Line).decode


def parse_node(raw: bytes, start: int) -> IndexedMessage | None:
    """Return the message on a line, or None for other lines."""
    try:
        line = _quick(raw)
    except REFUSALS:
        return _parse_tolerantly(raw, start)
    if line.type is None or line.type == SNAPSHOT:
        return None
    return IndexedMessage(
        line.id or f"@{start}",
        line.parent or None,
        start,
        start,
        len(raw),
        line.type,
        bool(line.sidechain),
        bytes(line.operation)[:1] == b"{",
        None if line.time is None else from_iso(line.time),
    )


def _parse_tolerantly(raw: bytes, start: int) -> IndexedMessage | None:
    """Return the same for a line that is not quite valid."""
    value, _, usable = decode(raw)
    if not usable or not isinstance(value, dict):
        return None
    id, parent, type = value.get("uuid"), value.get("parentUuid"), value.get("type")
    if not isinstance(type, str) or type == SNAPSHOT:
        return None
    stamp = value.get("timestamp")
    return IndexedMessage(
        id if isinstance(id, str) and id else f"@{start}",
        parent if isinstance(parent, str) and parent else None,
        start,
        start,
        len(raw),
        type,
        value.get("isSidechain") is True,
        isinstance(value.get("operation"), dict),
        from_iso(stamp) if isinstance(stamp, str) else None,
    )


def has_own_id(node: IndexedMessage) -> bool:
    """Whether others can name it as their parent."""
    return node.id != f"@{node.start}"
