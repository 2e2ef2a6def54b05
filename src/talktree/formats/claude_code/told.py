"""Parts in words, for lines where Claude Code has no block for them."""

from __future__ import annotations

import re
from typing import assert_never

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
from talktree.text.json.value import Json
from talktree.text.json_write import encode

_TICKS = re.compile("`{3,}")


def whole(text: str) -> str:
    """A text without halves of characters: a request that holds one is refused."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def told(part: Part) -> str:
    """A part as something to read."""
    match part:
        case Text():
            return whole(part.text)
        case Thinking():
            return f"> **Thinking**\n{_quoted(whole(part.text))}" if part.text.strip() else ""
        case ToolCall():
            return f"**Call: {whole(part.name)}**\n{_fenced(json_text(part.input), 'json')}"
        case ToolResult():
            head = "**Error**" if part.error else "**Result**"
            return "\n".join([head, *(_fenced(told(each), "text") for each in part.output)])
        case Attachment():
            return _attachment(part)
        case Artifact():
            return whole(part.content or part.title or "**Artifact**")
        case Event():
            return whole(part.text) if part.text else f"*Event: {whole(part.kind)}*"
        case Unknown():
            return f"**Unknown: {whole(part.kind)}**\n{_fenced(json_text(part.value), 'json')}"
        case _:
            assert_never(part)


def json_text(value: Json) -> str:
    """A value as text that can stand in a message."""
    return whole(encode(value).decode())


def _attachment(part: Attachment) -> str:
    name = f": {whole(part.name)}" if part.name else ""
    media = f" ({whole(part.media_type)})" if part.media_type else ""
    # A data URL is content, not a place: nobody can read it.
    is_place = part.url and not part.url.lower().startswith("data:")
    return f"[Attachment{name}{media}]" + (f"({whole(part.url or '')})" if is_place else "")


def _quoted(text: str) -> str:
    return "> " + text.replace("\n", "\n> ")


def _fenced(inside: str, language: str) -> str:
    ticks = "`" * (1 + max((len(each) for each in _TICKS.findall(inside)), default=2))
    return f"{ticks}{language}\n{inside}\n{ticks}"
