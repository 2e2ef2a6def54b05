"""A message: one node of the conversation tree."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from msgspec import Struct, field

from talktree.model.parts import NOTHING, Extra, Part, Text
from talktree.text.times import to_datetime

SIDECHAIN = "sidechain"
DELETED = "deleted"
META = "meta"
ERROR = "error"
ABORTED = "aborted"
NO_FLAGS: frozenset[str] = frozenset()
ThinkingLevel = Literal["none", "low", "medium", "high"]
"""The reasoning effort of a model."""
SHOWN_WORDS = 40
"""Number of characters of a message in its `repr`."""


class Author(Struct, frozen=True, gc=False):
    """The writer of a message."""

    name: str
    version: str | None = None


class Usage(Struct, frozen=True, gc=False):
    """The tokens of one API message."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0


class Context(Struct, frozen=True, gc=False, kw_only=True):
    """The place where the message was written."""

    cwd: str | None = None
    git_branch: str | None = None
    platform: str | None = None
    user_type: str | None = None
    version: str | None = None
    """The version of the program that wrote it."""


class Todo(Struct, frozen=True, gc=False):
    """One task and its state."""

    content: str
    status: str
    active_form: str | None = None
    extra: Extra = NOTHING


class ThinkingSetting(Struct, frozen=True, gc=False, kw_only=True):
    """The reasoning effort that was requested."""

    level: str | None = None
    disabled: bool = False
    triggers: tuple[str, ...] = ()
    extra: Extra = NOTHING


class Message(Struct, frozen=True, gc=False, kw_only=True, tag="message"):
    """One message or action, by a role, at a place in the tree."""

    id: str = ""
    parent: str | None = None
    role: str = "unknown"
    """user, assistant, system, tool, or any other word the source uses."""
    parts: tuple[Part, ...] = ()
    time_ns: int | None = field(default=None, name="time")
    """When it was written, in nanoseconds since 1970, UTC."""
    authors: tuple[Author, ...] = ()
    session: str | None = None
    flags: frozenset[str] = NO_FLAGS
    """Any of sidechain, deleted, meta, error, aborted."""
    model: str | None = None
    usage: Usage | None = None
    api_message: str | None = None
    """The API reply it is a piece of; entries that share one also share its usage."""
    follows: str | None = None
    """The message it continues if that is not its parent, as after a compaction."""
    agent: str | None = None
    """The sub-agent that wrote it."""
    context: Context | None = None
    todos: tuple[Todo, ...] | None = None
    thinking: ThinkingSetting | None = None
    tags: tuple[str, ...] = ()
    extra: Extra = NOTHING

    @property
    def text(self) -> str:
        """Its text, without thinking and tools."""
        return "\n".join(part.text for part in self.parts if isinstance(part, Text))

    @property
    def time(self) -> datetime | None:
        """When it was written, in UTC; `time_ns` is exact."""
        return to_datetime(self.time_ns)

    def __repr__(self) -> str:
        words = self.text
        if len(words) > SHOWN_WORDS:
            words = f"{words[: SHOWN_WORDS - 1].rstrip()}…"
        others = len(self.parts) - sum(isinstance(part, Text) for part in self.parts)
        more = f" +{others} part{'s' if others > 1 else ''}" if others else ""
        return f"<Message {self.role} {self.id} {words!r}{more}>"


HIDING = (DELETED, META)
"""The flags of messages that are hidden from other readers; the first one that applies counts."""


def find_hiding_flag(message: Message) -> str | None:
    """Return the flag that hides a message from other people and programs; None if it is
    visible."""
    return next((flag for flag in HIDING if flag in message.flags), None)
