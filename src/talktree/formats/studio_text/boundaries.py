"""Lines that part a multipart text: where they stand and which multipart they belong to.

The newline before such a line is part of it, so what lies between two of them is exactly the text
of a part. Only names that are open count; any other line of dashes is content.
"""

from __future__ import annotations

from collections.abc import Container
from typing import NamedTuple


class Line(NamedTuple):
    """A boundary line."""

    start: int
    """Where the newline before it starts."""
    stop: int
    """Behind its own newline."""
    name: bytes
    last: bool
    """Whether it closes its multipart."""


def next_line(text: bytes, at: int, names: Container[bytes]) -> Line | None:
    """The first boundary line from a line's start on that belongs to an open multipart."""
    here = at if text.startswith(b"--", at) else _next_dashes(text, at)
    while here >= 0:
        end = text.find(b"\n", here)
        end = len(text) if end < 0 else end
        name = text[here + 2 : end].rstrip(b" \t\r")
        last = name not in names and name.endswith(b"--")
        name = name[:-2] if last else name
        if name in names:
            return Line(
                max(at, _newline_before(text, here, end)), min(end + 1, len(text)), name, last
            )
        here = _next_dashes(text, end)
    return None


def last_lines(text: bytes) -> dict[bytes, int]:
    """Every name that a boundary line could have, and where it stands for the last time."""
    found: dict[bytes, int] = {}
    here = 0 if text.startswith(b"--") else _next_dashes(text, 0)
    while here >= 0:
        end = text.find(b"\n", here)
        end = len(text) if end < 0 else end
        name = text[here + 2 : end].rstrip(b" \t\r")
        found[name] = here
        if name.endswith(b"--"):
            found[name[:-2]] = here
        here = _next_dashes(text, end)
    return found


def end_line(text: bytes, at: int, end: int) -> Line:
    """What stands for the boundary line that is missing at the end."""
    return Line(max(at, _newline_before(text, end, end)), end, b"", True)


def newline_of(text: bytes, line: Line) -> bytes:
    """How the line ends."""
    return b"\r\n" if text.endswith(b"\r\n", 0, line.stop) else b"\n"


def _next_dashes(text: bytes, at: int) -> int:
    found = text.find(b"\n--", at)
    return found + 1 if found >= 0 else -1


def _newline_before(text: bytes, here: int, end: int) -> int:
    """The start of the newline before a line; CR LF only counts as one where the line has it."""
    if not text.startswith(b"\n", here - 1) or here == 0:
        return here
    both = text[end - 1 : end] == b"\r" or end == len(text)
    return here - 2 if both and text[max(0, here - 2) : here] == b"\r\n" else here - 1
