"""What some formats say of a message that the model has no name for.

Only here are native names known of records that were read through the model.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from talktree.library.reading.claude_members import PROGRESS
from talktree.library.reading.keys import count
from talktree.library.reading.told import Measure
from talktree.model.message import Message
from talktree.text.json_value import Json

CLAUDE_CODE = "claude-code"
CACHE = "cache_creation"
CLASSES = "front_desk_classification_results"
SECONDS = ("seconds_until_streaming", "seconds_until_finished")
MOST_SECONDS = 1e9
WORDS = {"sentiment": "sentiment", "user_language": "language", "unity_topics": "topic"}
"""What is measured in Muse's classes, and what it is called here."""


class Extras(NamedTuple):
    """What a record says of its API reply and its origin."""

    request: str | None = None
    """The id of the request that the reply answers."""
    written: int | None = None
    """Tokens written to the cache, where it is told for how long they are kept."""
    hour: int = 0
    """Those of them that are kept for an hour."""
    parent: str | None = None
    """The session it was copied from."""


NOTHING = Extras()


def extras_of(format: str, message: Message) -> Extras:
    """What a message says beyond the model."""
    if format != CLAUDE_CODE or not message.extra:
        return NOTHING
    extra = message.extra
    usage = _below(extra, "message", "usage")
    written, hour = None, 0
    if isinstance(usage.get(CACHE), Mapping):
        cache = _below(usage, CACHE)
        hour = _count(cache.get("ephemeral_1h_input_tokens"))
        written = hour + _count(cache.get("ephemeral_5m_input_tokens"))
    parent = _below(extra, "forkedFrom").get("sessionId")
    return Extras(_text(extra.get("requestId")), written, hour, _text(parent))


def carried(format: str, message: Message) -> Message | None:
    """A message of a sub-agent that a line on its progress holds."""
    if format != CLAUDE_CODE or message.role != PROGRESS:
        return None
    from talktree.formats.base import Record
    from talktree.formats.claude_code.lens import get

    inner = _below(message.extra, "data").get("message")
    entry = get(Record(inner)) if isinstance(inner, dict) else None
    return entry if isinstance(entry, Message) else None


def measures_of(message: Message, time: int | None) -> Iterator[Measure]:
    """What was measured of a message, where its format does."""
    extra = message.extra
    for name in SECONDS:
        seconds = extra.get(name)
        if type(seconds) in (int, float) and 0 <= float(seconds or 0) < MOST_SECONDS:
            yield Measure(time, name, float(seconds or 0))
    classes = _below(extra, CLASSES)
    for key, name in WORDS.items():
        found = classes.get(key)
        for word in found if isinstance(found, list) else [found]:
            if isinstance(word, str) and word:
                yield Measure(time, name, word)


def _below(value: Mapping[str, Any], *names: str) -> Mapping[str, Any]:
    """The object under some names; empty if there is none."""
    here: Any = value
    for name in names:
        here = here.get(name)
        if not isinstance(here, Mapping):
            return {}
    found: Mapping[str, Any] = here
    return found


def _text(value: Json) -> str | None:
    return value if isinstance(value, str) else None


def _count(value: Json) -> int:
    return count(value) if type(value) is int else 0
