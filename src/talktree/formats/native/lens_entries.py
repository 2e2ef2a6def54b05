"""Every entry, part and field of the model, and how each is written."""

from __future__ import annotations

from typing import Any

from talktree.formats.lens import Object
from talktree.formats.native.lens_fields import (
    FLAG,
    JSON,
    NUMBER,
    OBJECT,
    TEXT,
    TEXTS,
    TIME,
    WORDS,
    Codec,
    Misfit,
    Shape,
    by_name,
    many,
    one,
)
from talktree.model.entries import FileState, Head, Opaque, Snapshot
from talktree.model.message import Author, Context, Message, ThinkingSetting, Todo, Usage
from talktree.model.parts import (
    Artifact,
    Attachment,
    Event,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    Unknown,
)
from talktree.text.json.value import Json

PLAIN_PARTS = {
    "text": Shape(Text, text=TEXT, extra=OBJECT),
    "thinking": Shape(Thinking, text=TEXT, signature=TEXT, extra=OBJECT),
    "tool_call": Shape(ToolCall, name=TEXT, input=JSON, id=TEXT, extra=OBJECT),
    "attachment": Shape(Attachment, name=TEXT, media_type=TEXT, url=TEXT, extra=OBJECT),
    "artifact": Shape(Artifact, id=TEXT, media_type=TEXT, title=TEXT, content=TEXT, extra=OBJECT),
    "event": Shape(Event, kind=TEXT, text=TEXT, data=JSON, extra=OBJECT),
    "unknown": Shape(Unknown, kind=TEXT, value=JSON),
}
"""Parts that hold no other parts, by their tag."""


def _part(shapes: dict[str, Shape]) -> Codec:
    """Parts of these kinds; anything else is kept whole as an unknown part."""
    tags = {shape.struct: tag for tag, shape in shapes.items()}

    def _write(part: Any) -> Object:  # noqa: ANN401
        tag = tags[type(part)]
        return {"part": tag, **shapes[tag].write(part)}

    def _read(value: Json) -> object:
        tag = value.get("part") if isinstance(value, dict) else None
        kind = tag if isinstance(tag, str) else ""
        if kind in shapes:
            try:
                return shapes[kind].read(value)
            except Misfit:
                pass
        return Unknown(kind, value)

    return Codec(_write, _read)


PARTS = PLAIN_PARTS | {
    "tool_result": Shape(
        ToolResult,
        output=many(_part(PLAIN_PARTS)),
        call=TEXT,
        name=TEXT,
        error=FLAG,
        detail=JSON,
        extra=OBJECT,
    )
}
_AUTHOR = Shape(Author, name=TEXT, version=TEXT)
_USAGE = Shape(Usage, input=NUMBER, output=NUMBER, cache_read=NUMBER, cache_write=NUMBER)
_CONTEXT = Shape(Context, cwd=TEXT, git_branch=TEXT, platform=TEXT, user_type=TEXT, version=TEXT)
_TODO = Shape(Todo, content=TEXT, status=TEXT, active_form=TEXT, extra=OBJECT)
_THINKING = Shape(ThinkingSetting, level=TEXT, disabled=FLAG, triggers=TEXTS, extra=OBJECT)
_FILE = Shape(
    FileState,
    state=TEXT,
    backup=TEXT,
    absent_before=FLAG,
    hash=TEXT,
    hash_before=TEXT,
    size=NUMBER,
    content_before=TEXT,
    version=NUMBER,
    time=TIME,
    extra=OBJECT,
)

ENTRIES = {
    "message": Shape(
        Message,
        id=TEXT,
        parent=TEXT,
        role=TEXT,
        parts=many(_part(PARTS)),
        time=TIME,
        authors=many(one(_AUTHOR)),
        session=TEXT,
        flags=WORDS,
        model=TEXT,
        usage=one(_USAGE),
        api_message=TEXT,
        follows=TEXT,
        agent=TEXT,
        context=one(_CONTEXT),
        todos=many(one(_TODO)),
        thinking=one(_THINKING),
        tags=TEXTS,
        extra=OBJECT,
    ),
    "head": Shape(
        Head, id=TEXT, kind=TEXT, title=TEXT, leaf=TEXT, time=TIME, updated=TIME, extra=OBJECT
    ),
    "snapshot": Shape(
        Snapshot,
        id=TEXT,
        message=TEXT,
        time=TIME,
        update=FLAG,
        files=by_name(one(_FILE)),
        extra=OBJECT,
    ),
    "opaque": Shape(Opaque, id=TEXT, kind=TEXT, value=JSON, size=NUMBER),
}
"""Entries by the name their line has."""
KINDS = {shape.struct: kind for kind, shape in ENTRIES.items()}
