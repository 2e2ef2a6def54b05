"""What some formats say of a message that the model has no name for.

Only here are native names known of records that were read through the model.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from talktree.library.reading.told import Measure
from talktree.model.message import Message
from talktree.text.json_value import Json

CLAUDE_CODE = "claude-code"
CLASSES = "front_desk_classification_results"
SECONDS = ("seconds_until_streaming", "seconds_until_finished")
MOST_SECONDS = 1e9
WORDS = {"sentiment": "sentiment", "user_language": "language", "unity_topics": "topic"}
"""What is measured in Muse's classes, and what it is called here."""


def parent_session(format: str, message: Message) -> str | None:
    """The session that a message was copied from."""
    if format != CLAUDE_CODE or not message.extra:
        return None
    return _text(_below(message.extra, "forkedFrom").get("sessionId"))


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
