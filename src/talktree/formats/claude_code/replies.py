"""The API replies that lines of a Claude Code session are part of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from talktree.formats.claude_code.lens import get
from talktree.formats.format import Record
from talktree.model.message import Message
from talktree.model.replies import ReplyUsage, make_reply_usage, to_valid_count

PROGRESS = "progress"
CACHE = "cache_creation"
ID_ENDINGS = ("Id", "ID", "Uuid", "UUID")
"""Suffixes of the names of members that hold ids."""


def find_replies(message: Message, own: str) -> Iterator[ReplyUsage]:
    """Yield the reply of a message, and that of a sub-agent's message in a progress line."""
    found = _make_reply(message, own)
    if found is not None:
        yield found
    inner = _find_inner_message(message)
    if inner is not None:
        found = _make_reply(inner, inner.id)
        if found is not None:
            yield found


def find_record_ids(message: Message) -> Iterator[str]:
    """Yield the ids of a line that have no field in the model: of its request and its subject."""
    for name, value in message.extra.items():
        if isinstance(value, str) and name.endswith(ID_ENDINGS):
            yield value
    inner = _find_inner_message(message)
    if inner is not None:
        yield from filter(None, (inner.id, inner.parent, inner.session, inner.api_message))
        yield from find_record_ids(inner)


def _find_inner_message(message: Message) -> Message | None:
    """Return the sub-agent's message in a progress line, or None."""
    if message.role != PROGRESS:
        return None
    value = _get_object(message.extra, "data").get("message")
    inner = get(Record(value)) if isinstance(value, dict) else None
    return inner if isinstance(inner, Message) else None


def _make_reply(message: Message, own: str) -> ReplyUsage | None:
    if message.usage is None or not message.extra:
        return make_reply_usage(message, own)
    extra = message.extra
    request, usage = extra.get("requestId"), _get_object(extra, "message", "usage")
    written, hour = None, 0
    if isinstance(usage.get(CACHE), Mapping):
        cache = _get_object(usage, CACHE)
        hour = _read_count(cache.get("ephemeral_1h_input_tokens"))
        written = hour + _read_count(cache.get("ephemeral_5m_input_tokens"))
    named = request if isinstance(request, str) else None
    return make_reply_usage(message, own, request=named, written=written, hour=hour)


def _get_object(value: Mapping[str, Any], *names: str) -> Mapping[str, Any]:
    """Return the object under a path of names; empty if there is none."""
    here: Any = value
    for name in names:
        here = here.get(name)
        if not isinstance(here, Mapping):
            return {}
    found: Mapping[str, Any] = here
    return found


def _read_count(value: object) -> int:
    return to_valid_count(value) if type(value) is int else 0
