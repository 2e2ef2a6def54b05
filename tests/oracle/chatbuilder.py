"""Message files: one folder a conversation, one numbered Markdown file a message."""

from __future__ import annotations

import re
from pathlib import Path

from tests.oracle.shown import Shown, find_files

_COMMENT = re.compile(r"<!--(.*?)-->\n{0,3}", re.S)
_HEADER = re.compile(r"(?:\s*\n)?(?:;.*(?:\n|\Z)|role: \w+\n|[0-9a-f-]{36}\n)+(?:\n{0,2})")
_CLOSED = re.compile(r"(?:.*\n){0,15}?.{0,3}role: \w+\n(?:;.*\n)*\n\n")
"""A header up to the end that the program writes, whatever happened to a line in it."""


def read(path: Path) -> dict[str, list[Shown]]:
    """Return the messages of each folder by their numbers."""
    numbered: dict[str, list[tuple[int, Shown]]] = {}
    for name, text in find_files(path, ".md").items():
        folder, _, file = name.rpartition("/")
        number = re.fullmatch(r"(\d+)\.md(?:\.gz)?", file)
        if number or path.is_file():
            numbered.setdefault(folder, []).append((int(number[1]) if number else 0, _show(text)))
    return {
        folder: [shown for _, shown in sorted(each, key=lambda pair: pair[0])]
        for folder, each in numbered.items()
    }


def _show(text: str) -> Shown:
    start = _COMMENT.match(text) or _damaged_header(text) or _HEADER.match(text)
    header = start[0] if start else ""
    fields = re.findall(r"^(?:; ?)?(role|Block-UUID): *(.*)$", header, re.M | re.I)
    known = {name.lower(): value for name, value in reversed(fields)}
    body = text[len(header) :].replace("\\`", "`")
    return Shown(known.get("block-uuid", ""), known.get("role", "unknown"), (body,))


def _damaged_header(text: str) -> re.Match[str] | None:
    """Return a header in which one line does not begin as it should."""
    found = _CLOSED.match(text)
    lines = [line for line in found[0].split("\n") if line] if found else []
    return found if sum(not line.startswith(";") for line in lines) == 1 else None
