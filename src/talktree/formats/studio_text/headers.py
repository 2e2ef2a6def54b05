"""Header lines of a part: reading them, and changing one without touching the others."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import NamedTuple

from talktree.text.utf8 import decode, encode

_HEADER = re.compile(
    rb"([A-Za-z][A-Za-z0-9-]*):[ \t]?([^\n]*(?:\n[ \t]+[^\s][^\n]*)*)(?:\n|\Z)", re.ASCII
)
_DAMAGED = re.compile(rb"()([^\r\n]+\r?)\n(?=([A-Za-z][A-Za-z0-9-]*):)", re.ASCII)
"""A line before a header."""
_FOLD = re.compile(r"\r?\n")
_BLANK = re.compile(rb"[ \t]*\r?(?:\n|\Z)")
_BOUNDARY = re.compile(r"""\Amultipart/.*?boundary=(?:"([^"]+)"|([^\s";]+))""", re.IGNORECASE)


class Header(NamedTuple):
    """One header."""

    name: str
    """In small letters; empty for a line that is damaged."""
    label: str
    """The name as it stands there."""
    text: str
    at: int
    """Where its line starts."""
    start: int
    """Where its text starts."""
    stop: int
    """Behind its text."""
    end: int
    """Behind its newline."""


class Head(NamedTuple):
    """The headers of a part."""

    headers: tuple[Header, ...]
    texts: Mapping[str, str]
    """The text of each; of headers that stand twice, the first."""
    stop: int
    """Behind the last header line."""
    body: int
    """Where the body starts."""
    blank: bool
    """Whether a blank line parts the two."""

    def text(self, name: str) -> str | None:
        """The text of the first header with that name."""
        return self.texts.get(name)

    @property
    def boundary(self) -> bytes | None:
        """The boundary it declares, if it heads a multipart."""
        found = _BOUNDARY.match(self.text("content-type") or "")
        return encode(found.group(1) or found.group(2)).rstrip() if found else None


def read_head(text: bytes, at: int, known: Collection[str] = ()) -> Head:
    """The headers that stand at a place; the body starts at the first line that is none.

    Before a header that is known and did not come yet, such a line is a damaged header.
    """
    found: list[Header] = []
    texts: dict[str, str] = {}
    while (match := _HEADER.match(text, at)) or (match := _damaged(text, at, known, texts)):
        start, stop = match.span(2)
        stop -= text.endswith(b"\r", start, stop)
        value, label, end = decode(text[start:stop]), match[1].decode(), match.end()
        if "\n" in value:
            value = _FOLD.sub("", value)
        name = label.lower()
        found.append(Header(name, label, value, at, start, stop, end))
        texts.setdefault(name, value)
        at = end
    blank = _BLANK.match(text, at) if at < len(text) else None
    return Head(tuple(found), texts, at, blank.end() if blank else at, blank is not None)


def _damaged(
    text: bytes, at: int, known: Collection[str], seen: Collection[str]
) -> re.Match[bytes] | None:
    """Match a line that must be a damaged header, by the header behind it."""
    found = _DAMAGED.match(text, at) if known else None
    if found is None:
        return None
    name = found[3].decode().lower()
    return found if name in known and name not in seen else None


def with_headers(
    block: bytes,
    wanted: Mapping[str, str | None],
    known: Collection[str] = (),
    *,
    newline: bytes = b"\n",
) -> bytes:
    """The header lines with some of them changed, added, or (None) taken out."""
    left = {name.lower(): name for name in wanted}
    gone = {name.lower() for name, text in wanted.items() if text is None}
    out: list[bytes] = []
    for header in read_head(block, 0, known).headers:
        name = left.pop(header.name, None)
        text = None if name is None else wanted[name]
        if header.name in gone:
            continue
        if text is None or text == header.text:
            out.append(block[header.at : header.end])
        else:
            before, after = block[header.at : header.start], block[header.stop : header.end]
            out.append(before + encode(text) + after)
    if out and not out[-1].endswith(b"\n"):
        out[-1] += newline
    added = ((name, wanted[name]) for name in left.values())
    out += [encode(f"{name}: {text}") + newline for name, text in added if text is not None]
    return b"".join(out)
