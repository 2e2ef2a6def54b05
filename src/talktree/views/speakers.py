"""The speaker of a message, with the name that its format gives the assistant."""

from __future__ import annotations

from functools import cache

from talktree.errors import NotFound
from talktree.formats import get_format
from talktree.model.derived import ASSISTANT, find_speaker
from talktree.model.message import Message


def find_format_speaker(format: str, message: Message, agent: str | None = None) -> str:
    """Return the speaker of a message of a format; the assistant may be called `agent` instead."""
    return find_speaker(message, agent=agent or _find_assistant_name(format))


@cache
def _find_assistant_name(format: str) -> str:
    try:
        return get_format(format).info.assistant
    except NotFound:
        # The package of the format is not installed any more.
        return ASSISTANT
