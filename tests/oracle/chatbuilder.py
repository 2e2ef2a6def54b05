"""Message files: one folder a conversation, one numbered Markdown file a message."""

from __future__ import annotations

import re
from pathlib import Path

from tests.oracle.shown import Shown, find_files

_COMMENT = re.compile(r"<!--(.*?)-->\n{0,3}", re.S)
_HEADER = re.compile(r"(?:\s*\n)?(?:;.*(?:\n|\Z)|role: \w+\n|[0-9a-f-]{36}\n)+(?:\n{0,2})")


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
    start = _COMMENT.match(text) or _HEADER.match(text)
    header = start[0] if start else ""
    fields = re.findall(r"^(?:; ?)?(role|Block-UUID): *(.*)$", header, re.M | re.I)
    known = {name.lower(): value for name, value in reversed(fields)}
    body = text[len(header) :].replace("\\`", "`")
    return Shown(known.get("block-uuid", ""), known.get("role", "unknown"), (body,))
