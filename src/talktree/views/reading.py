"""Messages as people read them, where the texts of a format hold more than words."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from talktree.errors import NotFound
from talktree.formats import by_slug
from talktree.model.message import Message


def as_read(format: str) -> Callable[[Message], Message]:
    """What makes a message of a format readable; the parts stay in their places."""
    return _of(format) or _as_it_is


@cache
def _of(format: str) -> Callable[[Message], Message] | None:
    try:
        return by_slug(format).readable
    except NotFound:
        return None


def _as_it_is(message: Message) -> Message:
    return message
