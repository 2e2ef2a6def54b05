"""Boundary lines and headers that were damaged, found again by what stands around them.

Content may quote an export, so nothing in a content is taken for a boundary line unless the
comment's own hash proves that the content ends before it.
"""

from __future__ import annotations

import re

from talktree.formats.studio.hashing import recognise
from talktree.formats.studio_text.boundaries import Line
from talktree.formats.studio_text.lens import Part

_LINE = re.compile(
    rb"^[^\r\n]{1,100}\r?\n"
    rb"(?=Content-Type: (?:multipart/mixed; boundary=|text/plain; charset=)|Content-Disposition: )",
    re.MULTILINE,
)
_INSIDE = re.compile(
    rb"(?:[^\r\n]*\r?\n){0,4}?--([^\s]+)[ \t]*\r?\n(?=Content-Type: text/plain)", re.ASCII
)
MOST = 16
"""How many places in one content are tried."""


def first_line(text: bytes, start: int, stop: int, name: bytes) -> Line | None:
    """The first boundary line of a multipart, if something like it stands where it should."""
    found = _LINE.search(text, start, stop)
    return _as_line(text, found, start, name) if found else None


def proven_line(part: Part, name: bytes) -> Line | None:
    """The boundary line inside a content that, by its hash, ends before it."""
    hash = part.head.text("hash")
    candidates = _LINE.finditer(part.text, part.head.body, part.stop)
    first = next(candidates, None)
    if first is None or hash is None or recognise(hash, part.body(part.stop)) is not None:
        return None
    found: re.Match[bytes] | None = first
    for _ in range(MOST):
        if found is None:
            break
        line = _as_line(part.text, found, part.head.body, name)
        if recognise(hash, part.body(line.start)) is not None:
            return line
        found = next(candidates, None)
    return None


def inner_name(text: bytes, start: int, stop: int) -> bytes | None:
    """The boundary of a multipart whose header is damaged: that of the line right behind it."""
    found = _INSIDE.match(text, start, stop)
    return found.group(1) if found else None


def _as_line(text: bytes, found: re.Match[bytes], at: int, name: bytes) -> Line:
    start = found.start()
    both = found.group().endswith(b"\r\n") and text.endswith(b"\r\n", at, start)
    before = 2 if both else 1 if text.endswith(b"\n", at, start) else 0
    return Line(start - before, found.end(), name, False)
