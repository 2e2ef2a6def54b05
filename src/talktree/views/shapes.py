"""The output of `--json`: plain values with fixed keys, and the text of whole documents.

Keys are only ever added; a change of meaning raises `SCHEMA_VERSION`. Numbers that JSON cannot hold
(NaN, 1e999) become texts, as they are in the file.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import assert_never

from talktree.formats import get_format
from talktree.model.conversation import Conversation
from talktree.model.link_repair import find_inferred_links
from talktree.model.measures import MessageMeasures, get_recorded_usage
from talktree.model.message import Message
from talktree.model.parts import (
    Artifact,
    Attachment,
    Event,
    Part,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    UnknownPart,
)
from talktree.text.escape import escape_json
from talktree.text.json.encode import COMPACT, PRETTY, Style, encode_json
from talktree.text.json.value import Json, Token
from talktree.views.plain_document import SCHEMA_VERSION as SCHEMA_VERSION
from talktree.views.speakers import find_format_speaker
from talktree.views.width import format_stamp

Object = dict[str, Json]


def format_document(document: Object) -> str:
    """Return a result as one JSON document."""
    return format_json({"schema_version": SCHEMA_VERSION, **document}, PRETTY) + "\n"


def format_conversations(
    found: Iterable[tuple[Conversation, Iterable[Message]]], *, tail: Object
) -> Iterator[str]:
    """Yield conversations with their messages as one JSON document, written as they are read."""
    yield f'{{"schema_version":{SCHEMA_VERSION},"conversations":['
    for number, (conversation, messages) in enumerate(found):
        head = format_json(_build_conversation_shape(conversation))
        yield f'{"," if number else ""}\n{head[:-1]},"messages":['
        for place, message in enumerate(messages):
            shape = build_message_shape(message, format=conversation.format)
            yield f"{',' if place else ''}\n{format_json(shape)}"
        yield "]}"
    yield f"],{format_json(tail)[1:]}\n"


def _build_conversation_shape(conversation: Conversation) -> Object:
    ids, counts = conversation.skeleton.ids, conversation.counts
    return {
        "id": conversation.native_id,
        "title": conversation.title,
        "format": conversation.format,
        "counts": {
            "records": counts.records,
            "messages": counts.messages,
            "threads": counts.threads,
            "branches": counts.branches,
            "sidechains": counts.sidechains,
        },
        "branches": [
            {
                "leaf": branch.leaf,
                "fork": branch.fork,
                "kind": branch.kind,
                "messages": branch.messages,
            }
            for branch in conversation.branches()
        ],
        "inferred": [
            {"message": ids[position], "parent": ids[above]}
            for position, above in sorted(find_inferred_links(conversation).items())
        ],
    }


def build_message_shape(message: Message, *, format: str, agent: str | None = None) -> Object:
    """Return a message as JSON values."""
    measures = get_format(format).measures(message)
    usage = message.usage or get_recorded_usage(measures)
    return {
        "id": message.id,
        "parent": message.parent,
        "role": message.role,
        "speaker": find_format_speaker(format, message, agent),
        "time": format_stamp(message.time_ns) or None,
        "model": message.model,
        "usage": None if usage is None else _build_fields(usage),
        "flags": [*sorted(message.flags)],
        "parts": [build_part_shape(part) for part in message.parts],
        "todos": None if message.todos is None else [
            {"content": todo.content, "status": todo.status} for todo in message.todos
        ],
        "measures": build_measures_shape(measures),
    }  # fmt: skip


def build_measures_shape(measures: MessageMeasures) -> Object:
    """Return the recorded measures of a message."""
    found: Object = {}
    for name in measures.__struct_fields__:
        value = getattr(measures, name)
        if value is not None and value != ():
            found[name] = [*value] if isinstance(value, tuple) else value
    return found


def _build_fields(usage: object) -> Object:
    names: tuple[str, ...] = type(usage).__struct_fields__  # type: ignore[attr-defined]
    return {name: getattr(usage, name) for name in names}


def build_part_shape(part: Part) -> Object:
    """Return a part as JSON values, with its kind as `type`."""
    match part:
        case Text():
            return {"type": "text", "text": part.text}
        case Thinking():
            return {"type": "thinking", "text": part.text}
        case ToolCall():
            return {"type": "tool_call", "id": part.id, "name": part.name, "input": part.input}
        case ToolResult():
            return {
                "type": "tool_result",
                "call": part.call,
                "name": part.name,
                "error": part.error,
                "output": [build_part_shape(each) for each in part.output],
                "detail": part.detail,
            }
        case Attachment():
            return {
                "type": "attachment",
                "name": part.name,
                "media_type": part.media_type,
                "url": part.url,
            }
        case Artifact():
            return {
                "type": "artifact",
                "id": part.id,
                "media_type": part.media_type,
                "title": part.title,
                "content": part.content,
            }
        case Event():
            return {"type": "event", "kind": part.kind, "text": part.text, "data": part.data}
        case UnknownPart():
            return {"type": "unknown", "kind": part.kind, "value": part.value}
        case _:
            assert_never(part)


def format_json(value: Json, style: Style = COMPACT) -> str:
    """Return JSON text that any reader accepts and that is safe to print on a terminal."""
    return escape_json(encode_json(_to_standard_json(value), style).decode())


def _to_standard_json(value: Json) -> Json:
    """Return a copy in which everything is standard JSON."""
    top: list[Json] = [None]
    pending: list[tuple[Json, list[Json] | Object, int | str]] = [(value, top, 0)]
    while pending:
        item, holder, place = pending.pop()
        made: Json = item
        if isinstance(item, Mapping):
            made = inner = dict.fromkeys(map(str, item))
            pending.extend((each, inner, str(key)) for key, each in item.items())
        elif isinstance(item, (list, tuple)):
            listed: list[Json] = [None] * len(item)
            made = listed
            pending.extend((each, listed, number) for number, each in enumerate(item))
        elif isinstance(item, Token):
            made = item.text
        elif isinstance(item, float) and not math.isfinite(item):
            made = repr(item)
        holder[place] = made  # type: ignore[index]
    return top[0]
