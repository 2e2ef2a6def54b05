"""Contents as the Claude API has them: a text, or a list of blocks."""

from __future__ import annotations

import re
from typing import Any

from tests.oracle.shown import Shown

NO_CONTENT = "(no content)"
"""What Claude Code writes for a message without words."""
_COMMAND = re.compile(r"<(command-(?:name|args)|local-command-std(?:out|err))>(.*?)</\1>", re.S)
_MESSAGE = re.compile(r"<command-message>.*?</command-message>", re.S)


def split_command(text: str) -> tuple[str, ...]:
    """Return the visible part of a text: of a slash command its name, arguments and output."""
    if text == NO_CONTENT:
        return ()
    if not _COMMAND.search(text) or _MESSAGE.sub("", _COMMAND.sub("", text)).strip():
        # Tags among other words are words as well.
        return (text,)
    return tuple(inside for _, inside in _COMMAND.findall(text) if inside)


def show_content(id: str, role: str, content: Any) -> Shown:
    """Return a message with this content; blocks of other kinds are not words."""
    texts: list[str] = []
    calls: list[tuple[str, Any]] = []
    results: list[str] = []
    for block in [{"type": "text", "text": content}] if isinstance(content, str) else content or ():
        match block:
            case {"type": "text", "text": str(text)}:
                texts += split_command(text)
            case {"type": "thinking", "thinking": str(text)}:
                texts.append(text)
            case {"type": "tool_use", "name": str(name)}:
                calls.append((name, block.get("input")))
            case {"type": "tool_result"}:
                results.append(_result_text(block.get("content")))
    return Shown(id, role, tuple(texts), tuple(calls), tuple(results))


def _result_text(content: Any) -> str:
    if isinstance(content, str):
        return content
    blocks = [each for each in content or () if isinstance(each, dict)]
    return "\n".join(each["text"] for each in blocks if isinstance(each.get("text"), str))
