"""The header line in which a message file embeds source data.

It is one line of JSON in ASCII, so that every reader of headers sees exactly one line. It is placed
before the blank comment line above the role; in a file without a header it is the header.
"""

from __future__ import annotations

from talktree.formats.chatbuilder.parse import MessageLayout, parse_layout
from talktree.formats.chatbuilder.parse_header import (
    ROLE,
    HeaderLine,
    with_newline,
    without_newline,
)
from talktree.text.json.decode import decode
from talktree.text.json.encode import Style, encode_json
from talktree.text.json.value import Json

KEY = "X-Talktree"
_ASCII = Style(ascii=True)


def embed_source(text: str, carried: Json) -> str:
    """Return a message file with the line added."""
    layout = parse_layout(text)
    line = HeaderLine("; ", KEY, ": ", encode_json(carried, _ASCII).decode())
    if not layout.lines:
        return layout._replace(lines=(line,), separator="\n\n\n").text
    return _with_line(layout, _insertion_index(layout), line).text


def _insertion_index(layout: MessageLayout) -> int:
    """Return the index before the blank comment line and the role, and after an HTML comment."""
    lines = layout.lines
    role = next((at for at, each in enumerate(lines) if each.name == ROLE), len(lines))
    if role <= layout.comment:
        return len(lines)
    return role - 1 if lines[role - 1].key is None else role


def _with_line(layout: MessageLayout, at: int, line: HeaderLine) -> MessageLayout:
    lines = list(layout.lines)
    if at < len(lines):
        lines.insert(at, with_newline(line, layout.newline))
    else:
        lines[-1] = with_newline(lines[-1], layout.newline)
        lines.append(line)
    return layout._replace(lines=tuple(lines))


def extract_source(text: str) -> tuple[Json, Json]:
    """Return the embedded source data of a message file, and the file without it."""
    if KEY not in text:
        return None, text
    layout = parse_layout(text)
    for at, line in enumerate(layout.lines):
        if line.key == KEY:
            found = decode(line.value.encode("utf-8", "surrogatepass"))
            if found.usable and isinstance(found.value, dict):
                return found.value, _without_line(layout, at).text
    return None, text


def _without_line(layout: MessageLayout, at: int) -> MessageLayout:
    lines = list(layout.lines)
    gone = lines.pop(at)
    if not lines:
        return layout._replace(lines=(), separator="")
    if at == len(lines) and not gone.text.endswith("\n"):
        lines[-1] = without_newline(lines[-1])
    return layout._replace(lines=tuple(lines))
