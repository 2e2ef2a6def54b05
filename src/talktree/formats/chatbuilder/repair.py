"""What is odd about the bytes of a message file.

Making the bytes of a message file sound: marks, NUL bytes, the separator, doubled keys.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from talktree.files.splice import Splice
from talktree.formats.chatbuilder.parse import BOM, Layout, take_apart
from talktree.formats.chatbuilder.parse_header import BARE_ID, OPEN, Line
from talktree.formats.record_file import Mending
from talktree.model.findings import Finding, finding
from talktree.text import utf8
from talktree.text.json.repair import REPLACEMENT, strange_bytes
from talktree.text.json.syntax import NULS

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


BLANKS_BEFORE = "blank lines stand before the header"
_NOT_UTF8 = re.compile("[\udc80-\udcff]")
Odd = Iterator[tuple[str, str, int | None]]
"""Key of a finding, what is odd, and the line."""


def oddities(raw: bytes, path: str) -> Iterator[Finding]:
    """Everything odd, in the order of the file."""
    if raw and not raw.strip(b"\0 \t\r\n") and b"\0" in raw:
        yield finding("nul-file", f"nothing but {raw.count(0)} NUL bytes", path=path)
        return
    text = utf8.decode(raw)
    layout = take_apart(text)
    for key, what, line in (*_bytes(raw, text), *_header(layout), *_lines(layout)):
        yield finding(key, what, path=path, line=line, fixable=_is_mendable(key, what, layout))


def _is_mendable(key: str, what: str, layout: Layout) -> bool:
    """Whether the fix of a rule helps here."""
    if key == "header":
        return what == BLANKS_BEFORE
    return key != "separator" or separator_splice(layout) is not None


def _bytes(raw: bytes, text: str) -> Odd:
    if not raw:
        yield "empty", "there is nothing in this file", None
    if text.startswith(BOM):
        yield "bom", "it begins with a byte order mark", 1
    broken = _NOT_UTF8.search(text)
    if broken is not None:
        yield "utf8", "some bytes are not UTF-8", text.count("\n", 0, broken.start()) + 1
    if "\0" in text:
        yield "nul", "there are NUL bytes", text.count("\n", 0, text.index("\0")) + 1
    if "\r\n" in text:
        yield "crlf", "lines end with a carriage return and a newline", None


def _header(layout: Layout) -> Odd:
    if not layout.lines:
        unclosed = layout.body.startswith(OPEN)
        yield "no-header", "a comment at the start is no header" if unclosed else "no header", 1
        return
    if layout.comment:
        yield "comment-header", "the header is an HTML comment", 1
    if layout.prefix.strip(BOM):
        yield "header", BLANKS_BEFORE, 1
    if not layout.split:
        count = layout.separator.count("\n")
        yield "separator", f"{count} newlines before the content instead of three", None


def _lines(layout: Layout) -> Odd:
    seen: set[str] = set()
    at = layout.prefix.count("\n") + 1
    for number, line in enumerate(layout.lines):
        found = _odd_line(line, in_comment=number < layout.comment)
        if found:
            yield *found, at
        if line.name in seen:
            yield "duplicate-key", f"{line.key or 'the id'} stands more than once", at
        if line.name is not None:
            seen.add(line.name)
        at += line.text.count("\n")


def _odd_line(line: Line, *, in_comment: bool) -> tuple[str, str] | None:
    """The key of a finding, and what is odd."""
    if line.key == BARE_ID:
        return "bare-id", "a bare UUID, taken as Block-UUID"
    if line.key is not None:
        marked = line.marked or in_comment
        return None if marked else ("unmarked", f"{line.key[:40]} without a semicolon")
    bare = line.lead.strip(" \t\r\n")
    if in_comment:
        bare = bare.removeprefix(OPEN).removesuffix("-->").strip()
        return ("header", "a line without a key") if bare else None
    return None if line.marked else ("header", "a line that is no header line")
