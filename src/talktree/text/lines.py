"""Where the records of a line file are, also where lines are torn, fused or spliced.

Only byte 0x0A ends a line. A line that is not one JSON value is looked into: two whole records
on one line become two spans, a record that another one was written over becomes a broken span
and a whole one. Every byte lies in exactly one span or is blank space between spans.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import msgspec

from talktree.text.json_read import REFUSALS
from talktree.text.json_scan import Kind, scan
from talktree.text.json_value import Json

_decoder = msgspec.json.Decoder()

BOM = b"\xef\xbb\xbf"
MOST_ATTEMPTS = 64
"""How many places inside a broken line are tried as the start of a whole record."""


class Span(NamedTuple):
    """A stretch of a line, relative to its start."""

    start: int
    stop: int
    note: str
    """Why the line was split here: `fused` or `spliced`; empty for the first stretch."""


def is_blank(line: bytes) -> bool:
    """Whether a line holds no record at all."""
    return not line.strip(b" \t\r\n")


def respan(line: bytes, is_record: Callable[[Json], bool]) -> list[Span]:
    """The records inside a line that did not decode as one."""
    fused = _fused(line)
    if fused:
        return fused
    at = line.find(b'{"', 1)
    for _ in range(MOST_ATTEMPTS):
        if at < 0:
            break
        # A record quoted inside a string has its quotes escaped, so it does not decode.
        if is_record(_whole(line[at:])):
            return [Span(0, at, ""), Span(at, len(line), "spliced")]
        at = line.find(b'{"', at + 1)
    return [Span(0, len(line), "")]


def _fused(line: bytes) -> list[Span]:
    """Spans of several whole records that stand on one line, if that is what it is."""
    found = scan(line)
    roots = found.roots
    plain = found.complete and not found.problems
    if len(roots) < 2 or not plain or any(root.kind is not Kind.OBJECT for root in roots):
        return []
    starts = [0, *(root.start for root in roots[1:])]
    stops = [*starts[1:], len(line)]
    notes = ["", *("fused" for _ in roots[1:])]
    return [Span(*each) for each in zip(starts, stops, notes, strict=True)]


def _whole(text: bytes) -> Json:
    """The value if the text is one plain JSON value; cheap to fail."""
    try:
        value: Json = _decoder.decode(text)
    except REFUSALS:
        return None
    return value
