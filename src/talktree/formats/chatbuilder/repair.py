"""Repairs of the bytes of a message file: marks, NUL bytes, the separator, duplicate keys.

It also finds what is odd about these bytes.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from talktree.files.splice import Splice
from talktree.formats.chatbuilder.parse import BOM, MessageLayout, parse_layout
from talktree.formats.chatbuilder.parse_header import BARE_ID, OPEN, HeaderLine
from talktree.formats.record_file import ByteRepair
from talktree.model.findings import Finding, make_finding
from talktree.text import utf8
from talktree.text.json.repair import REPLACEMENT, find_invalid_utf8
from talktree.text.json.syntax import NULS

MARK = BOM.encode()


def repair_message(raw: bytes, keys: Collection[str]) -> Iterator[ByteRepair]:
    """Yield the repairs that make a message file valid."""
    return (each for each in _find_repairs(raw) if each.key in keys)


def _find_repairs(raw: bytes) -> Iterator[ByteRepair]:
    if not raw.strip(b"\0 \t\r\n"):
        return
    if raw.startswith(MARK):
        yield ByteRepair("bom", Splice(0, len(MARK)), "the byte order mark goes")
    for found in NULS.finditer(raw):
        yield ByteRepair("nul", Splice(*found.span()), "NUL bytes go")
    for start, stop in find_invalid_utf8(raw, 0, len(raw)):
        yield ByteRepair("utf8", Splice(start, stop, REPLACEMENT), "replaced")
    layout = parse_layout(utf8.decode(raw))
    yield from find_header_repairs(layout)
    splice = make_separator_splice(layout)
    if splice is not None:
        yield ByteRepair("separator", splice, "three newlines")


def find_header_repairs(layout: MessageLayout) -> Iterator[ByteRepair]:
    """Yield repairs that remove blank lines before a header and duplicate keys."""
    blanks = _byte_size(layout.prefix.removeprefix(BOM))
    at = _byte_size(layout.prefix)
    if blanks and layout.lines:
        yield ByteRepair("header", Splice(at - blanks, at), "the blank lines go")
    seen: set[str] = set()
    before = 0
    for line in layout.lines:
        size = _byte_size(line.text)
        if line.name is not None and line.name in seen:
            # The newline after the last line is part of the separator.
            back = 0 if line.text.endswith("\n") else before
            yield ByteRepair("duplicate-key", Splice(at - back, at + size), "taken out")
        if line.name is not None:
            seen.add(line.name)
        before = 2 if line.text.endswith("\r\n") else 1
        at += size


def make_separator_splice(layout: MessageLayout) -> Splice | None:
    """Return the splice that writes the format's separator; None if it would change the content."""
    if layout.has_separator or not layout.lines:
        return None
    fresh = layout.newline * 3
    again = parse_layout(layout._replace(separator=fresh).text)
    if (
        not again.has_separator
        or again.body != layout.body
        or len(again.lines) != len(layout.lines)
    ):
        return None
    start = _byte_size(layout.prefix) + sum(_byte_size(line.text) for line in layout.lines)
    return Splice(start, start + _byte_size(layout.separator), fresh.encode())


def _byte_size(text: str) -> int:
    return len(utf8.encode(text))


BLANKS_BEFORE = "blank lines stand before the header"
_NOT_UTF8 = re.compile("[\udc80-\udcff]")
Odd = Iterator[tuple[str, str, int | None]]
"""Key of a finding, what is odd, and the line."""


def find_oddities(raw: bytes, path: str) -> Iterator[Finding]:
    """Yield everything that is odd, in file order."""
    if raw and not raw.strip(b"\0 \t\r\n") and b"\0" in raw:
        yield make_finding("nul-file", f"nothing but {raw.count(0)} NUL bytes", path=path)
        return
    text = utf8.decode(raw)
    layout = parse_layout(text)
    for key, what, line in (
        *_check_bytes(raw, text),
        *_check_header(layout),
        *_check_lines(layout),
    ):
        yield make_finding(key, what, path=path, line=line, fixable=_is_mendable(key, what, layout))


def _is_mendable(key: str, what: str, layout: MessageLayout) -> bool:
    """Whether the fix of a rule helps here."""
    if key == "header":
        return what == BLANKS_BEFORE
    return key != "separator" or make_separator_splice(layout) is not None


def _check_bytes(raw: bytes, text: str) -> Odd:
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


def _check_header(layout: MessageLayout) -> Odd:
    if not layout.lines:
        unclosed = layout.body.startswith(OPEN)
        yield "no-header", "a comment at the start is no header" if unclosed else "no header", 1
        return
    if layout.comment:
        yield "comment-header", "the header is an HTML comment", 1
    if layout.prefix.strip(BOM):
        yield "header", BLANKS_BEFORE, 1
    if not layout.has_separator:
        count = layout.separator.count("\n")
        yield "separator", f"{count} newlines before the content instead of three", None


def _check_lines(layout: MessageLayout) -> Odd:
    seen: set[str] = set()
    at = layout.prefix.count("\n") + 1
    for number, line in enumerate(layout.lines):
        found = _check_line(line, in_comment=number < layout.comment)
        if found:
            yield *found, at
        if line.name in seen:
            yield "duplicate-key", f"{line.key or 'the id'} stands more than once", at
        if line.name is not None:
            seen.add(line.name)
        at += line.text.count("\n")


def _check_line(line: HeaderLine, *, in_comment: bool) -> tuple[str, str] | None:
    """Return the key of a finding and what is odd about a line, or None."""
    if line.key == BARE_ID:
        return "bare-id", "a bare UUID, taken as Block-UUID"
    if line.key is not None:
        marked = line.has_semicolon or in_comment
        return None if marked else ("unmarked", f"{line.key[:40]} without a semicolon")
    bare = line.lead.strip(" \t\r\n")
    if in_comment:
        bare = bare.removeprefix(OPEN).removesuffix("-->").strip()
        return ("header", "a line without a key") if bare else None
    return None if line.has_semicolon else ("header", "a line that is no header line")
