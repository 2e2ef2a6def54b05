"""How a JSON text is laid out, learnt from the text itself, so that what is added looks alike."""

from __future__ import annotations

import re
from typing import NamedTuple


class Style(NamedTuple):
    """The habits of a writer."""

    indent: str | None = None
    """One level of indentation, or None for everything on one line."""
    item: str = ","
    """Between items on one line."""
    colon: str = ":"
    ascii: bool = False
    """Whether characters beyond ASCII are escaped."""
    newline: str = "\n"


COMPACT = Style()
PRETTY = Style(indent="  ", colon=": ")

_INDENTED = re.compile(rb'[\[{](\r?\n)([ \t]*)(?=["{\[\]}\w-])')
_COLON = re.compile(rb'"(\s*:\s*)(?=["{\[\w-])')
_ITEM = re.compile(rb'["}\]\w](,[ ]*)(?=["{\[\w-])')


def learn(text: bytes, *, sample: int = 1 << 16) -> Style:
    """The style of a text, from its first part."""
    head = text[:sample]
    colon = _COLON.search(head)
    item = _ITEM.search(head)
    indented = _INDENTED.search(head)
    return Style(
        indent=_level(indented.group(2), head, indented.start()) if indented else None,
        item=item.group(1).decode() if item else ",",
        colon=colon.group(1).decode() if colon else (": " if indented else ":"),
        ascii=head.isascii() and b"\\u" in head and text.isascii(),
        newline=indented.group(1).decode() if indented else "\n",
    )


def _level(inner: bytes, text: bytes, opened_at: int) -> str:
    line = text[text.rfind(b"\n", 0, opened_at) + 1 : opened_at]
    outer = line[: len(line) - len(line.lstrip(b" \t"))]
    deeper = inner[len(outer) :] if inner.startswith(outer) else inner
    return deeper.decode() or "  "
