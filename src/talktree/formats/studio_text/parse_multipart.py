"""Header lines and boundary lines of a multipart text.

Headers can be changed without touching the others. The newline before a boundary line is part of
it, so the text between two of them is exactly a part. Only boundaries of open multiparts count; any
other line of dashes is content.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Container, Mapping
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
    """In lower case; empty for a line that is damaged."""
    label: str
    """The name as written."""
    text: str
    at: int
    """The start of its line."""
    start: int
    """The start of its text."""
    stop: int
    """The end of its text."""
    end: int
    """The end of its line."""


class PartHead(NamedTuple):
    """The headers of a part."""

    headers: tuple[Header, ...]
    texts: Mapping[str, str]
    """The text of each; of duplicate headers, the first."""
    stop: int
    """The end of the last header line."""
    body: int
    """The start of the body."""
    blank: bool
    """Whether a blank line separates the two."""

    def text(self, name: str) -> str | None:
        """Return the text of the first header with that name, or None."""
        return self.texts.get(name)

    @property
    def boundary(self) -> bytes | None:
        """The boundary that it declares, if it is the head of a multipart."""
        found = _BOUNDARY.match(self.text("content-type") or "")
        return encode(found.group(1) or found.group(2)).rstrip() if found else None


def read_head(text: bytes, at: int, known: Collection[str] = ()) -> PartHead:
    """Return the headers at an offset; the body starts at the first line that is not a header.

    Before a known header that has not occurred yet, such a line is a damaged header.
    """
    found: list[Header] = []
    texts: dict[str, str] = {}
    while (match := _HEADER.match(text, at)) or (
        match := _match_damaged_header(text, at, known, texts)
    ):
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
    return PartHead(tuple(found), texts, at, blank.end() if blank else at, blank is not None)


def _match_damaged_header(
    text: bytes, at: int, known: Collection[str], seen: Collection[str]
) -> re.Match[bytes] | None:
    """Match a line that must be a damaged header, by the header after it."""
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
    """Return the header lines with some of them changed, added, or (None) removed."""
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


class BoundaryLine(NamedTuple):
    """A boundary line."""

    start: int
    """The start of the newline before it."""
    stop: int
    """The end of its own newline."""
    name: bytes
    last: bool
    """Whether it closes its multipart."""


def find_next_boundary(text: bytes, at: int, names: Container[bytes]) -> BoundaryLine | None:
    """Return the first boundary line of an open multipart from a line's start on, or None."""
    here = at if text.startswith(b"--", at) else _find_next_dashes(text, at)
    while here >= 0:
        end = text.find(b"\n", here)
        end = len(text) if end < 0 else end
        name = text[here + 2 : end].rstrip(b" \t\r")
        last = name not in names and name.endswith(b"--")
        name = name[:-2] if last else name
        if name in names:
            return BoundaryLine(
                max(at, _find_newline_before(text, here, end)), min(end + 1, len(text)), name, last
            )
        here = _find_next_dashes(text, end)
    return None


def find_last_lines(text: bytes) -> dict[bytes, int]:
    """Return every possible boundary name, and the offset of its last line."""
    found: dict[bytes, int] = {}
    here = 0 if text.startswith(b"--") else _find_next_dashes(text, 0)
    while here >= 0:
        end = text.find(b"\n", here)
        end = len(text) if end < 0 else end
        name = text[here + 2 : end].rstrip(b" \t\r")
        found[name] = here
        if name.endswith(b"--"):
            found[name[:-2]] = here
        here = _find_next_dashes(text, end)
    return found


def end_line(text: bytes, at: int, end: int) -> BoundaryLine:
    """Return a replacement for the boundary line that is missing at the end."""
    return BoundaryLine(max(at, _find_newline_before(text, end, end)), end, b"", True)


def get_newline(text: bytes, line: BoundaryLine) -> bytes:
    """Return the newline of the line."""
    return b"\r\n" if text.endswith(b"\r\n", 0, line.stop) else b"\n"


def _find_next_dashes(text: bytes, at: int) -> int:
    found = text.find(b"\n--", at)
    return found + 1 if found >= 0 else -1


def _find_newline_before(text: bytes, here: int, end: int) -> int:
    """Return the start of the newline before a line; CR LF only counts if the line has it."""
    if not text.startswith(b"\n", here - 1) or here == 0:
        return here
    both = text[end - 1 : end] == b"\r" or end == len(text)
    return here - 2 if both and text[max(0, here - 2) : here] == b"\r\n" else here - 1
