"""Parts of a message as single lines: attachments, artifacts, events, unknown parts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import assert_never

from talktree.model.compaction import COMPACTIONS
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
from talktree.text.escape import strip_colors
from talktree.text.json.encode import encode_json
from talktree.text.json.value import Json
from talktree.text.media import data_size, parse_data_url
from talktree.views.compactions import format_compaction
from talktree.views.details import format_details as format_details
from talktree.views.lines import Line, line
from talktree.views.width import format_count, format_size, to_one_line, unwrap_tag

WIDTH = 100
NOT_KEPT = "not kept"
"""Shown for a thought whose text its program did not keep."""


def is_filler(message: Message, number: int) -> bool:
    """Whether a part is the empty text that a format requires beside calls and files."""
    parts = message.parts
    return number == 0 and len(parts) > 1 and isinstance(parts[0], Text) and not parts[0].text


def format_part(part: Part) -> Line:
    """Return a part in one line."""
    match part:
        case Text():
            return line(to_one_line(part.text, WIDTH))
        case Thinking():
            return line(("thinking: ", "faint"), (format_thought(part, WIDTH), "faint"))
        case ToolCall():
            return line((part.name, "tool"))
        case ToolResult():
            return line(("failed" if part.error else "result", "error" if part.error else "tool"))
        case Attachment():
            return _format_attachment(part)
        case Artifact():
            return _format_artifact(part)
        case Event():
            return format_event(part)
        case UnknownPart():
            words = to_one_line(format_compact_json(part.value), WIDTH // 2)
            return line((f"[{to_one_line(part.kind, 40)}: {words}]", "faint"))
        case _:
            assert_never(part)


def format_thought(part: Thinking, most: int) -> str:
    """Return the first words of a thought; some programs record only that there was one."""
    return to_one_line(part.text, most) or NOT_KEPT


def _format_attachment(part: Attachment) -> Line:
    url = part.url or ""
    head = parse_data_url(url)
    if head is not None:
        where = format_size(data_size(url, head))
    elif url.startswith("data:"):
        where = "empty"
    else:
        where = to_one_line(url, WIDTH) if url else "content not here"
    words = [to_one_line(each, WIDTH // 2) for each in (part.name, part.media_type) if each]
    return line(("[attachment: ", "mark"), ", ".join([*words, where]), ("]", "mark"))


def _format_artifact(part: Artifact) -> Line:
    length = [] if part.content is None else [format_count(len(part.content), "character")]
    words = [
        to_one_line(each, WIDTH // 2) for each in (part.title or part.id, part.media_type) if each
    ]
    return line(("[artifact: ", "mark"), ", ".join([*words, *length]), ("]", "mark"))


def format_event(event: Event) -> Line:
    """Return an event in one line."""
    if event.kind in COMPACTIONS:
        return line((format_compaction(event), "mark"))
    if event.kind == "command":
        return line(("[", "faint"), (_format_command(event), "tool"), ("]", "faint"))
    kind = event.kind.replace("_", " ")
    text = strip_colors(unwrap_tag(event.text)) if event.text else ""
    words = to_one_line(text, WIDTH) or format_details(event.data)
    return line((f"{to_one_line(kind, 40)}{': ' if words else ''}", "mark"), (words, "faint"))


def _format_command(event: Event) -> str:
    data = event.data if isinstance(event.data, Mapping) else {}
    words = [data.get(key) for key in ("name", "args")]
    texts = " ".join(word for word in words if isinstance(word, str) and word)
    return to_one_line(texts or event.text or "command", WIDTH)


def format_compact_json(value: Json) -> str:
    """Return a value as JSON text in one line."""
    if isinstance(value, str):
        return value
    return encode_json(value).decode()
