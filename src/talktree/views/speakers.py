"""Who speaks in a message, by the name that its format gives the assistant."""

from __future__ import annotations

from functools import cache

from talktree.errors import NotFound
from talktree.formats import by_slug
from talktree.model.derived import ASSISTANT, speaker
from talktree.model.message import Message


def speaker_in(format: str, message: Message, agent: str | None = None) -> str:
    """Who speaks in a message of a format; the assistant may be called `agent` instead."""
    return speaker(message, agent=agent or _assistant(format))


@cache
def _assistant(format: str) -> str:
    try:
        return by_slug(format).info.assistant
    except NotFound:
        # Its package is not installed any more.
        return ASSISTANT
