"""A message in a line of plain words: what it says, or else what it does."""

from __future__ import annotations

import re
from collections.abc import Mapping

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
from talktree.views.compactions import compaction_facts
from talktree.views.tools import call_title
from talktree.views.width import one_line

LABEL = 80
"""Characters of a label."""
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])|[_-]")
_HAPPENED = {
    "summary": "summary",
    "command": "command",
    "command_output": "output of a command",
}
_COMPACTIONS = {"compaction": "compacted", "microcompacted": "old results left out"}


EMPTY = "empty message"


def label(entry: object) -> str:
    """An entry in a line, which is never empty: what cannot be read is named by its kind."""
    if not isinstance(entry, Message):
        return _plain(str(getattr(entry, "kind", ""))) or type(entry).__name__.lower()
    words = one_line(entry.text[: 8 * LABEL], LABEL)
    if words:
        return words
    for part in entry.parts:
        if isinstance(part, ToolCall):
            return one_line(call_title(part), LABEL)
    told = dict.fromkeys(filter(None, map(_told, entry.parts)))
    return one_line(", ".join(told), LABEL) or EMPTY


def _told(part: Part) -> str:
    match part:
        case Text(text=text) | Thinking(text=text):
            return _with("thinking" if isinstance(part, Thinking) else "", text)
        case ToolCall():
            return call_title(part)
        case ToolResult():
            said = next((each.text for each in part.output if isinstance(each, Text)), "")
            return _with("failed tool result" if part.error else "tool result", said)
        case Attachment(name=name, media_type=media_type):
            return name or ("image" if _is_image(media_type) else "attachment")
        case Artifact(title=title):
            return title or "artifact"
        case Event():
            return _happened(part)
        case Unknown(kind=kind):
            return _plain(kind)


def _is_image(media_type: str | None) -> bool:
    return (media_type or "").startswith("image/")


def _happened(event: Event) -> str:
    if event.kind == "command" and isinstance(event.data, Mapping):
        words = [event.data.get(key) for key in ("name", "args")]
        told = " ".join(word for word in words if isinstance(word, str) and word)
        if told:
            return one_line(told, LABEL)
    if event.kind in COMPACTIONS:
        what = _COMPACTIONS.get(event.kind, event.kind)
        facts = compaction_facts(event)
        return one_line(f"{what}: {facts}" if facts else what, LABEL)
    known = _HAPPENED.get(event.kind)
    return _with(known or _plain(event.kind), event.text or "")


def _with(what: str, text: str) -> str:
    """A thing and the first words of it."""
    words = one_line(text[: 8 * LABEL], LABEL)
    return f"{what}: {words}" if what and words else what or words


def _plain(name: str) -> str:
    """The name of a kind as words."""
    return one_line(_HUMP.sub(" ", name).lower(), LABEL)
