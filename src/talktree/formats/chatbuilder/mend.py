"""Making the bytes of a message file sound: marks, NUL bytes, the separator, doubled keys."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from talktree.files.splice import Splice
from talktree.formats.chatbuilder.parse import BOM, Layout, take_apart
from talktree.formats.record_file import Mending
from talktree.text import utf8
from talktree.text.json.repair import REPLACEMENT, strange_bytes
from talktree.text.json_tokens import NULS

MARK = BOM.encode()


def mended_message(raw: bytes, keys: Collection[str]) -> Iterator[Mending]:
    """What makes a message file sound."""
    return (each for each in _mendings(raw) if each.key in keys)


def _mendings(raw: bytes) -> Iterator[Mending]:
    if not raw.strip(b"\0 \t\r\n"):
        return
    if raw.startswith(MARK):
        yield Mending("bom", Splice(0, len(MARK)), "the byte order mark goes")
    for found in NULS.finditer(raw):
        yield Mending("nul", Splice(*found.span()), "NUL bytes go")
    for start, stop in strange_bytes(raw, 0, len(raw)):
        yield Mending("utf8", Splice(start, stop, REPLACEMENT), "replaced")
    layout = take_apart(utf8.decode(raw))
    yield from header_mendings(layout)
    splice = separator_splice(layout)
    if splice is not None:
        yield Mending("separator", splice, "three newlines")


def header_mendings(layout: Layout) -> Iterator[Mending]:
    """Blank lines before a header go, and so does a key that was there already."""
    blanks = _size(layout.prefix.removeprefix(BOM))
    at = _size(layout.prefix)
    if blanks and layout.lines:
        yield Mending("header", Splice(at - blanks, at), "the blank lines go")
    seen: set[str] = set()
    before = 0
    for line in layout.lines:
        size = _size(line.text)
        if line.name is not None and line.name in seen:
            # The newline behind the last line is a part of the separator.
            back = 0 if line.text.endswith("\n") else before
            yield Mending("duplicate-key", Splice(at - back, at + size), "taken out")
        if line.name is not None:
            seen.add(line.name)
        before = 2 if line.text.endswith("\r\n") else 1
        at += size


def separator_splice(layout: Layout) -> Splice | None:
    """What makes the separator the one of the format; None if the text would be read otherwise."""
    if layout.split or not layout.lines:
        return None
    fresh = layout.newline * 3
    again = take_apart(layout._replace(separator=fresh).text)
    if not again.split or again.body != layout.body or len(again.lines) != len(layout.lines):
        return None
    start = _size(layout.prefix) + sum(_size(line.text) for line in layout.lines)
    return Splice(start, start + _size(layout.separator), fresh.encode())


def _size(text: str) -> int:
    return len(utf8.encode(text))
