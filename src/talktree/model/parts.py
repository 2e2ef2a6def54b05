"""What a message is made of: a closed union of parts, matched exhaustively.

A part carries no identity of its own and no storage keys; `extra` holds every native key the
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
    """Words."""

    text: str
    extra: Extra = NOTHING


class Thinking(Struct, frozen=True, gc=False, tag="thinking"):
    """The model's reasoning, as far as the producer kept it."""

    text: str
    signature: str | None = None
    extra: Extra = NOTHING


class ToolCall(Struct, frozen=True, gc=False, tag="tool_call"):
    """A tool the assistant asked for."""

    name: str
    input: Any = None
    id: str | None = None
    """Names the call, so that its result can say which call it answers."""
    extra: Extra = NOTHING


class Attachment(Struct, frozen=True, gc=False, tag="attachment"):
    """A file or image that goes with a message."""

    name: str | None = None
    media_type: str | None = None
    url: str | None = None
    """Where it is: a data URL, a link, or None if the content is not at hand."""
    extra: Extra = NOTHING


class Artifact(Struct, frozen=True, gc=False, tag="artifact"):
    """Something the assistant made: code, a page, a diagram."""

    id: str | None = None
    media_type: str | None = None
    title: str | None = None
    content: str | None = None
    extra: Extra = NOTHING


class Event(Struct, frozen=True, gc=False, tag="event"):
    """Something that happened rather than something said: compaction, a slash command."""

    kind: str
    text: str | None = None
    data: Any = None
    extra: Extra = NOTHING


class UnknownPart(Struct, frozen=True, gc=False, tag="unknown"):
    """A part of a kind nobody here has heard of, kept whole."""

    kind: str
    value: Any = None


class ToolResult(Struct, frozen=True, gc=False, tag="tool_result"):
    """What a tool gave back."""

    output: tuple[
        Text | Thinking | ToolCall | Attachment | Artifact | Event | UnknownPart, ...
    ] = ()
    call: str | None = None
    """The id of the call it answers; None if only order tells."""
    name: str | None = None
    error: bool = False
    detail: Any = None
    """The tool's structured answer, where the producer records one."""
    extra: Extra = NOTHING


Part: TypeAlias = (
    Text | Thinking | ToolCall | ToolResult | Attachment | Artifact | Event | UnknownPart
)
