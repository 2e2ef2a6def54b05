"""The header line in which a message file carries what it has no place for.

It is one line of JSON in ASCII, so that no reader of headers can take it for more than one.
"""

from __future__ import annotations

from talktree.formats.chatbuilder.header import Line
from talktree.formats.chatbuilder.keys import ROLE
from talktree.formats.chatbuilder.layout import take_apart
from talktree.text.json_read import decode
from talktree.text.json_style import Style
from talktree.text.json_value import Json
from talktree.text.json_write import encode

KEY = "X-Talktree"
_ASCII = Style(ascii=True)


def added(text: str, carried: Json) -> str:
    """A message file with the line, before the line that names the role."""
    layout = take_apart(text)
    line = Line("; ", KEY, ": ", encode(carried, _ASCII).decode(), layout.newline)
    lines = list(layout.lines)
    role = next((at for at, each in enumerate(lines) if each.name == ROLE), len(lines))
    # The blank comment line stays next to the role.
    at = role - 1 if role and lines[role - 1].key is None else role
    return layout._replace(lines=(*lines[:at], line, *lines[at:])).text


def taken(text: str) -> tuple[Json, Json]:
    """What a message file carries, and the file without it."""
    if KEY not in text:
        return None, text
    layout = take_apart(text)
    for at, line in enumerate(layout.lines):
        if line.key == KEY:
            found = decode(line.value.encode("utf-8", "surrogatepass"))
            if found.usable and isinstance(found.value, dict):
                rest = (*layout.lines[:at], *layout.lines[at + 1 :])
                return found.value, layout._replace(lines=rest).text
    return None, text
