"""What is odd about the bytes of a message file."""

from __future__ import annotations

import re
from collections.abc import Iterator

from talktree.formats.chatbuilder.header import BARE_ID, OPEN, Line
from talktree.formats.chatbuilder.mend import separator_splice
from talktree.formats.chatbuilder.parse import BOM, Layout, take_apart
from talktree.model.findings import Finding, finding
from talktree.text import utf8

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
