"""Parts of a message as single lines: attachments, artifacts, events, what nobody knows."""

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
    Unknown,
)
from talktree.text.escape import uncoloured
from talktree.text.json.encode import encode
from talktree.text.json.value import Json
from talktree.text.media import data_size, data_url
from talktree.views.compactions import compaction_text
from talktree.views.details import details as details
from talktree.views.lines import Line, line
from talktree.views.width import counted, one_line, size, unwrapped

WIDTH = 100
NOT_KEPT = "not kept"
"""What is said of a thought whose words its program left out."""


def is_filler(message: Message, number: int) -> bool:
    """Whether a part is the empty text that a format requires beside calls and files."""
    parts = message.parts
    return number == 0 and len(parts) > 1 and isinstance(parts[0], Text) and not parts[0].text


def part_line(part: Part) -> Line:
    """A part on one line."""
    match part:
        case Text():
            return line(one_line(part.text, WIDTH))
        case Thinking():
            return line(("thinking: ", "faint"), (thought(part, WIDTH), "faint"))
        case ToolCall():
            return line((part.name, "tool"))
        case ToolResult():
            return line(("failed" if part.error else "result", "error" if part.error else "tool"))
        case Attachment():
            return _attachment(part)
        case Artifact():
            return _artifact(part)
        case Event():
            return event_line(part)
        case Unknown():
            told = one_line(compact_json(part.value), WIDTH // 2)
            return line((f"[{one_line(part.kind, 40)}: {told}]", "faint"))
        case _:
            assert_never(part)


def thought(part: Thinking, most: int) -> str:
    """The first words of a thought; some programs write down only that there was one."""
    return one_line(part.text, most) or NOT_KEPT


def _attachment(part: Attachment) -> Line:
    url = part.url or ""
    head = data_url(url)
    if head is not None:
        where = size(data_size(url, head))
    elif url.startswith("data:"):
        where = "empty"
    else:
        where = one_line(url, WIDTH) if url else "content not here"
    told = [one_line(each, WIDTH // 2) for each in (part.name, part.media_type) if each]
    return line(("[attachment: ", "mark"), ", ".join([*told, where]), ("]", "mark"))


def _artifact(part: Artifact) -> Line:
    length = [] if part.content is None else [counted(len(part.content), "character")]
    told = [one_line(each, WIDTH // 2) for each in (part.title or part.id, part.media_type) if each]
    return line(("[artifact: ", "mark"), ", ".join([*told, *length]), ("]", "mark"))


def event_line(event: Event) -> Line:
    """Something that happened."""
    if event.kind in COMPACTIONS:
        return line((compaction_text(event), "mark"))
    if event.kind == "command":
        return line(("[", "faint"), (_command(event), "tool"), ("]", "faint"))
    kind = event.kind.replace("_", " ")
    text = uncoloured(unwrapped(event.text)) if event.text else ""
    told = one_line(text, WIDTH) or details(event.data)
    return line((f"{one_line(kind, 40)}{': ' if told else ''}", "mark"), (told, "faint"))


def _command(event: Event) -> str:
    data = event.data if isinstance(event.data, Mapping) else {}
    words = [data.get(key) for key in ("name", "args")]
    told = " ".join(word for word in words if isinstance(word, str) and word)
    return one_line(told or event.text or "command", WIDTH)


def compact_json(value: Json) -> str:
    """A value as JSON text on one line."""
    if isinstance(value, str):
        return value
    return encode(value).decode()
