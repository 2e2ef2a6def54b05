"""A new record made by hand: what Sage demands of it, with an id and a time of its own.

Entries from elsewhere are `adopt`'s, which knows no clock.
"""

from __future__ import annotations

from time import time_ns
from uuid import uuid4

from msgspec.structs import replace

from talktree.formats.sage.demanded import demanded
from talktree.model.entries import Entry, Head, Opaque, Snapshot
from talktree.model.message import Message
from talktree.text.json.value import Json

METADATA: dict[str, Json] = {
    "workingDirectory": "",
    "version": "",
    "messageCount": 0,
    "state": "active",
}


def complete(entry: Entry) -> Entry:
    """An entry with everything that a new record must have."""
    match entry:
        case Message():
            whole = demanded(entry)
            return replace(whole, id=entry.id or str(uuid4()), time_ns=_or_now(entry.time_ns))
        case Snapshot():
            return replace(entry, time_ns=_or_now(entry.time_ns), message=entry.message or None)
        case Head():
            time = _or_now(entry.time_ns)
            updated = time if entry.updated_ns is None else entry.updated_ns
            return replace(
                entry, time_ns=time, updated_ns=updated, extra={**METADATA, **entry.extra}
            )
        case Opaque():
            return entry


def _or_now(time: int | None) -> int:
    return time_ns() if time is None else time
