"""Validating the arguments of a draft's methods: wrong values raise clear errors."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import get_args
from uuid import UUID

from talktree.errors import NotFound, Unreadable, UsageError
from talktree.formats.attachment_review import refuse_size
from talktree.formats.format import Format
from talktree.model.conversation import Conversation
from talktree.model.message import Author, Message, ThinkingLevel
from talktree.text.times import EARLIEST, LATEST, MILLI, from_datetime, from_iso

LEVELS: tuple[ThinkingLevel, ...] = get_args(ThinkingLevel)
Moment = datetime | str | int
"""A time: a `datetime`, an ISO 8601 text, or nanoseconds since 1970."""


def require_text(value: object, what: str) -> str:
    """Return a text; raise an error that names the argument if it is not one."""
    if not isinstance(value, str):
        raise UsageError(f"{what} must be a str, not {type(value).__name__}")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise UsageError(
            f"{what} cannot hold half of a character, as at {error.start}",
            hint="decode it with errors='replace'",
        ) from None
    return value


def resolve_message_id(conversation: Conversation, value: object) -> str:
    """Return the id of a message that is given as a message, by its id or by a unique prefix."""
    if isinstance(value, Message):
        value = value.id
    if not isinstance(value, str):
        raise UsageError(
            f"a message is named by its id, not by {type(value).__name__}",
            hint="give the id or the message",
        )
    return conversation[value].id


def choose_new_id(format: Format, conversation: Conversation, value: object) -> str:
    """Return an id for a new message, if it is unused and the format allows it."""
    id = require_text(value, "an id")
    if not id.strip():
        raise UsageError("an id cannot be empty", hint="leave it out to get one")
    if id in conversation.skeleton.by_id:
        raise UsageError(f"the id {id} is that of another message", hint="leave it out to get one")
    if format.can.ids == "uuid" and not _is_uuid(id):
        raise UsageError(
            f"{id[:80]!r} is not a UUID, and ids of {format.info.slug} are",
            hint="leave it out to get one",
        )
    return id


def _is_uuid(text: str) -> bool:
    try:
        return str(UUID(text)) == text.lower()
    except ValueError:
        return False


def parse_time(value: Moment, format: Format) -> int:
    """Return a time in nanoseconds, with the precision of the format."""
    time: int | None = None
    if isinstance(value, datetime):
        time = from_datetime(value)
    elif isinstance(value, str):
        time = from_iso(value)
    elif isinstance(value, int) and not isinstance(value, bool):
        time = value
    if time is None or not EARLIEST <= time <= LATEST:
        raise UsageError(
            f"invalid date {value!r}",
            hint="a datetime, a text such as 2026-01-31T12:00:00Z, or nanoseconds since 1970",
        )
    return time - time % MILLI if format.can.time == "ms" else time


def parse_author(value: object) -> Author:
    """Return the author of a message."""
    author = value if isinstance(value, Author) else Author(require_text(value, "an author"))
    if not author.name.strip():
        raise UsageError("an author has a name", hint="leave the author out if there is no name")
    return author


def parse_thinking_level(value: object) -> ThinkingLevel:
    """Return a level of thinking."""
    for level in LEVELS:
        if value == level:
            return level
    raise UsageError(f"{value!r} is not a level of thinking", hint=f"one of {', '.join(LEVELS)}")


def read_attachment_file(value: object) -> tuple[Path, bytes]:
    """Return a file and its bytes."""
    if not isinstance(value, str | Path):
        raise UsageError(f"a path must be a str or a Path, not {type(value).__name__}")
    path = Path(value)
    try:
        refuse_size(path.stat().st_size, path.name)
        return path, path.read_bytes()
    except FileNotFoundError:
        raise NotFound(f"{path}: no such file", hint="check the spelling") from None
    except IsADirectoryError:
        raise UsageError(f"{path} is a folder", hint="attach its files") from None
    except ValueError:
        raise UsageError(f"{str(path)!r} is not a path") from None
    except OSError as error:
        raise Unreadable(f"{path}: {error.strerror or error}") from None
