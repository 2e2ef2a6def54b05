"""The parts of a message: a closed union, matched exhaustively.

A part has no identity and no storage keys of its own; `extra` holds every native key that the
format's lens has no field for, so that nothing is lost.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from msgspec import Struct

Extra: TypeAlias = Mapping[str, Any]
"""Native keys and JSON values without a field in the model."""
NOTHING: dict[str, Any] = {}


class Text(Struct, frozen=True, gc=False, tag="text"):
    """Plain text."""

    text: str
    extra: Extra = NOTHING


class Thinking(Struct, frozen=True, gc=False, tag="thinking"):
    """The model's reasoning, as far as its program recorded it."""

    text: str
    signature: str | None = None
    extra: Extra = NOTHING


class ToolCall(Struct, frozen=True, gc=False, tag="tool_call"):
    """A tool call of the assistant."""

    name: str
    input: Any = None
    id: str | None = None
    """The call's id, by which its result names it."""
    extra: Extra = NOTHING


class Attachment(Struct, frozen=True, gc=False, tag="attachment"):
    """A file or image of a message."""

    name: str | None = None
    media_type: str | None = None
    url: str | None = None
    """Its location: a data URL, a link, or None if the content is not available."""
    extra: Extra = NOTHING


class Artifact(Struct, frozen=True, gc=False, tag="artifact"):
    """An artifact of the assistant: code, a page, a diagram."""

    id: str | None = None
    media_type: str | None = None
    title: str | None = None
    content: str | None = None
    extra: Extra = NOTHING


class Event(Struct, frozen=True, gc=False, tag="event"):
    """An event, not a message: compaction, a slash command."""

    kind: str
    text: str | None = None
    data: Any = None
    extra: Extra = NOTHING


class UnknownPart(Struct, frozen=True, gc=False, tag="unknown"):
    """A part of an unknown kind, kept whole."""

    kind: str
    value: Any = None


class ToolResult(Struct, frozen=True, gc=False, tag="tool_result"):
    """The result of a tool."""

    output: tuple[
        Text | Thinking | ToolCall | Attachment | Artifact | Event | UnknownPart, ...
    ] = ()
    call: str | None = None
    """The id of the call it answers; None if only the order shows it."""
    name: str | None = None
    error: bool = False
    detail: Any = None
    """The tool's structured answer, if it was recorded."""
    extra: Extra = NOTHING


Part: TypeAlias = (
    Text | Thinking | ToolCall | ToolResult | Attachment | Artifact | Event | UnknownPart
)
