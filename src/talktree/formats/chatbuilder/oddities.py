"""What is odd about the bytes of a message file."""

from __future__ import annotations

import re
from collections.abc import Iterator

from talktree.formats.chatbuilder.header import BARE_ID, OPEN, Line
from talktree.formats.chatbuilder.keys import ROLE, ROLES
from talktree.formats.chatbuilder.layout import BOM, Layout, take_apart
from talktree.model.findings import Finding, finding
from talktree.text import utf8

_NOT_UTF8 = re.compile("[\udc80-\udcff]")
Odd = Iterator[tuple[str, str, int | None]]
"""Key of a finding, what is odd, and the line."""


def oddities(raw: bytes, path: str) -> Iterator[Finding]:
    """Everything odd, in the order of the file."""
    text = utf8.decode(raw)
    layout = take_apart(text)
    for key, what, line in (*_bytes(raw, text), *_header(layout), *_lines(layout)):
        yield finding(key, what, path=path, line=line)


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
        yield "header", "a comment at the start is no header" if unclosed else "no header", 1
        return
    if layout.comment:
        yield "header", "the header is an HTML comment", 1
    if layout.prefix.strip(BOM):
        yield "header", "blank lines stand before the header", 1
    roles = [line for line in layout.lines if line.name == ROLE]
    if not roles:
        yield "header", "no role is named", None
    elif roles[0].value not in ROLES:
        yield "header", f"the role {roles[0].value[:40]!r} is none of {', '.join(ROLES)}", None
    if not layout.split:
        count = layout.separator.count("\n")
        yield "separator", f"{count} newlines before the content instead of three", None


def _lines(layout: Layout) -> Odd:
    seen: set[str] = set()
    at = layout.prefix.count("\n") + 1
    for number, line in enumerate(layout.lines):
        what = _odd_line(line, in_comment=number < layout.comment)
        if what:
            yield "header", what, at
        if line.name in seen:
            yield "duplicate-key", f"{line.key or 'the id'} stands more than once", at
        if line.name is not None:
            seen.add(line.name)
        at += line.text.count("\n")


def _odd_line(line: Line, *, in_comment: bool) -> str | None:
    if line.key == BARE_ID:
        return "a bare UUID, taken as Block-UUID"
    if line.key is not None:
        return None if line.marked or in_comment else f"{line.key} without a semicolon"
    bare = line.lead.strip(" \t\r\n")
    if in_comment:
        bare = bare.removeprefix(OPEN).removesuffix("-->").strip()
        return "a line without a key" if bare else None
    return None if line.marked else "a line that is no header line"
