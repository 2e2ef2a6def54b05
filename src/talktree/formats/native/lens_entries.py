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
    FieldCodecs,
    FieldMismatch,
    list_codec,
    mapping_codec,
    struct_codec,
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
    UnknownPart,
)
from talktree.text.json.value import Json

PLAIN_PARTS = {
    "text": FieldCodecs(Text, text=TEXT, extra=OBJECT),
    "thinking": FieldCodecs(Thinking, text=TEXT, signature=TEXT, extra=OBJECT),
    "tool_call": FieldCodecs(ToolCall, name=TEXT, input=JSON, id=TEXT, extra=OBJECT),
    "attachment": FieldCodecs(Attachment, name=TEXT, media_type=TEXT, url=TEXT, extra=OBJECT),
    "artifact": FieldCodecs(
        Artifact, id=TEXT, media_type=TEXT, title=TEXT, content=TEXT, extra=OBJECT
    ),
    "event": FieldCodecs(Event, kind=TEXT, text=TEXT, data=JSON, extra=OBJECT),
    "unknown": FieldCodecs(UnknownPart, kind=TEXT, value=JSON),
}
"""Parts that hold no other parts, by their tag."""


def _part_codec(shapes: dict[str, FieldCodecs]) -> Codec:
    """Return a codec for parts of these kinds; anything else is kept whole as an unknown part."""
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
            except FieldMismatch:
                pass
        return UnknownPart(kind, value)

    return Codec(_write, _read)


PARTS = PLAIN_PARTS | {
    "tool_result": FieldCodecs(
        ToolResult,
        output=list_codec(_part_codec(PLAIN_PARTS)),
        call=TEXT,
        name=TEXT,
        error=FLAG,
        detail=JSON,
        extra=OBJECT,
    )
}
_AUTHOR = FieldCodecs(Author, name=TEXT, version=TEXT)
_USAGE = FieldCodecs(Usage, input=NUMBER, output=NUMBER, cache_read=NUMBER, cache_write=NUMBER)
_CONTEXT = FieldCodecs(
    Context, cwd=TEXT, git_branch=TEXT, platform=TEXT, user_type=TEXT, version=TEXT
)
_TODO = FieldCodecs(Todo, content=TEXT, status=TEXT, active_form=TEXT, extra=OBJECT)
_THINKING = FieldCodecs(ThinkingSetting, level=TEXT, disabled=FLAG, triggers=TEXTS, extra=OBJECT)
_FILE = FieldCodecs(
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
    "message": FieldCodecs(
        Message,
        id=TEXT,
        parent=TEXT,
        role=TEXT,
        parts=list_codec(_part_codec(PARTS)),
        time=TIME,
        authors=list_codec(struct_codec(_AUTHOR)),
        session=TEXT,
        flags=WORDS,
        model=TEXT,
        usage=struct_codec(_USAGE),
        api_message=TEXT,
        follows=TEXT,
        agent=TEXT,
        context=struct_codec(_CONTEXT),
        todos=list_codec(struct_codec(_TODO)),
        thinking=struct_codec(_THINKING),
        tags=TEXTS,
        extra=OBJECT,
    ),
    "head": FieldCodecs(
        Head, id=TEXT, kind=TEXT, title=TEXT, leaf=TEXT, time=TIME, updated=TIME, extra=OBJECT
    ),
    "snapshot": FieldCodecs(
        Snapshot,
        id=TEXT,
        message=TEXT,
        time=TIME,
        update=FLAG,
        files=mapping_codec(struct_codec(_FILE)),
        extra=OBJECT,
    ),
    "opaque": FieldCodecs(Opaque, id=TEXT, kind=TEXT, value=JSON, size=NUMBER),
}
"""Entries by the name of their line."""
KINDS = {shape.struct: kind for kind, shape in ENTRIES.items()}
