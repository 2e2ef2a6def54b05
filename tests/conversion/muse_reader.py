"""The message histories that a strict reader accepts, from the document's tables of fields."""

from __future__ import annotations

from typing import Any, Literal

import msgspec
from msgspec import Struct, field

from tests.conversion.foreign import Files


class Entry(Struct):
    """A message with every core field; the optional ones may be missing."""

    id: str
    request_id: str
    timestamp: int | float
    role: Literal["user", "assistant", "system"]
    content: str
    author: str
    tags: list[str]


class History(Struct):
    """The base structure."""

    db_id: str = field(name="_id")
    schema_version: int | float
    conversation_id: str
    message_history: list[Entry]
    last_updated_timestamp: int | float
    title: str | None = None


ROOT = ("_id", "schema_version", "conversation_id", "message_history", "last_updated_timestamp")


def histories(files: Files) -> list[History]:
    """Return the conversations; raise AssertionError or ValidationError for invalid files."""
    return [_history(data) for _, data in sorted(files.items())]


def _history(data: bytes) -> History:
    raw: dict[str, Any] = msgspec.json.decode(data)
    assert [name for name in raw if name in ROOT] == list(ROOT)
    found = msgspec.json.decode(data, type=History)
    assert found.db_id
    assert found.conversation_id
    assert found.schema_version > 0
    names = [message.id for message in found.message_history]
    assert all(names)
    assert len(set(names)) == len(names)
    assert all(message.author and message.request_id for message in found.message_history)
    times = [message.timestamp for message in found.message_history]
    assert all(time <= found.last_updated_timestamp for time in times)
    return found
