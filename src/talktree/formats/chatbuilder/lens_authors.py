"""The `Authors` line: `Name (v1.0.0), Other - Name (v2)`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from talktree.model.message import Author

_VERSION = re.compile(r"\((?:v([^()\s,]+)|([0-9][^()\s,]*))\)", re.IGNORECASE)


def parse_authors(text: str) -> tuple[Author, ...]:
    """Return the authors that a line names."""
    items = (item.strip() for item in _split_items(text))
    return tuple(_parse_author(item) for item in items if item)


def _split_items(text: str) -> list[str]:
    """Return the items between the commas that are outside of parentheses."""
    items, start, inside = [], 0, False
    for found in re.finditer(r"[(),]", text):
        char = found.group()
        if char == ",":
            if not inside:
                items.append(text[start : found.start()])
                start = found.end()
        else:
            inside = char == "("
    return [*items, text[start:]]


def _parse_author(item: str) -> Author:
    at = item.rfind("(")
    found = _VERSION.fullmatch(item, at) if at > 0 else None
    name = item[:at].rstrip()
    if found is None or not name:
        return Author(item)
    return Author(name, found[1] or found[2])


def format_authors(authors: Sequence[Author]) -> str:
    """Return the line that names these authors."""
    return ", ".join(
        each.name if each.version is None else f"{each.name} (v{each.version})" for each in authors
    )
